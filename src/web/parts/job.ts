import type { JobAnswer, JobEventAnswer, JobFileAnswer } from '../../contract/job.ts'
import type { CloneAnswer } from '../../contract/project.ts'
import type { ResolutionAnswer } from '../../contract/resolution.ts'
import { isObject } from '../../core/is-object.ts'
import { isTerminal } from '../../core/job.ts'
import { resultText } from '../../text/generation-text.ts'
import { cloneText, eventsText, progressText } from '../../text/job-text.ts'
import { plain } from '../../text/paint.ts'
import { asked as requestOf } from '../../text/request-text.ts'
import { count } from '../../text/table.ts'
import { adviceOnPages } from '../advice.ts'
import { html, type Html } from '../html.ts'
import { attemptParts } from './attempts.ts'
import { diffPart, type DiffPage, type DiffView } from './diff.ts'
import { limitFields } from './limits.ts'
import { csrfField, documentTitle, type PageContent, type PageFrame } from './page.ts'
import { questionPart } from './question.ts'
import { stepsOf, stepsPart } from './steps.ts'
import { timePart } from './time.ts'

/** All that a page shows of a job. */
export interface JobShown {
  job: JobAnswer
  /** Names the question that is open; null where none is. */
  asked: string | null
  events: readonly JobEventAnswer[]
  files: readonly JobFileAnswer[]
  diff: DiffPage
  view: DiffView
}

const SHOWN_EVENTS = 200
const SHOWN_FILES = 100
/** In the place of the name of a question, where there is none. */
export const NO_QUESTION = '-'
/** The event after which a page need not hear of its job any more. */
export const ENDED = 'ended'

const textIn = (value: unknown, name: string): string => {
  const found = isObject(value) ? value[name] : undefined
  return typeof found === 'string' ? found : ''
}

/** The diff that a job asks about, or that it made. */
export const diffOf = ({ request, result }: JobAnswer): string =>
  request === null ? textIn(result, 'diff') : textIn(request, 'diff')

/** The page of a job. */
export const jobPath = ({ prefix }: PageFrame, id: string): string => `${prefix}/ui/jobs/${id}`

function resultPart(frame: PageFrame, job: JobAnswer): Html | null {
  const { type, result } = job
  if (result === null) return null
  if (type === 'resolve') {
    return html`<ul class="list">${(result as ResolutionAnswer[]).map(
      ({ id, exceptions }) =>
        html`<li><a href="${frame.prefix}/ui/resolutions/${id}">${exceptions.at(-1)?.type ?? 'No error'}</a></li>`,
    )}</ul>`
  }
  const text = type === 'clone' ? cloneText(result as CloneAnswer, plain) : resultText(job, plain)
  return html`${text !== '' && html`<pre class="code text" tabindex="0">${text}</pre>`}`
}

/** The address of a page of the changes, by what is not as it is at first. */
function changesPath(path: string, view: DiffView, page: number): string {
  const query = new URLSearchParams({
    ...(view === 'unified' ? {} : { view }),
    ...(page === 1 ? {} : { page: String(page) }),
  })
  return `${path}${query.size === 0 ? '' : `?${query.toString()}`}#changes`
}

function pagesPart(path: string, { page, pages }: DiffPage, view: DiffView): Html | null {
  if (pages === 1) return null
  return html`
<nav class="row" aria-label="Pages of the changes">
${page > 1 && html`<a href="${changesPath(path, view, page - 1)}">The page before</a>`}
${page < pages && html`<a href="${changesPath(path, view, page + 1)}">The next page</a>`}</nav>`
}

function diffSection(frame: PageFrame, { job, diff, view }: JobShown): Html | null {
  const { files, page, pages } = diff
  if (files.length === 0) return null
  const path = jobPath(frame, job.id)
  const isCommitted = textIn(job.result, 'commit') !== ''
  return html`
<section id="changes">
<h2>Changes</h2>
<p class="row">${
    view === 'split'
      ? html`<a href="${changesPath(path, 'unified', page)}">One below the other</a> <span>Side by side</span>`
      : html`<span>One below the other</span> <a href="${changesPath(path, 'split', page)}">Side by side</a>`
  }
${pages > 1 && html`<span class="quiet">Page ${page} of ${pages}</span>`}</p>
${files.map(file => diffPart(file, view))}
${pagesPart(path, diff, view)}
<p class="row"><a href="${path}/diff">Download the diff</a>
${isCommitted && html`<a href="${path}/patch">Download the patch with its message</a>`}</p>
</section>`
}

