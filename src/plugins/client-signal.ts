import fp from 'fastify-plugin'
import { FaultlineError } from '../core/errors.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /**
     * Fires when the exchange is over, be it that the client has gone, and when the server stops and the answer is not there soon; the
     * reason is then the error to answer with. Fastify's own `request.signal` follows the close of the incoming stream, which a request
     * with a body reaches as soon as the body was read.
     */
    clientSignal: AbortSignal
  }
}

/** Time for answers that are nearly there; shorter than the time after which connections are cut. */
const ANSWER_GRACE_MS = 1000

export default fp(async (app) => {
  const { closing } = app.services
  const tooLate = new AbortController()
  closing.addEventListener('abort', () => {
    setTimeout(() => tooLate.abort(stopping()), ANSWER_GRACE_MS).unref()
  }, { once: true })

  app.decorateRequest('clientSignal')
  app.addHook('onRequest', async (request, reply) => {
    if (closing.aborted) {
      reply.header('connection', 'close')
      throw stopping()
    }
    const controller = new AbortController()
    request.clientSignal = AbortSignal.any([controller.signal, tooLate.signal])
    reply.raw.once('close', () => controller.abort())
  })
}, { name: 'client-signal' })

const stopping = () => new FaultlineError('SHUTTING_DOWN', 'The server is stopping.', 'Send the request again in a few seconds.')
