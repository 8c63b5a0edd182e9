import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import formBody from '@fastify/formbody'
import staticFiles from '@fastify/static'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { ResolutionParams } from '../contract/kept-resolution.ts'
import { ResolutionSchema, ResolveBodySchema, type ResolveInput } from '../contract/resolution.ts'
import { toWire } from '../contract/wire.ts'
import { seesProject } from '../core/access.ts'
import { FaultlineError } from '../core/errors.ts'
import { Type } from '../core/type.ts'
import { projectOfBody } from '../http/needs-index.ts'
import { toProblem } from '../http/plugins/problems.ts'
import { refuseLargeText, TEXT_BODY_LIMIT_BYTES } from '../http/text-size.ts'
import { readExcerpts } from './excerpts.ts'
import { homePage } from './home.ts'
import { html, type Part } from './html.ts'
import { ANSWER_ID, answerPart } from './parts/answer.ts'
import { page, type PageContent } from './parts/page.ts'
import { problemPart } from './parts/problem.ts'
import { resolutionPage } from './resolution.ts'
import type { Resolving } from '../services/resolving.ts'

const ASSETS = join(import.meta.dirname, '..', '..', 'assets')
const SHOWN_PROJECTS = 100
const SHOWN_RESOLUTIONS = 20
/** A model may take LLM_TIMEOUT_S (at most an hour) and be asked again. */
const HANDLER_TIMEOUT_MS = 3_700_000

/** Nothing but what comes from here, and no script or style within a page. */
const PAGE_POLICY = [
  "default-src 'none'",
  "style-src 'self'",
  "script-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

const wantsStream = ({ headers }: FastifyRequest): boolean => /\btext\/event-stream\b/.test(headers.accept ?? '')

/** The model's words as they come, as pieces of markup; at the end the whole in their place. */
async function streamAnswer(
  resolving: Resolving,
  { request, reply, input }: { request: FastifyRequest; reply: FastifyReply; input: ResolveInput },
): Promise<void> {
  const stream = reply.openEventStream()
  const replace = (part: Part): void =>
    stream.sendText(html`<div hx-swap-oob="innerHTML:#${ANSWER_ID}">${part}</div>`.toString())
  try {
    const resolution = await resolving.resolve(input, {
      signal: request.clientSignal,
      onToken: text => stream.sendText(html`<span>${text}</span>`.toString()),
      onRestart: () => replace(null),
    })
    replace(answerPart(toWire(ResolutionSchema, resolution)))
  } catch (error) {
    replace(html`<p role="alert">${toProblem(error, request).detail}</p>`)
  } finally {
    stream.end()
  }
}

const { project_name: projectName, stacktrace } = ResolveBodySchema.properties
const PasteForm = Type.Object({ project_name: projectName, stacktrace }, { additionalProperties: false })

const pages: FastifyPluginAsyncTypebox = async app => {
  const { services, pathPrefix } = app

  const send = (reply: FastifyReply, content: PageContent): FastifyReply =>
    reply
      .type('text/html; charset=utf-8')
      .serializer(body => String(body))
      .send(page({ prefix: pathPrefix }, content).toString())

  app.addHook('onRequest', async (_request, reply) => {
    reply.header('content-security-policy', PAGE_POLICY)
    reply.header('referrer-policy', 'same-origin') // with none at all, forms would be sent with the origin `null`
  })
  app.setErrorHandler((error, request, reply) => {
    const problem = toProblem(error, request)
    return send(reply.code(problem.status), { title: problem.title, main: problemPart(problem) })
  })
  await app.register(formBody, { bodyLimit: TEXT_BODY_LIMIT_BYTES })
  const htmx = dirname(createRequire(import.meta.url).resolve('htmx.org'))
  await app.register(staticFiles, { root: htmx, prefix: '/ui/htmx/', index: false, decorateReply: false })
  await app.register(staticFiles, { root: ASSETS, prefix: '/ui/assets/', index: false, decorateReply: false })

  app.get('/', { schema: { hide: true } }, async (request, reply) => {
    if (request.accepts().type(['json', 'html']) !== 'html') return reply.callNotFound()
    return reply.redirect(`${pathPrefix}/ui`, 303)
  })

  app.get('/ui', { schema: { hide: true } }, async ({ access }, reply) => {
    const { projects } = await services.projects.list(SHOWN_PROJECTS, null, access)
    const filter = { projectNames: access.projects, fingerprint: undefined, withFeedback: false }
    const resolutions = await services.resolutions.list(filter, SHOWN_RESOLUTIONS, null)
    return send(reply, homePage({ prefix: pathPrefix }, { projects, resolutions }))
  })

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
      const input = { ...request.body, mode: 'context' as const, detail: 'full' as const }
      const { id } = await services.resolving.resolve(input, { signal: request.clientSignal })
      return reply.redirect(`${pathPrefix}/ui/resolutions/${id}`, 303)
    },
  )

  app.post(
    '/ui/resolutions/:id/answer',
    {
      handlerTimeout: HANDLER_TIMEOUT_MS,
      schema: { hide: true, params: ResolutionParams },
    },
    async (request, reply) => {
      const { id } = request.params
      const sees = (name: string): boolean => seesProject(request.access, name)
      const { project_name: project, commit } = await services.resolutions.get(id, sees)
      const trace = await services.resolutions.traceOf(id, sees)
      if (trace === null) {
        throw new FaultlineError('PAYLOAD_TOO_LARGE', 'The text of this resolution was too long to be kept.')
      }
      const input = { project_name: project, stacktrace: trace, mode: 'answer' as const, ref: commit }
      if (!wantsStream(request)) {
        const resolution = await services.resolving.resolve(input, { signal: request.clientSignal })
        return reply.redirect(`${pathPrefix}/ui/resolutions/${resolution.id}`, 303)
      }
      return streamAnswer(services.resolving, { request, reply, input })
    },
  )

  app.get(
    '/ui/resolutions/:id',
    { schema: { hide: true, params: ResolutionParams } },
    async ({ params, access }, reply) => {
      const found = await services.resolutions.get(params.id, name => seesProject(access, name))
      return send(
        reply,
        resolutionPage({ prefix: pathPrefix, hasModel: services.hasModel }, found, await readExcerpts(found, services)),
      )
    },
  )
}

export default pages
