import type { FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { FaultlineError } from '../../core/errors.ts'
import { FORWARD_HEADER, type ForwardedCaller } from '../../core/node.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Who asked the node that forwarded this request; null for one that came from a client. */
    forwarded: ForwardedCaller | null
  }
}

const notBelieved = (problem: string): FaultlineError =>
  new FaultlineError(
    'UNAUTHORIZED',
    `The header ${FORWARD_HEADER} is not believed: ${problem}.`,
    'Only nodes send it: all need the same CLUSTER_SECRET, NODE_NAMEs of their own, and clocks that agree.',
  )

/**
 * Believes what another node says of a request that it forwarded: who asks, and what that one may do. Without nodes the
 * header means nothing.
 */
export default fp(
  async app => {
    app.decorateRequest('forwarded', null)
    const forwarder = app.services.node.cluster?.forwarder ?? null
    if (forwarder === null) return

    /** @throws {FaultlineError} UNAUTHORIZED: what it says is not believed. */
    const believe = (request: FastifyRequest, reply: FastifyReply, header: string): void => {
      const caller = forwarder.receive(header, { method: request.method, path: request.url })
      if ('problem' in caller) throw notBelieved(caller.problem)
      if (request.routeOptions.config.needsIndexOf === undefined) throw notBelieved('this route is not forwarded')
      request.forwarded = caller
      request.id = caller.requestId
      request.log = app.log.child({ reqId: caller.requestId, from: caller.from })
      reply.header('x-request-id', request.id)
    }

    // takes a callback: a promise would be a turn of the event loop for every request
    app.addHook('onRequest', (request, reply, done) => {
      const header = request.headers[FORWARD_HEADER]
      if (header !== undefined) believe(request, reply, String(header))
      done()
    })
  },
  { name: 'forwarded' },
)
