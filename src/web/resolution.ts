import type { ResolutionAnswer } from '../contract/resolution.ts'
import { NO_TRACE_NOTICE } from '../core/resolution.ts'
import type { Excerpts } from './excerpts.ts'
import { html, type Html } from './html.ts'
import { codePart } from './parts/code.ts'
import { ANSWER_ID, answerPart } from './parts/answer.ts'
import type { PageContent, PageFrame } from './parts/page.ts'

type Exception = ResolutionAnswer['exceptions'][number]
type Frame = ResolutionAnswer['frames'][number]
type Source = ResolutionAnswer['sources'][number]

/** Frames whose code is open at first: the nearest ones. */
const OPEN_FRAMES = 3
const SHORT_COMMIT = 10

const titleOf = ({ type, message }: Exception): string =>
  [type, message].filter(part => part !== null && part !== '').join(': ') || 'An error'

const placeOf = ({ path, file, code_line: codeLine, line }: Frame): string =>
  `${path ?? file ?? '(no file)'}:${codeLine ?? line ?? '?'}`

/** What broke and where, in one line. */
function headlineOf({ exceptions, frames }: ResolutionAnswer): string {
  const [last] = exceptions.slice(-1)
  if (last === undefined) return 'No stack trace was found in the text'
  const failing = frames.findLast(frame => frame.in_project && frame.path !== null)
  return failing === undefined ? titleOf(last) : `${titleOf(last)} in ${placeOf(failing)}`
}

function frameItem(frame: Frame, { excerpts, isOpen }: { excerpts: Excerpts; isOpen: boolean }): Html {
  const { function: name, why, in_project: isOwn, repeat } = frame
  const times = repeat > 1 ? ` (${repeat} times)` : ''
  const head = html`<code>${placeOf(frame)}</code> in <code>${name ?? '(top level)'}</code>${times}
<span class="quiet">${why}</span>`
  const code = excerpts.get(frame)
  if (code === undefined) return html`<li class="${isOwn ? 'own' : 'other'}">${head}</li>`
  const openNow = isOpen && html` open`
  return html`<li class="own"><details${openNow}><summary>${head}</summary>${codePart(code)}</details></li>`
}

function exceptionPart(exception: Exception, { frames }: ResolutionAnswer, excerpts: Excerpts): Html {
  const own = frames.filter(frame => frame.exception === exception.index)
  const withCode = own.filter(frame => frame.in_project && frame.path !== null)
  const open = new Set(withCode.slice(-OPEN_FRAMES))
  return html`
<section>
<h2>${titleOf(exception)}</h2>
<ol class="frames">${own.map(frame => frameItem(frame, { excerpts, isOpen: open.has(frame) }))}</ol>
</section>`
}

function sourcePart(source: Source, excerpts: Excerpts): Html {
  const { path, start_line: start, end_line: end, reason, why, symbol } = source
  const code = excerpts.get(source)
  const head = html`<code>${path}:${start}-${end}</code> ${symbol !== null && html`<code>${symbol}</code>`}
<span class="reason">${reason}</span> <span class="quiet">${why}</span>`
  return code === undefined
    ? html`<li>${head}</li>`
    : html`<li><details><summary>${head}</summary>${codePart(code)}</details></li>`
}

const suspectsPart = ({ suspect_commits: suspects, suspects_status: status }: ResolutionAnswer): Html => html`
<section>
<h2>Suspect commits</h2>
${status === 'pending' && html`<p>Who changed these lines is still being looked up. Load the page again soon.</p>`}
${status === 'timed_out' && html`<p>The time was up; there may be others.</p>`}
${suspects.length === 0 && status === 'ok' && html`<p class="quiet">None.</p>`}
${status === 'shallow_history' && html`<p class="quiet">The history of the repository is not here yet.</p>`}
<ul class="list">${suspects.map(
  ({ commit, author, date, summary, why }) => html`
<li><code>${commit.slice(0, SHORT_COMMIT)}</code> ${summary}
<span class="quiet">${author}, <time datetime="${date}">${date.slice(0, 10)}</time>; ${why}</span></li>`,
)}</ul>
</section>`

/** What asks for an explanation: with a script it streams into the page, without one it becomes a page of its own. */
function explanationPart(resolution: ResolutionAnswer, { prefix, hasModel }: PageFrame & { hasModel: boolean }): Html {
  const written = answerPart(resolution)
  const action = `${prefix}/ui/resolutions/${resolution.id}/answer`
  const form = html`
<form method="post" action="${action}" hx-post="${action}" hx-target="#${ANSWER_ID}" hx-swap="beforeend">
<button type="submit">Explain</button> <span class="quiet">asks the model</span>
</form>`
  return html`
<section>
<h2>Explanation</h2>
<div id="${ANSWER_ID}" aria-live="polite">${written}</div>
${written === null && hasModel && form}
${written === null && !hasModel && html`<p class="quiet">No model is configured: set LLM_BASE_URL and LLM_MODEL.</p>`}
</section>`
}

/** What stands behind an error: its frames with their code, why each piece was chosen, who changed it, the answer. */
export function resolutionPage(
  frame: PageFrame & { hasModel: boolean },
  resolution: ResolutionAnswer,
  excerpts: Excerpts,
): PageContent {
  const { id, exceptions, sources, notice, project_name: project, commit } = resolution
  const headline = headlineOf(resolution)
  return {
    title: headline,
    main: html`
<h1>${headline}</h1>
<p class="quiet">${project} at <code>${commit.slice(0, SHORT_COMMIT)}</code> · <code>${id}</code></p>
${notice !== undefined && notice !== NO_TRACE_NOTICE && html`<p class="notice">${notice}</p>`}
${explanationPart(resolution, frame)}
${exceptions.map(exception => exceptionPart(exception, resolution, excerpts))}
<section>
<h2>Sources</h2>
<ul class="list sources">${sources.map(source => sourcePart(source, excerpts))}</ul>
</section>
${suspectsPart(resolution)}`,
  }
}
