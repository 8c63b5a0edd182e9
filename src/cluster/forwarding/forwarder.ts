import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import { Agent, request as send } from 'undici'
import { TAKEN_HEADER, FORWARD_HEADER, type ClusterNode, type ForwardedCaller } from '../../core/node.ts'
import type { NodeRegistry } from '../nodes/registry.ts'
import { Owners } from '../rendezvous.ts'
import { BusyProjects } from './busy-projects.ts'
import { readForward, SeenRequests, signForward, type ForwardedRequest } from './signature.ts'

/**
 * How forwarding a request went: `answered`; `unreachable`: the node did not answer; `refused`: it did not take the
 * request; `gone`: it died before it answered; `cut`: after it had begun to.
 */
export type ForwardResult = 'answered' | 'unreachable' | 'refused' | 'gone' | 'cut'

/** What the forwarder is made of. */
interface ForwarderOptions {
  registry: Pick<NodeRegistry, 'own' | 'alive' | 'onLook'>
  /** The CLUSTER_SECRET. */
  secret: string
  /** Brings the index of a project to this node; whether it is here then. */
  hasIndex: (projectName: string) => Promise<boolean>
  /** Counts how each request went. */
  onResult?: (result: ForwardResult) => void
  /** How long a connection may take to come about. */
  connectTimeoutMs?: number
  /** How long an answer that has begun may stand still; event streams send a comment every 15 s. */
  stallMs?: number
}

/** A request, as it goes to another node. */
interface OutgoingRequest extends Omit<ForwardedRequest, 'from' | 'to'> {
  /** The client's; those that matter are taken over. */
  headers: IncomingHttpHeaders
  body: Buffer | null
  /** Fires when the client has gone. */
  signal: AbortSignal
  /** How long the other node may take until its answer begins. */
  timeoutMs: number
}

/** The answer of another node. */
interface ForwardedAnswer {
  status: number
  headers: IncomingHttpHeaders
  body: Readable
}

const CONNECT_TIMEOUT_MS = 1_000
const STALL_MS = 45_000
/** Shorter than the time after which a node closes a connection that it does not use. */
const KEEP_ALIVE_MS = 4_000

/** What the other node is told of a request beside who sent it; the rest is of the connection with the client. */
const TAKEN_OVER = [
  'accept',
  'accept-language',
  'content-type',
  'idempotency-key',
  'last-event-id',
  'prefer',
  'user-agent',
]
/**
 * The one cookie that goes along: with what the forms of the browser are checked. Without it the other node would make
 * a new one, and the forms in all open pages would fail. Who is signed in was found out here; it does not travel.
 */
const FORM_COOKIE = /(?:^|;) *(_csrf=[^;]+)/
/** What an answer says of one connection; RFC 9110, 7.6.1. */
const OF_THE_CONNECTION = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  TAKEN_HEADER,
])

const NOBODY: readonly ClusterNode[] = []

/** The node died. */
const GONE = new Error('The node that was asked is not alive any more.')

function headersOf({ headers }: OutgoingRequest): Record<string, string> {
  const taken = TAKEN_OVER.flatMap(name => {
    const value = headers[name]
    return typeof value === 'string' ? [[name, value]] : []
  })
  const cookie = FORM_COOKIE.exec(headers.cookie ?? '')?.[1]
  return { ...Object.fromEntries(taken), ...(cookie !== undefined && { cookie }) }
}

const endToEnd = (headers: IncomingHttpHeaders): IncomingHttpHeaders =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !OF_THE_CONNECTION.has(name)))

/**
 * Sends requests to the node that keeps the index of their project, at most once: a request that another node
 * forwarded is answered where it came.
 */
export class Forwarder {
  readonly #options: ForwarderOptions
  readonly #agent: Agent
  readonly #seen = new SeenRequests()
  readonly #busy: BusyProjects
  readonly #owners = new Owners()
  /** What waits for another node. */
  readonly #open = new Set<{ to: string; abort: AbortController }>()
  readonly #endLooking: () => void
  #seenAlive = NOBODY
  #able: { able: readonly ClusterNode[]; names: readonly string[] } = { able: NOBODY, names: [] }

