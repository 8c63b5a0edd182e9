import fp from 'fastify-plugin'
import { FaultlineError } from '../../core/errors.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /**
     * Fires when the exchange is over, be it that the client has gone, and when the server stops and the answer is not
     * there soon; the reason is then the error to answer with. Fastify's own `request.signal` follows the close of the
     * incoming stream, which a request with a body reaches as soon as the body was read.
     */
    clientSignal: AbortSignal
  }
  interface FastifyInstance {
    /** How many requests wait for their answers, or for the rest of them. */
    requestsUnderWay(): number
  }
}

/** Time for answers that are nearly there; shorter than the time after which connections are cut. */
const ANSWER_GRACE_MS = 1000

/** One for all: to make an error takes longer than all else here. */
const OVER = new FaultlineError('CANCELLED', 'The exchange is over.')
const stopping = () =>
  new FaultlineError('SHUTTING_DOWN', 'The server is stopping.', 'Send the request again in a few seconds.')

export default fp(
  async app => {
    const { closing } = app.services
    const open = new Set<AbortController>()
    closing.addEventListener(
      'abort',
      () => {
        setTimeout(() => {
          for (const controller of open) controller.abort(stopping())
        }, ANSWER_GRACE_MS).unref()
      },
      { once: true },
    )

    app.decorate('requestsUnderWay', () => open.size)
    app.decorateRequest('clientSignal')
    app.addHook('onRequest', async (request, reply) => {
      if (closing.aborted) {
        reply.header('connection', 'close')
        throw stopping()
      }
      const controller = new AbortController()
      request.clientSignal = controller.signal
      open.add(controller)
      reply.raw.once('close', () => {
        open.delete(controller)
        controller.abort(OVER)
      })
    })
  },
  { name: 'client-signal' },
)
