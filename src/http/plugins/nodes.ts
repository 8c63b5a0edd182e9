import { createHash } from 'node:crypto'
import type { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { FaultlineError } from '../../core/errors.ts'
import { NODE_HEADER, TAKEN_HEADER, type ClusterNode } from '../../core/node.ts'
import { isOpen } from '../route-access.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The bytes of the body as they came, where another node may have to answer. */
    sentBody: BodyCopy | null
  }
}

/** What a node that only runs jobs answers. */
const OF_EVERY_NODE = new Set(['/health', '/ready', '/metrics', '/cluster'])
const EMPTY = createHash('sha256').digest('hex')

/** The bytes of a body, as they pass by. */
class BodyCopy {
  readonly #chunks: Buffer[] = []

  /** @param body - Is paused: whoever reads it lets it flow. */
  constructor(body: Readable) {
    body.pause()
    body.on('data', (chunk: Buffer) => this.#chunks.push(chunk))
  }

  bytes(): Buffer {
    return Buffer.concat(this.#chunks)
  }
}

const sha256Of = ({ sentBody }: FastifyRequest): string =>
  sentBody === null ? EMPTY : createHash('sha256').update(sentBody.bytes()).digest('hex')

const notHere = (detail: string, fix: string): FaultlineError => new FaultlineError('NOT_SERVED_HERE', detail, fix)

/** @throws {FaultlineError} UNAUTHORIZED: the body is another one than the first node signed. */
function requireSigned(request: FastifyRequest): void {
  if (request.forwarded === null || request.forwarded.bodySha256 === sha256Of(request)) return
  throw new FaultlineError('UNAUTHORIZED', 'The body is not the one that the other node signed.')
}

/**
 * So that a request makes one job, though this node answers it after another one may have begun to: both use the same
 * idempotency key.
 */
function nameOnce({ method, headers, id }: FastifyRequest): void {
  if (method !== 'GET' && method !== 'HEAD') headers['idempotency-key'] ??= `forwarded-${id}`
}

/**
 * Among several nodes: a request that needs an index goes to the node that keeps it, which gets to know who asked. It
 * is answered here when that one cannot be reached, does not take it, or dies before its answer begins. A node that
 * only runs jobs answers nothing but how it is.
 */
export default fp(
  async app => {
    const { node } = app.services
    const { cluster } = node
    if (cluster === null) return
    const { forwarder, hasIndex } = cluster
    const answersRequests = node.roles.includes('http')
    app.decorateRequest('sentBody', null)

    // hooks that seldom wait take a callback: each promise is a turn of the event loop for every request
    app.addHook('onRequest', (request, reply, done) => {
      const isKnown = request.keyName !== null || request.forwarded !== null || !isOpen(request)
      if (isKnown) reply.header(NODE_HEADER, node.name)
      if (answersRequests || request.is404 || OF_EVERY_NODE.has(request.routeOptions.url ?? '')) return done()
      done(notHere('This node runs jobs and answers no requests (ROLE=worker).', 'Ask a node with the role http.'))
    })

    if (forwarder === null) return
    app.addHook('preParsing', (request, _reply, payload, done) => {
      // not through a stream of its own, which takes longer than most answers
      if (request.routeOptions.config.needsIndexOf !== undefined) request.sentBody = new BodyCopy(payload)
      done(null, payload)
    })

    /** @returns Whether the other node answered. */
    async function forward(request: FastifyRequest, reply: FastifyReply, to: ClusterNode): Promise<boolean> {
      nameOnce(request)
      const { method, url: path, keyName, access, ip, id: requestId, headers, clientSignal: signal } = request
      const body = request.sentBody?.bytes() ?? null
      const answer = await forwarder?.send(to, {
        ...{ method, path, keyName, access, ip, requestId, headers, signal },
        body: body === null || body.length === 0 ? null : body,
        bodySha256: sha256Of(request),
        timeoutMs: request.routeOptions.handlerTimeout ?? 0,
      })
      request.sentBody = null
      if (answer === null || answer === undefined) return false // this node answers
      reply.code(answer.status).headers(answer.headers).send(answer.body)
      return true
    }

    /** Takes a request that another node forwarded. @throws {FaultlineError} NOT_SERVED_HERE: it answers it itself. */
    async function take(reply: FastifyReply, project: string): Promise<void> {
      if (!(await hasIndex(project))) {
        throw notHere(`This node has no index of the project ${JSON.stringify(project)}.`, 'Answer it yourself.')
      }
      reply.header(TAKEN_HEADER, '1')
    }

    /** Whether this node is to answer. @throws What the answer of another node could not begin with. */
    function answersHere(request: FastifyRequest, reply: FastifyReply): boolean | Promise<boolean> {
      const project = request.routeOptions.config.needsIndexOf?.(request) ?? null
      requireSigned(request)
      if (project === null) return true
      if (request.forwarded !== null) return take(reply, project).then(() => true)
      const target = forwarder?.targetFor(project) ?? null
      if (target !== null) return forward(request, reply, target).then(isAnswered => !isAnswered)
      request.sentBody = null // as large as the body, and of no more use
      return true
    }

    // what the key may do was checked; the other node checks it again
    app.addHook('preHandler', (request, reply, done) => {
      const here = answersHere(request, reply)
      if (here === true) return done()
      if (here !== false) here.then(isHere => isHere && done(), done)
    })
  },
  { name: 'nodes', dependencies: ['access', 'forwarded'] },
)
