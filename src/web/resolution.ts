import { FixBody } from '../contract/generation.ts'
import { FeedbackBody, ResolutionParams } from '../contract/kept-resolution.ts'
import { ResolveBodySchema, type ResolutionAnswer } from '../contract/resolution.ts'
import { seesProject } from '../core/access.ts'
import { FaultlineError } from '../core/errors.ts'
import type { JsonObject } from '../core/job.ts'
import { NO_TRACE_NOTICE } from '../core/resolution.ts'
import { Type } from '../core/type.ts'
import { actorOf } from '../http/actor.ts'
import { projectOfBody } from '../http/needs-index.ts'
import { refuseLargeText, TEXT_FORM_LIMIT_BYTES } from '../http/text-size.ts'
import { validateBody } from '../http/validate-body.ts'
import { originText } from '../text/origin-text.ts'
import { shortCommit, uncommittedText } from '../text/table.ts'
import { readDiff } from './diffs.ts'
import { commitsRead, readExcerpts, refOf, type CommitsRead } from './excerpts.ts'
import { streamAnswer, wantsStream } from './explain.ts'
import { CsrfToken, PlainForm } from './forms.ts'
import { html, safeUrl, type Html } from './html.ts'
import { answerPart } from './parts/answer.ts'
import { fileAddress } from './parts/code-address.ts'
import { copyButton } from './parts/copy.ts'
import { investigationPart } from './parts/investigation.ts'
import type { PageContent, PageFrame } from './parts/page.ts'
import { explanationPart, feedbackPart, fixPart, resolutionPath } from './parts/resolution-forms.ts'
import { suspectsPart } from './parts/suspects.ts'
import { exceptionPart, headlineOf, sourcesPart, type CodePlace, type CodeShownBy } from './parts/trace.ts'
import { COPIES, resolutionTextPage } from './resolution-text.ts'
import type { Web, WebApp } from './web.ts'

/** All that a page shows of a resolution. */
interface ResolutionShown extends CodeShownBy {
  resolution: ResolutionAnswer
  /** The answer of a model, or why there is none; null where none was asked. */
  written: Html | null
  hasModel: boolean
  hasTrace: boolean
  isThanked: boolean
}

const headPart = (frame: PageFrame, resolution: ResolutionAnswer): Html => {
  const { id, project_name: project, commit, notice } = resolution
  const origin = originText(resolution)
  const path = resolutionPath(frame, id)
  return html`
<h1>${headlineOf(resolution)}</h1>
<p class="quiet"><a href="${frame.prefix}/ui/projects/${encodeURIComponent(project)}">${project}</a>
at <code>${shortCommit(commit)}</code>${uncommittedText(resolution.uncommitted_files)} · <code>${id}</code></p>
${origin !== null && html`<p class="notice">${origin}</p>`}
${notice !== undefined && notice !== NO_TRACE_NOTICE && html`<p class="notice">${notice}</p>`}
<p class="row">Copy:
<a href="${path}/text?as=markdown">as Markdown</a>
<a href="${path}/text?as=prompt">as a prompt for an agent</a>
${copyButton('link', 'the link')}</p>`
}

/** What stands behind an error: its frames with their code, why each piece was chosen, who changed it, the answer. */
function resolutionPage(frame: PageFrame, shown: ResolutionShown): PageContent {
  const { resolution } = shown
  return {
    title: headlineOf(resolution),
    main: html`
${headPart(frame, resolution)}
${explanationPart(frame, resolution, shown)}
${investigationPart(resolution)}
${resolution.exceptions.map(exception => exceptionPart(exception, resolution, shown))}
${sourcesPart(resolution.sources, shown)}
${suspectsPart(frame, resolution)}
${resolution.exceptions.length > 0 && fixPart(frame, resolution, shown)}
${feedbackPart(frame, resolution, shown)}`,
  }
}