  constructor(options: ForwarderOptions) {
    this.#options = options
    this.#busy = new BusyProjects({ bring: options.hasIndex })
    const { connectTimeoutMs = CONNECT_TIMEOUT_MS, stallMs = STALL_MS } = options
    this.#agent = new Agent({
      connect: { timeout: connectTimeoutMs },
      bodyTimeout: stallMs,
      keepAliveTimeout: KEEP_ALIVE_MS,
      keepAliveMaxTimeout: KEEP_ALIVE_MS,
      pipelining: 1,
    })
    this.#endLooking = options.registry.onLook(alive => this.#giveUp(alive))
  }

  /**
   * The node that is to answer a request about a project, which keeps its index; null: this one, which may keep a copy
   * where many ask, or it cannot be told.
   */
  targetFor(projectName: string): ClusterNode | null {
    const { registry } = this.#options
    const { able, names } = this.#ableOf(registry.alive() ?? NOBODY)
    const owner = this.#owners.of(names, projectName.toLowerCase())
    if (owner === null || owner === registry.own.name || this.#busy.answersHere(projectName)) return null
    return able.find(({ name }) => name === owner) ?? null
  }

  /** Who sent a request that another node forwarded, or in words why it is not believed. */
  receive(header: string, request: { method: string; path: string }): ForwardedCaller | { problem: string } {
    const { registry, secret } = this.#options
    const caller = readForward(header, { ...request, to: registry.own.name }, secret)
    if ('problem' in caller) return caller
    return this.#seen.has(header) ? { problem: 'it came before' } : caller
  }

  /** The nodes that may be sent requests: chosen once after each look at the nodes, not for each request. */
  #ableOf(alive: readonly ClusterNode[]): { able: readonly ClusterNode[]; names: readonly string[] } {
    if (alive !== this.#seenAlive) {
      this.#seenAlive = alive
      const able = alive.filter(({ roles, url, isDraining }) => roles.includes('http') && url !== null && !isDraining)
      this.#able = { able, names: able.map(({ name }) => name) }
    }
    return this.#able
  }

  /**
   * Has another node answer. Resolves when its answer begins; its body is to be read or destroyed.
   *
   * @returns Null when that node did not take the request: this one answers it.
   * @throws The reason of the signal.
   */
  async send(node: ClusterNode, request: OutgoingRequest): Promise<ForwardedAnswer | null> {
    request.signal.throwIfAborted()
    const open = { to: node.name, abort: new AbortController() }
    this.#open.add(open)
    try {
      const answer = await this.#ask(node, request, AbortSignal.any([request.signal, open.abort.signal]))
      if (answer.headers[TAKEN_HEADER] === undefined) {
        await answer.body.dump().catch(() => {}) // the connection is of use to others
        this.#open.delete(open)
        return this.#failed('refused')
      }
      answer.body
        .once('error', () => {
          if (!request.signal.aborted) this.#options.onResult?.('cut')
        })
        .once('end', () => this.#options.onResult?.('answered'))
        .once('close', () => this.#open.delete(open))
      return { status: answer.statusCode, headers: endToEnd(answer.headers), body: answer.body }
    } catch {
      this.#open.delete(open)
      request.signal.throwIfAborted()
      return this.#failed(open.abort.signal.aborted ? 'gone' : 'unreachable')
    }
  }

  async close(): Promise<void> {
    this.#endLooking()
    await this.#agent.destroy()
  }

  #ask(node: ClusterNode, request: OutgoingRequest, signal: AbortSignal) {
    const { secret, registry } = this.#options
    const { method, path, body, timeoutMs } = request
    const header = signForward({ ...request, from: registry.own.name, to: node.name }, secret)
    return send(`${node.url ?? ''}${path}`, {
      dispatcher: this.#agent,
      method: method as 'GET' | 'POST',
      headers: { ...headersOf(request), [FORWARD_HEADER]: header },
      body,
      signal,
      headersTimeout: timeoutMs,
    })
  }

  #failed(result: ForwardResult): null {
    this.#options.onResult?.(result)
    return null
  }

  /** What was sent to nodes that have died since is not waited for. */
  #giveUp(alive: readonly ClusterNode[]): void {
    const names = new Set(alive.map(({ name }) => name))
    for (const { to, abort } of this.#open) {
      if (!names.has(to)) abort.abort(GONE)
    }
  }
}
