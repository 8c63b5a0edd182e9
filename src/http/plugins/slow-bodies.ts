import fp from 'fastify-plugin'
import { handleClientError } from './problems.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether the body may be so large that it takes minutes to come; the handler watches over it. */
    takesLongBody?: boolean
  }
}

/** Time for a whole request to arrive. */
const ARRIVAL_MS = 30_000

/** Cuts off clients that take too long to send a body, but where one may be large: Node knows one limit for all. */
export default fp<{ arrivalMs?: number }>(
  async (app, { arrivalMs = ARRIVAL_MS }) => {
    app.addHook('onRequest', async ({ raw, routeOptions }, reply) => {
      if (raw.complete || routeOptions.config.takesLongBody === true) return
      if (raw.headers['content-length'] === undefined && raw.headers['transfer-encoding'] === undefined) return
      const late = (): void => {
        // what was answered has a rest that nobody reads
        if (reply.raw.headersSent) raw.destroy()
        else handleClientError(Object.assign(new Error('slow'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' }), raw.socket)
      }
      const timer = setTimeout(late, arrivalMs).unref()
      raw.once('end', () => clearTimeout(timer)).once('close', () => clearTimeout(timer))
    })
  },
  { name: 'slow-bodies' },
)
