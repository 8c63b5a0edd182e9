import type { FeatureResultAnswer } from '../../contract/feature.ts'
import type { JobAnswer } from '../../contract/job.ts'
import type { TaskResultAnswer } from '../../contract/task.ts'
import { adviceOnPages } from '../advice.ts'
import { html, type Html } from '../html.ts'
import type { PageFrame } from './page.ts'

type TaskAttempt = TaskResultAnswer['attempts'][number]
type FeatureAttempt = FeatureResultAnswer['attempts'][number]

/** One round of a task or a feature, as a page shows both. */
interface AttemptShown {
  number: number
  /** Where it was sent back, in a word; null where it passed. */
  failedAt: string | null
  /** What the coder of the next round is told. */
  failure: string
  /** What was said of the change, and by whom. */
  remarks: ReadonlyArray<{ by: string; text: string }>
  checks: ReadonlyArray<{ name: string; state: string; command: string | null; reason: string | null }>
  /** Whether there is a page of its changes. */
  hasDiff: boolean
}

const place = (file: string | null, line: number | null): string => {
  if (file === null) return ''
  return line === null ? ` (${file})` : ` (${file}:${line})`
}

function ofTask({ number, failure, review, tests, diff }: TaskAttempt): AttemptShown {
  const issues = review?.issues ?? []
  return {
    number,
    failedAt: failure?.stage ?? null,
    failure: failure?.message ?? '',
    remarks: [
      ...(review === null ? [] : [{ by: 'the reviewer', text: `${review.decision}: ${review.summary}` }]),
      ...issues.map(({ severity, file, line, message }) => ({ by: severity, text: message + place(file, line) })),
      ...(tests?.guards ?? []).map(({ path, line, detail }) => ({
        by: 'the guard against fixes of symptoms',
        text: detail + place(path, line),
      })),
    ],
    checks: (tests?.checks ?? []).map(({ name, status, command, reason }) => ({
      name,
      state: status.replace('_', ' '),
      command,
      reason,
    })),
    hasDiff: diff !== '',
  }
}

const STATES = new Map<boolean | null, string>([
  [true, 'passed'],
  [false, 'failed'],
  [null, 'not run'],
])

const ofFeature = ({ number, error, tasks, checks }: FeatureAttempt): AttemptShown => ({
  number,
  failedAt: error === null ? null : 'sent back',
  failure: error ?? '',
  remarks: tasks.map(({ instruction, success, files_changed: files, errors }) => ({
    by: success ? 'done' : 'not done',
    text: [instruction, ...files, ...errors].join('\n'),
  })),
  checks: checks.map(({ check, passed, command, exit_code: code }) => ({
    name: check,
    state: STATES.get(passed) ?? '',
    command,
    reason: code === null || code === 0 ? null : `exit code ${code}`,
  })),
  hasDiff: false, // the rounds of a feature change one branch, whose diff the page has
})

/** The attempts that a job has behind it; none for those that make none. */
function attemptsOf({ type, result }: JobAnswer): AttemptShown[] {
  if (type === 'task') return ((result as TaskResultAnswer | null)?.attempts ?? []).map(ofTask)
  if (type === 'feature') return ((result as FeatureResultAnswer | null)?.attempts ?? []).map(ofFeature)
  return []
}

/** The most of a failure that a page shows; the result of the job has all of what programs printed. */
const MAX_FAILURE_CHARS = 4_000

const cut = (text: string): string =>
  text.length > MAX_FAILURE_CHARS ? `${text.slice(0, MAX_FAILURE_CHARS)}\n… and more, in the result of the job` : text

const checkRow = ({ name, state, command, reason }: AttemptShown['checks'][number]): Html => html`
<tr><th scope="row">${name}</th><td>${state}${reason !== null && `: ${adviceOnPages(reason)}`}</td>\
<td>${command !== null && html`<code>${command}</code>`}</td></tr>`

const checksTable = ({ number, checks }: AttemptShown): Html => html`
<div class="scroll" tabindex="0" role="region" aria-label="Checks of attempt ${number}">
<table><thead><tr><th scope="col">Check</th><th scope="col">What came of it</th><th scope="col">Command</th></tr>\
</thead><tbody>${checks.map(checkRow)}</tbody></table></div>`

/** The page of what an attempt changed. */
const attemptPath = ({ prefix }: PageFrame, jobId: string, number: number): string =>
  `${prefix}/ui/jobs/${jobId}/attempts/${number}`

function changesLink(address: string): Html {
  return html`
<details hx-get="${address}" hx-trigger="toggle once" hx-target="find .changes"><summary>What it changed</summary>
<div class="changes"><a href="${address}">The changes</a></div></details>`
}

function attemptPart(frame: PageFrame, jobId: string, attempt: AttemptShown): Html {
  const { number, failedAt, failure, remarks, checks, hasDiff } = attempt
  const state = failedAt === null ? 'succeeded' : 'failed'
  return html`
<h3>Attempt ${number} <span class="state ${state}">${failedAt ?? 'passed'}</span></h3>
${failure !== '' && html`<pre class="code text" tabindex="0">${cut(failure)}</pre>`}
${
  remarks.length > 0 &&
  html`<ul class="list">${remarks.map(
    ({ by, text }) => html`<li><span class="reason">${by}</span> <span class="said">${text}</span></li>`,
  )}</ul>`
}
${checks.length > 0 && checksTable(attempt)}
${hasDiff && changesLink(attemptPath(frame, jobId, number))}`
}

/** As many as a task or a feature may have. */
const MAX_ATTEMPTS = 11

/**
 * The attempts of a task or a feature: what was said of each, what was run over it, and what it changed. Each is a part
 * by itself, so that what is open in one stays open when the next one comes.
 */
export function attemptParts(frame: PageFrame, job: JobAnswer): Record<string, Html | null> {
  if (job.type !== 'task' && job.type !== 'feature') return {}
  const attempts = attemptsOf(job).slice(0, MAX_ATTEMPTS)
  const parts: Record<string, Html | null> = { attempts: attempts.length === 0 ? null : html`<h2>Attempts</h2>` }
  for (let at = 0; at < MAX_ATTEMPTS; at++) {
    const attempt = attempts[at]
    parts[`attempt-${at + 1}`] = attempt === undefined ? null : attemptPart(frame, job.id, attempt)
  }
  return parts
}
