import type { JobEventAnswer } from '../../contract/job.ts'
import { milliseconds } from '../../text/table.ts'
import { html, type Html } from '../html.ts'

/** A step of a job, as often as it ran. */
interface Step {
  name: string
  /** Whether the job only says that it has come here: a stage has no end of its own, and no retry starts from it. */
  isStage: boolean
  startedAt: string
  /** Null while it goes on, or where it was cut off. */
  finishedAt: string | null
  message: string
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

/** Where a job has come to its end, or a process has. */
const OVER = new Set(['succeeded', 'failed', 'cancelled', 'queued'])

/**
 * The steps of a job, in the order in which they began. A step begins with the first that is heard of it; of one that
 * says nothing before its end, with what was heard last before that. A stage goes on until the next one, or to the end
 * of the job.
 */
export function stepsOf(events: readonly JobEventAnswer[]): Step[] {
  const steps: Step[] = []
  const endStages = (at: string, except = ''): void => {
    for (const step of steps) {
      if (step.isStage && step.finishedAt === null && step.name !== except) step.finishedAt = at
    }
  }
  let before = events[0]?.at ?? ''
  for (const { event, data, at } of events) {
    const name = textOf(data.step)
    const earlier = before
    before = at
    if (event === 'status' && OVER.has(textOf(data.status))) endStages(at)
    if (event !== 'step' || name === '') continue
    const isEnd = data.finished === true
    if (!isEnd) endStages(at, name)
    let step = steps.findLast(one => one.name === name && (one.finishedAt === null || (isEnd && one.isStage)))
    if (step === undefined) {
      step = { name, isStage: true, startedAt: isEnd ? earlier : at, finishedAt: null, message: '' }
      steps.push(step)
    }
    if (isEnd) Object.assign(step, { finishedAt: at, isStage: false })
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
