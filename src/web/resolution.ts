import { ResolutionParams } from '../contract/kept-resolution.ts'
import { ResolveBodySchema, type ResolutionAnswer } from '../contract/resolution.ts'
import { seesProject } from '../core/access.ts'
import { FaultlineError } from '../core/errors.ts'
import { NO_TRACE_NOTICE } from '../core/resolution.ts'
import { Type } from '../core/type.ts'
import { projectOfBody } from '../http/needs-index.ts'
import { refuseLargeText, TEXT_BODY_LIMIT_BYTES } from '../http/text-size.ts'
import { readExcerpts, type Excerpts } from './excerpts.ts'
import { streamAnswer, wantsStream } from './explain.ts'
import { CsrfToken, PlainForm } from './forms.ts'
import { html, type Html } from './html.ts'
import { codePart } from './parts/code.ts'
import { ANSWER_ID, answerPart } from './parts/answer.ts'
import { csrfField, type PageContent, type PageFrame } from './parts/page.ts'
import type { Web, WebApp } from './web.ts'

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
function explanationPart(resolution: ResolutionAnswer, frame: PageFrame & { hasModel: boolean }): Html {
  const { prefix, hasModel, mayWrite } = frame
  const written = answerPart(resolution)
  const action = `${prefix}/ui/resolutions/${resolution.id}/answer`
  const form = html`
<form method="post" action="${action}" hx-post="${action}" hx-target="#${ANSWER_ID}" hx-swap="beforeend">
${csrfField(frame)}
<button type="submit">Explain</button> <span class="quiet">asks the model</span>
</form>`
  return html`
<section>
<h2>Explanation</h2>
<div id="${ANSWER_ID}" aria-live="polite">${written}</div>
${written === null && hasModel && mayWrite && form}
${written === null && !hasModel && html`<p class="quiet">No model is configured: set LLM_BASE_URL and LLM_MODEL.</p>`}
</section>`
}

/** What stands behind an error: its frames with their code, why each piece was chosen, who changed it, the answer. */
function resolutionPage(
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

const { project_name: projectName, stacktrace } = ResolveBodySchema.properties
const PasteForm = Type.Object(
  { _csrf: CsrfToken, project_name: projectName, stacktrace },
  { additionalProperties: false },
)
/** A model may take LLM_TIMEOUT_S (at most an hour) and be asked again. */
const HANDLER_TIMEOUT_MS = 3_700_000

/** What a person does with one resolution, from the paste box on. */
export function resolutionRoutes(app: WebApp, { services, prefix, frameOf, send }: Web): void {
  const { resolving, resolutions, hasModel } = services

  app.post(
    '/ui/resolutions',
    {
      bodyLimit: TEXT_BODY_LIMIT_BYTES,
      config: { needsIndexOf: projectOfBody },
      handlerTimeout: HANDLER_TIMEOUT_MS,
      preValidation: async ({ body }) => refuseLargeText(body, 'stacktrace', 'stack trace'),
      schema: { hide: true, body: PasteForm },
    },
    async (request, reply) => {
      const { _csrf: _token, ...given } = request.body
      const input = { ...given, mode: 'context' as const, detail: 'full' as const }
      const { id } = await resolving.resolve(input, { signal: request.clientSignal })
      return reply.redirect(`${prefix}/ui/resolutions/${id}`, 303)
    },
  )

  app.get('/ui/resolutions/:id', { schema: { hide: true, params: ResolutionParams } }, async (request, reply) => {
    const found = await resolutions.get(request.params.id, name => seesProject(request.access, name))
    const frame = { ...frameOf(request, reply), hasModel }
    return send(request, reply, resolutionPage(frame, found, await readExcerpts(found, services)))
  })

  app.post(
    '/ui/resolutions/:id/answer',
    { handlerTimeout: HANDLER_TIMEOUT_MS, schema: { hide: true, params: ResolutionParams, body: PlainForm } },
    async (request, reply) => {
      const { id } = request.params
      const sees = (name: string): boolean => seesProject(request.access, name)
      const { project_name: project, commit } = await resolutions.get(id, sees)
      const trace = await resolutions.traceOf(id, sees)
      if (trace === null) {
        const message = 'The text of this resolution was too long to be kept.'
        throw new FaultlineError('PAYLOAD_TOO_LARGE', message, 'Post it again, with "mode": "answer".')
      }
      const input = { project_name: project, stacktrace: trace, mode: 'answer' as const, ref: commit }
      if (wantsStream(request)) return streamAnswer(resolving, { request, reply, input })
      const answered = await resolving.resolve(input, { signal: request.clientSignal })
      return reply.redirect(`${prefix}/ui/resolutions/${answered.id}`, 303)
    },
  )
}
