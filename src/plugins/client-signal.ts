import fp from 'fastify-plugin'

declare module 'fastify' {
  interface FastifyRequest {
    /**
     * Fires when the exchange is over, be it that the client has gone. Fastify's own `request.signal` follows the close of the
     * incoming stream, which a request with a body reaches as soon as the body was read.
     */
    clientSignal: AbortSignal
  }
}

export default fp(async (app) => {
  app.decorateRequest('clientSignal')
  app.addHook('onRequest', async (request, reply) => {
    const controller = new AbortController()
    request.clientSignal = controller.signal
    reply.raw.once('close', () => controller.abort())
  })
}, { name: 'client-signal' })