const { project_name: projectName, stacktrace } = ResolveBodySchema.properties
const PasteForm = Type.Object(
  { _csrf: CsrfToken, project_name: projectName, stacktrace },
  { additionalProperties: false },
)
const ThanksQuery = Type.Object({ thanks: Type.Optional(Type.Literal('yes')) }, { additionalProperties: false })
const CopyQuery = Type.Object({ as: Type.Enum([...COPIES]) }, { additionalProperties: false })
const Checked = Type.Optional(Type.Literal('yes'))
const FixForm = Type.Object(
  {
    _csrf: CsrfToken,
    command: Type.Optional(Type.String({ maxLength: 10_000 })),
    reproduce: Checked,
    candidates: Type.Optional(Type.String({ pattern: '^[1-5]?$' })),
  },
  { additionalProperties: false },
)
const FeedbackForm = Type.Object(
  {
    _csrf: CsrfToken,
    helpful: Type.Enum(['yes', 'no']),
    comment: Type.Optional(Type.String({ maxLength: 4000 })),
    actual_path: Type.Optional(Type.String({ maxLength: 1000 })),
  },
  { additionalProperties: false },
)
/** A model may take LLM_TIMEOUT_S (at most an hour) and be asked again. */
const HANDLER_TIMEOUT_MS = 3_700_000

const given = (name: string, text: string | undefined): JsonObject =>
  text === undefined || text.trim() === '' ? {} : { [name]: text.trim() }

