import type { FastifyReply } from 'fastify'
import { Type } from '../core/type.ts'
import { actorOf } from '../http/actor.ts'
import { SESSION_COOKIE } from '../http/plugins/page-sessions.ts'
import { CsrfToken, PlainForm } from './forms.ts'
import { html } from './html.ts'
import { csrfField, type PageContent, type PageFrame } from './parts/page.ts'
import type { Web, WebApp } from './web.ts'

/** The address of the form that ends a session. */
export const SIGN_OUT = '/ui/sign-out'

const SESSION_SECONDS = 12 * 3_600

const NextField = Type.Optional(Type.String())
const SignInForm = Type.Object(
  { _csrf: CsrfToken, next: NextField, key: Type.String({ minLength: 1, maxLength: 512 }) },
  { additionalProperties: false },
)

/** A longer address would not fit into a request line with its letters escaped. */
const MAX_NEXT = 4_000

/** The address of the form, with the page to go to afterwards. */
export const signInPath = (next: string): string =>
  `/ui/sign-in${next.length > MAX_NEXT ? '' : `?next=${encodeURIComponent(next)}`}`

/** Where a page goes when somebody has signed in: a path of these pages, else the first one. */
const pathAfter = (next = ''): string =>
  next.length <= MAX_NEXT && /^\/ui(?:[/?][\w./?=&%:@+~-]*)?$/.test(next) && !next.includes('/..') ? next : '/ui'

const signInPage = (frame: PageFrame, { next, isWrong }: { next: string; isWrong: boolean }): PageContent => ({
  title: 'Sign in',
  main: html`
<h1>Sign in</h1>
<p>This server asks for an API key. The browser keeps a session of twelve hours, not the key.</p>
${isWrong && html`<p role="alert">The key is not known.</p>`}
<form method="post" action="${frame.prefix}/ui/sign-in">
${csrfField(frame)}
<input type="hidden" name="next" value="${next}">
<label for="key">API key</label>
<input id="key" name="key" type="password" required autocomplete="off">
<button class="main" type="submit">Sign in</button>
</form>`,
})

/** What a form is answered without a session: to go to another page would lose what was written. */
export const sessionEndedPage = (prefix: string): PageContent => ({
  title: 'The session has ended',
  main: html`
<h1>The session has ended</h1>
<p role="alert">Nothing was sent on: this server asks for an API key.</p>
<p><a href="${prefix}/ui/sign-in" target="_blank">Sign in</a> in a new tab. Then go back in this one, which still has \
what you wrote, and send it again.</p>`,
})

/** Signing in with a key, and out. */
export function signInRoutes(app: WebApp, { services, prefix, frameOf, send }: Web): void {
  const options = { path: `${prefix}/ui`, httpOnly: true, sameSite: 'strict' as const, secure: app.isSecure }

  app.get(
    '/ui/sign-in',
    { schema: { hide: true, querystring: Type.Object({ next: NextField }, { additionalProperties: false }) } },
    async (request, reply) => {
      const next = pathAfter(request.query.next)
      if (!app.hasKeys || request.keyName !== null) return reply.redirect(`${prefix}${next}`, 303)
      return send(request, reply, signInPage(frameOf(request, reply), { next, isWrong: false }))
    },
  )

  app.post('/ui/sign-in', { schema: { hide: true, body: SignInForm } }, async (request, reply) => {
    const next = pathAfter(request.body.next)
    const key = app.findKey(request.body.key)
    if (key === null) {
      const refusal = { code: 'UNAUTHORIZED' as const, route: 'POST /ui/sign-in', projectName: null }
      await services.audit.refused(actorOf(request), refusal)
      return send(request, reply.code(401), signInPage(frameOf(request, reply), { next, isWrong: true }))
    }
    // the session before ends also where its key is not known any more
    const token = await services.sessions.begin(key, request.id, request.cookies[SESSION_COOKIE])
    return reply
      .setCookie(SESSION_COOKIE, token, { ...options, maxAge: SESSION_SECONDS })
      .redirect(`${prefix}${next}`, 303)
  })

  app.post(SIGN_OUT, { schema: { hide: true, body: PlainForm } }, async (request, reply): Promise<FastifyReply> => {
    await services.sessions.end(request.cookies[SESSION_COOKIE] ?? '', actorOf(request))
    return reply.clearCookie(SESSION_COOKIE, options).redirect(`${prefix}/ui/sign-in`, 303)
  })
}
