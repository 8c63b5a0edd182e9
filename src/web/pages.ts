import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import cookies from '@fastify/cookie'
import csrf from '@fastify/csrf-protection'
import formBody from '@fastify/formbody'
import staticFiles from '@fastify/static'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { FaultlineError } from '../core/errors.ts'
import { toProblem } from '../http/plugins/problems.ts'
import { TEXT_BODY_LIMIT_BYTES } from '../http/text-size.ts'
import { activityRoutes } from './activity.ts'
import { attemptRoutes } from './attempt.ts'
import { wantsStream } from './explain.ts'
import { homeRoutes } from './home.ts'
import { jobRoutes } from './job.ts'
import { jobListRoutes } from './jobs.ts'
import { page, type PageFrame } from './parts/page.ts'
import { problemLine, problemPart } from './parts/problem.ts'
import { projectRoutes } from './project.ts'
import { resolutionRoutes } from './resolution.ts'
import { sessionEndedPage, SIGN_OUT, signInPath, signInRoutes } from './sign-in.ts'
import { suspectRoutes } from './suspect.ts'
import { transcriptRoutes } from './transcript.ts'
import type { Web, WebApp } from './web.ts'

const ASSETS = join(import.meta.dirname, '..', '..', 'assets')

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

const HTML = 'text/html; charset=utf-8'
const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS'])

/** The cookie that forms are checked with; `cluster/forwarding` knows it by this name, too. */
const FORM_COOKIE = '_csrf'
/** Far longer than a session: who signs in again in another tab can still send what he has written in this one. */
const FORM_SECONDS = 7 * 24 * 3_600

const formCookieOptions = ({ isSecure }: WebApp, prefix: string) =>
  ({ path: `${prefix}/ui`, httpOnly: true, sameSite: 'strict', secure: isSecure, maxAge: FORM_SECONDS }) as const

/** What a form has to show. The cookie is renewed with each page, or it would end while pages are open. */
function csrfFor(
  { cookies }: FastifyRequest,
  reply: FastifyReply,
  options: ReturnType<typeof formCookieOptions>,
): string {
  const secret = cookies[FORM_COOKIE] ?? ''
  if (secret !== '') reply.setCookie(FORM_COOKIE, secret, options)
  return reply.generateCsrf()
}

const SESSION_ENDED = 'The session has ended: sign in again, in another tab, and load this page anew.'

/**
 * Whether a page asks for a part of itself. It would take the sign-in page for that part, and for the end of a stream,
 * after which it asks again at once; it waits longer each time after a 401.
 */
const isForPart = (request: FastifyRequest): boolean => request.headers['hx-request'] === 'true' || wantsStream(request)

/** Whether cookies were read, which comes after the checks that hold for all routes. */
const hasCookies = ({ cookies }: { cookies: FastifyRequest['cookies'] | null }): boolean => cookies !== null

/** An address without the slashes at its end, which people type; null where it has none. */
function withoutSlash(url: string): string | null {
  const [, path, query = ''] = /^(\/ui(?:\/[^?]*[^/?])?)\/+(\?.*)?$/.exec(url) ?? []
  return path === undefined ? null : `${path}${query}`
}

function setPageHeaders(reply: FastifyReply): void {
  reply.header('content-security-policy', PAGE_POLICY)
  reply.header('referrer-policy', 'same-origin') // with none at all, forms would be sent with the origin `null`
}

/** Headers of pages, and what a form has to show to change something. */
async function protect(app: WebApp, prefix: string): Promise<void> {
  app.addHook('onRequest', async (request, reply) => {
    if (request.url.startsWith('/ui')) setPageHeaders(reply) // `/` leads browsers here, and is no page for others
    const address = SAFE_METHODS.has(request.method) ? withoutSlash(request.url) : null
    return address === null ? undefined : reply.redirect(`${prefix}${address}`, 303)
  })
  await app.register(cookies)
  await app.register(csrf, {
    cookieKey: FORM_COOKIE,
    cookieOpts: formCookieOptions(app, prefix),
    getToken: ({ body }) => (body as { _csrf?: string } | undefined)?._csrf,
  })
  // before another node gets it, which takes our word for it; no browser sends a bearer for the form of another site
  app.addHook('preValidation', (request, reply, done) => {
    const isOurs = request.forwarded !== null || /^Bearer /i.test(request.headers.authorization ?? '')
    if (SAFE_METHODS.has(request.method) || isOurs) return done()
    app.csrfProtection(request, reply, done)
  })
}

const pages: FastifyPluginAsyncTypebox = async app => {
  const { services, pathPrefix: prefix } = app
  await protect(app, prefix)
  const cookieOptions = formCookieOptions(app, prefix)

  /** One for each answer: a second token would be for another cookie. */
  const frames = new WeakMap<FastifyReply, PageFrame>()
  function frameOf(request: FastifyRequest, reply: FastifyReply): PageFrame {
    const { keyName, access } = request
    const known = frames.get(reply)
    if (known !== undefined) return known
    // refused before its cookies were read: whoever asks can change nothing from there, not even sign out
    const frame = hasCookies(request)
      ? { prefix, csrf: csrfFor(request, reply, cookieOptions), keyName, mayWrite: access.mayWrite }
      : { prefix, csrf: '', keyName: null, mayWrite: false }
    frames.set(reply, frame)
    return frame
  }
  const web: Web = {
    services,
    prefix,
    frameOf,
    send: (request, reply, content) =>
      reply
        .type(HTML)
        .serializer(body => String(body))
        .send(page(frameOf(request, reply), content).toString()),
  }

  app.setErrorHandler((error, request, reply) => {
    setPageHeaders(reply) // what the checks refuse that hold for all routes has none yet
    const problem = toProblem(error, request)
    if (problem.code === 'UNAUTHORIZED') {
      if (isForPart(request)) return reply.code(401).type('text/plain; charset=utf-8').send(SESSION_ENDED)
      const isLeaving = request.routeOptions.url === SIGN_OUT // which has happened
      const isForm = !SAFE_METHODS.has(request.method)
      if (isForm && !isLeaving) return web.send(request, reply.code(401), sessionEndedPage(prefix))
      return reply.redirect(`${prefix}${signInPath(isLeaving ? '/ui' : request.url)}`, 303)
    }
    if (request.headers['hx-request'] === 'true') {
      return reply.code(problem.status).type(HTML).serializer(String).send(problemLine(problem).toString())
    }
    return web.send(request, reply.code(problem.status), { title: problem.title, main: problemPart(problem) })
  })
  await app.register(formBody, { bodyLimit: TEXT_BODY_LIMIT_BYTES })
  const htmx = dirname(createRequire(import.meta.url).resolve('htmx.org'))
  await app.register(staticFiles, { root: htmx, prefix: '/ui/htmx/', index: false, decorateReply: false })
  await app.register(staticFiles, { root: ASSETS, prefix: '/ui/assets/', index: false, decorateReply: false })
  // what is typed wrong, and addresses that only take forms, which a browser shows after a form was refused
  app.get('/ui/*', { schema: { hide: true } }, async () => {
    throw new FaultlineError('NOT_FOUND', 'There is no page at this address.', 'Begin at the first page.')
  })
  homeRoutes(app, web)
  resolutionRoutes(app, web)
  suspectRoutes(app, web)
  jobListRoutes(app, web)
  jobRoutes(app, web)
  attemptRoutes(app, web)
  transcriptRoutes(app, web)
  projectRoutes(app, web)
  activityRoutes(app, web)
  signInRoutes(app, web)
}

export default pages