/** What a person does with one resolution, from the paste box on. */
export function resolutionRoutes(app: WebApp, web: Web): void {
  const { services, prefix, frameOf, send } = web
  const { resolving, resolutions, hasModel } = services
  type Access = Parameters<typeof seesProject>[0]
  const seenBy =
    (access: Access) =>
    (name: string): boolean =>
      seesProject(access, name)

  /** @throws {FaultlineError} NOT_FOUND; PAYLOAD_TOO_LARGE where the text is not kept */
  async function traceOf(id: string, access: Access): Promise<{ trace: string; found: ResolutionAnswer }> {
    const found = await resolutions.get(id, seenBy(access))
    const trace = await resolutions.traceOf(id, seenBy(access))
    if (trace !== null) return { trace, found }
    const message = 'The text of this resolution was too long to be kept.'
    throw new FaultlineError('PAYLOAD_TOO_LARGE', message, 'Paste the part of it around the error on the first page.')
  }

  /** Where more of the code of a resolution is; nothing where it was not committed. */
  async function findPages(frame: PageFrame, project: string, commits: CommitsRead): Promise<CodeShownBy['pagesOf']> {
    const pushed = [...commits.values()].filter(({ uncommittedFiles = 0 }) => uncommittedFiles === 0)
    const sites = new Map(
      await Promise.all(
        pushed.map(async ({ repository, commit }) => {
          const site = await services.findForge({ projectName: project, repository }).catch(() => null)
          return [repository, { site, commit }] as const
        }),
      ),
    )
    return ({ repository, path, line }: CodePlace) => {
      const found = sites.get(repository)
      if (found === undefined) return { file: null, forge: null }
      const { site, commit } = found
      return {
        file: fileAddress(frame, project, { repository, commit, path, line }),
        forge: safeUrl(site?.lineUrl({ commit, file: path, line }) ?? ''),
      }
    }
  }

  async function written(resolution: ResolutionAnswer): Promise<Html | null> {
    const patch = resolution.answer?.patch ?? null
    return answerPart(resolution, patch === null ? null : await readDiff(patch, services))
  }

  app.post(
    '/ui/resolutions',
    {
      bodyLimit: TEXT_FORM_LIMIT_BYTES,
      config: { needsIndexOf: projectOfBody },
      handlerTimeout: HANDLER_TIMEOUT_MS,
      preValidation: async ({ body }) => refuseLargeText(body, 'stacktrace', 'stack trace'),
      schema: { hide: true, body: PasteForm },
    },
    async (request, reply) => {
      const { _csrf: _token, ...pasted } = request.body
      const input = { ...pasted, mode: 'context' as const, detail: 'full' as const }
      const { id } = await resolving.resolve(input, { signal: request.clientSignal })
      return reply.redirect(`${prefix}/ui/resolutions/${id}`, 303)
    },
  )

  app.get(
    '/ui/resolutions/:id',
    { schema: { hide: true, params: ResolutionParams, querystring: ThanksQuery } },
    async (request, reply) => {
      const { id } = request.params
      const resolution = await resolutions.get(id, seenBy(request.access))
      const commits = await commitsRead(resolution, services, request.clientSignal)
      const frame = frameOf(request, reply)
      const [excerpts, pagesOf, answer, trace] = await Promise.all([
        readExcerpts(resolution, commits, services),
        findPages(frame, resolution.project_name, commits),
        written(resolution),
        resolutions.traceOf(id, seenBy(request.access)),
      ])
      const shown = { resolution, excerpts, pagesOf, written: answer, hasModel, hasTrace: trace !== null }
      const isThanked = request.query.thanks === 'yes'
      return send(request, reply, resolutionPage(frame, { ...shown, isThanked }))
    },
  )

  app.get(
    '/ui/resolutions/:id/text',
    { schema: { hide: true, params: ResolutionParams, querystring: CopyQuery } },
    async (request, reply) => {
      const resolution = await resolutions.get(request.params.id, seenBy(request.access))
      return send(request, reply, resolutionTextPage(frameOf(request, reply), resolution, request.query.as))
    },
  )

  app.post(
    '/ui/resolutions/:id/answer',
    { handlerTimeout: HANDLER_TIMEOUT_MS, schema: { hide: true, params: ResolutionParams, body: PlainForm } },
    async (request, reply) => {
      const { trace, found } = await traceOf(request.params.id, request.access)
      const { project_name: project } = found
      const input = { project_name: project, stacktrace: trace, mode: 'answer' as const, ...refOf(found) }
      if (wantsStream(request)) {
        return streamAnswer(resolving, {
          request,
          reply,
          input,
          frame: frameOf(request, reply),
          written,
        })
      }
      const answered = await resolving.resolve(input, { signal: request.clientSignal })
      return reply.redirect(`${prefix}/ui/resolutions/${answered.id}`, 303)
    },
  )

  app.post(
    '/ui/resolutions/:id/investigate',
    { schema: { hide: true, params: ResolutionParams, body: PlainForm } },
    async (request, reply) => {
      const { trace, found } = await traceOf(request.params.id, request.access)
      const body = { project_name: found.project_name, stacktrace: trace, ...refOf(found), investigate: true }
      const input = await services.requests.resolve.complete(body)
      const { job } = await services.jobs.create('resolve', input, actorOf(request))
      return reply.redirect(`${prefix}/ui/jobs/${job.id}`, 303)
    },
  )

  app.post(
    '/ui/resolutions/:id/fix',
    { schema: { hide: true, params: ResolutionParams, body: FixForm } },
    async (request, reply) => {
      const { trace, found } = await traceOf(request.params.id, request.access)
      const { command, reproduce, candidates = '' } = request.body
      const body = {
        project_name: found.project_name,
        stacktrace: trace,
        ...(given('command', command).command === undefined ? {} : { verify: given('command', command) }),
        ...(reproduce === 'yes' ? { reproduce: true } : {}),
        ...(candidates === '' ? {} : { candidates: Number(candidates) }),
      }
      validateBody(request, FixBody, body)
      const input = await services.requests.fix.complete(body as never)
      const { job } = await services.jobs.create('fix', input, actorOf(request))
      return reply.redirect(`${prefix}/ui/jobs/${job.id}`, 303)
    },
  )

  app.post(
    '/ui/resolutions/:id/feedback',
    { schema: { hide: true, params: ResolutionParams, body: FeedbackForm } },
    async (request, reply) => {
      const { id } = request.params
      const { helpful, comment, actual_path: path } = request.body
      const judged = { helpful: helpful === 'yes', ...given('comment', comment), ...given('actual_path', path) }
      validateBody(request, FeedbackBody, judged)
      await resolutions.judge(id, seenBy(request.access), { ...judged, keyName: request.keyName })
      return reply.redirect(`${prefix}/ui/resolutions/${id}?thanks=yes#feedback`, 303)
    },
  )
}
