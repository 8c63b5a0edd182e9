import type { JobEventAnswer } from '../../contract/job.ts'
import { milliseconds } from '../../text/table.ts'
import { html, type Html } from '../html.ts'

/** A step of a job, as often as it ran. */
interface Step {
  name: string
  startedAt: string
  /** Null while it goes on, or where it was cut off. */
  finishedAt: string | null
  message: string
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

/**
 * The steps of a job, in the order in which they began. A step begins with the first that is heard of it; of one that
 * says nothing before its end, with what was heard last before that.
 */
export function stepsOf(events: readonly JobEventAnswer[]): Step[] {
  const steps: Step[] = []
  let before = events[0]?.at ?? ''
  for (const { event, data, at } of events) {
    const name = textOf(data.step)
    const earlier = before
    before = at
    if (event !== 'step' || name === '') continue
    const isEnd = data.finished === true
    let step = steps.findLast(one => one.name === name && one.finishedAt === null)
    if (step === undefined) {
      step = { name, startedAt: isEnd ? earlier : at, finishedAt: null, message: '' }
      steps.push(step)
    }
    if (isEnd) step.finishedAt = at
    else step.message = textOf(data.message)
  }
  return steps
}

function stepRow({ name, startedAt, finishedAt, message }: Step): Html {
  const took = finishedAt === null ? null : Date.parse(finishedAt) - Date.parse(startedAt)
  return html`
<tr><th scope="row">${name}</th><td><time datetime="${startedAt}">${startedAt.slice(11, 19)}</time></td>
<td>${took === null ? 'not finished' : milliseconds(took)}</td><td>${message}</td></tr>`
}

/** The steps with when they began (UTC), and how long they took. */
export const stepsPart = (steps: readonly Step[]): Html => html`
<section>
<h2>Steps</h2>
<div class="scroll" tabindex="0" role="region" aria-label="Steps">
<table><thead><tr><th scope="col">Step</th><th scope="col">Began</th><th scope="col">Took</th>\
<th scope="col">Last message</th></tr></thead><tbody>${steps.map(stepRow)}</tbody></table></div>
</section>`