function filesSection(frame: PageFrame, { job: { id }, files }: JobShown): Html | null {
  if (files.length === 0) return null
  const path = jobPath(frame, id)
  const more = files.length - SHOWN_FILES
  return html`
<section>
<h2>Files</h2>
<ul class="list">${files.slice(0, SHOWN_FILES).map(
    ({ path: name, bytes }) =>
      html`<li><a href="${path}/files/${encodeURI(name).replace(/[?#]/g, encodeURIComponent)}"><code>${name}</code></a>
<span class="quiet">${count(bytes, 'byte')}</span></li>`,
  )}</ul>
${more > 0 && html`<p class="quiet">and ${count(more, 'more file')}.</p>`}
<p><a href="${path}/archive">Download all as .tar.gz</a></p>
</section>`
}

function actionsPart(frame: PageFrame, { job: { id, status, budget }, events }: JobShown): Html | null {
  if (!frame.mayWrite) return null
  const path = jobPath(frame, id)
  if (!isTerminal(status)) {
    return html`
<form method="post" action="${path}/cancel">${csrfField(frame)}<button type="submit">Cancel</button></form>`
  }
  const names = new Set(stepsOf(events).flatMap(({ name, isStage }) => (isStage ? [] : [name])))
  return html`
<form class="row" method="post" action="${path}/retry">${csrfField(frame)}
<label for="from_step">Start again from</label>
<select id="from_step" name="from_step"><option value="">the beginning</option>
${Array.from(names, name => html`<option value="${name}">${name}</option>`)}</select>
${budget !== null && limitFields(budget)}
<button type="submit">Start again</button></form>`
}

function usagePart({ usage, redactions }: JobAnswer): Html | null {
  const { llm_calls: calls, prompt_tokens: sent, completion_tokens: written, usd } = usage
  if (calls === 0) return null
  const price = usd === null ? '' : `, ${usd} US dollars`
  const hidden = redactions === 0 ? '' : `; ${count(redactions, 'secret')} left out`
  const tokens = `${sent} tokens sent, ${written} written`
  return html`<p class="quiet">${count(calls, 'call')} of a model: ${tokens}${price}${hidden}.</p>`
}

function logPart({ job: { id }, events }: JobShown): Html {
  const isCut = events.length > SHOWN_EVENTS
  return html`
<h2>Log</h2>
<pre class="code text log" tabindex="0">${eventsText(events.slice(-SHOWN_EVENTS), plain)}</pre>
${isCut && html`<p class="quiet">The newest ${SHOWN_EVENTS} rows; all of it: <code>GET /jobs/${id}/events</code>.</p>`}`
}

const nameOf = ({ type, project_name: project }: JobAnswer): string =>
  project === null ? type : `${type} of ${project}`

/** What job it is, and how it stands. */
const titleOf = (job: JobAnswer): string => `${nameOf(job)}: ${job.status}`

const statusPart = (job: JobAnswer): Html => html`
<p role="status" data-title="${documentTitle(titleOf(job))}">
<span class="state ${job.status}">${job.status}</span> ${progressText(job)}</p>
${
  job.error !== null &&
  html`<p role="alert"><code>${job.error.code}</code> ${job.error.message}</p>
<p>${adviceOnPages(job.error.fix ?? '')}</p>`
}`

/** What changes while a job runs, in its order on the page; what has nothing to say is empty. */
export function jobParts(frame: PageFrame, shown: JobShown): Record<string, Html | null> {
  const { job, asked, events } = shown
  const steps = stepsOf(events)
  const isOpen = job.request !== null && asked !== null
  return {
    status: statusPart(job),
    question: isOpen ? questionPart(frame, { jobId: job.id, asked, request: requestOf(job) }) : null,
    result: resultPart(frame, job),
    ...attemptParts(frame, job),
    changes: diffSection(frame, shown),
    files: filesSection(frame, shown),
    steps: steps.length > 0 ? stepsPart(steps) : null,
    log: logPart(shown),
    usage: usagePart(job),
    actions: actionsPart(frame, shown),
  }
}

/** The element of a part, whose content each message replaces. */
export const partId = (name: string): string => `job-${name}`

/** A job from its question to its log; while it runs, the page hears of what changes. */
export function jobPage(frame: PageFrame, shown: JobShown): PageContent {
  const { job, asked } = shown
  const query = new URLSearchParams({
    view: shown.view,
    page: String(shown.diff.page),
    asked: encodeURIComponent(asked ?? NO_QUESTION),
  })
  const live = html`
<div hx-sse:connect="${jobPath(frame, job.id)}/live?${query.toString()}" hx-sse:close="${ENDED}" hx-swap="none"></div>`
  return {
    title: titleOf(job),
    main: html`
<h1>${nameOf(job)}</h1>
<p class="quiet"><code>${job.id}</code>, made ${timePart(job.created_at, 'second')},
<a href="${jobPath(frame, job.id)}/transcript">transcript</a></p>
${!isTerminal(job.status) && live}
<div id="job">
${Object.entries(jobParts(frame, shown)).map(([name, part]) => html`<section id="${partId(name)}">${part}</section>`)}
</div>`,
  }
}
