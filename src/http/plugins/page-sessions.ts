import cookies from '@fastify/cookie'
import type { FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import type { ApiKeys } from './api-keys.ts'

/** The cookie of the pages: what the browser of somebody who is signed in holds. */
export const SESSION_COOKIE = 'faultline_session'

const PAGE_PATH = /^\/ui(?:\/|$)/

/** Whether a route is one of the pages, which alone take a cookie: no other site can have one sent to the others. */
const isPage = ({ routeOptions: { url } }: FastifyRequest): boolean => PAGE_PATH.test(url ?? '')

/**
 * Finds out who is signed in to the pages. A session stands for its key, with what that key may do now: one that is
 * not configured any more opens nothing, and neither does a new one of the same name.
 */
export default fp<{ apiKeys: ApiKeys }>(
  async (app, { apiKeys }) => {
    if (apiKeys.length === 0) return
    app.addHook('onRequest', async request => {
      if (request.keyName !== null || request.forwarded !== null || !isPage(request)) return
      const token = cookies.fastifyCookie.parse(request.headers.cookie ?? '')[SESSION_COOKIE]
      if (token === undefined) return
      const key = await app.services.sessions.keyOf(token, apiKeys)
      if (key === null) return
      request.keyName = key.name
      request.access = key.access
    })
  },
  { name: 'page-sessions', dependencies: ['api-keys'] },
)
