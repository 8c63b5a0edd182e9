import { setTimeout as delay } from 'node:timers/promises'
import pg, { type ClientConfig } from 'pg'
import type { DatabaseAddress, DatabaseHost, SessionAttributes } from '../core/database-url.ts'
import { mostTelling, WRONG_SERVER } from './trouble.ts'

/** What a server says of itself when it is connected to, and whenever that changes. */
interface ServerState {
  /** It follows a primary, as a standby does. */
  isFollowing: boolean
  /** It takes no writes: it follows, or is set so. */
  isReadOnly: boolean
}

/** A server that answered. */
interface Candidate extends DatabaseHost {
  state: ServerState
  /** Rises each time that a standby takes over; 0 where that cannot be told. */
  timeline: number
}

/** The words of libpq. */
const FITS: Record<SessionAttributes, (state: ServerState) => boolean> = {
  any: () => true,
  'read-write': ({ isReadOnly }) => !isReadOnly,
  'read-only': ({ isReadOnly }) => isReadOnly,
  primary: ({ isFollowing }) => !isFollowing,
  standby: ({ isFollowing }) => isFollowing,
  'prefer-standby': () => true,
}
/** With these a connection to any server but the chosen one is worth nothing. */
const ONE_ONLY: ReadonlySet<SessionAttributes> = new Set(['read-write', 'primary'])
/** How long others may take to answer after the first that fits: one of them may have taken over from it. */
const GRACE_MS = 1_000
const TIMELINE_DIGITS = 8

/** Said of a server that is not, or not any more, the one to use. */
class WrongServerError extends Error {
  readonly code = WRONG_SERVER
}

/** Keeps an eye on what the server of a connection says of itself. */
function watchState(client: pg.Client, onChange: (state: ServerState) => void): () => ServerState {
  const said = new Map<string, string>()
  const state = () => {
    const isFollowing = said.get('in_hot_standby') === 'on'
    return { isFollowing, isReadOnly: isFollowing || said.get('default_transaction_read_only') === 'on' }
  }
  const hear = (message: unknown) => {
    const { parameterName, parameterValue } = message as { parameterName: string; parameterValue: string }
    said.set(parameterName, parameterValue)
    onChange(state())
  }
  client.connection.on('parameterStatus', hear)
  return state
}

async function timelineOf(client: pg.Client, { isFollowing }: ServerState): Promise<number> {
  if (isFollowing) return 0
  try {
    const { rows } = await client.query<{ file: string }>('SELECT pg_walfile_name(pg_current_wal_insert_lsn()) AS file')
    return Number.parseInt(rows[0]?.file.slice(0, TIMELINE_DIGITS) ?? '', 16) || 0
  } catch {
    return 0 // some services that speak PostgreSQL have none
  }
}

const isSame = (one: DatabaseHost, other: DatabaseHost | null): boolean =>
  one.host === other?.host && one.port === other.port

/**
 * Chooses among the servers that hold one database: the one that takes writes, mostly. Whoever finds that it is gone,
 * or is not what it was, says so, and the next connection asks all of them again.
 */
export class HostChoice {
  readonly #hosts: readonly DatabaseHost[]
  readonly #wanted: SessionAttributes
  readonly #config: ClientConfig
  readonly #joined = new Map<pg.Client, DatabaseHost & { since: number }>()
  #chosen: DatabaseHost | null = null
  #last: DatabaseHost | null = null
  #looking: Promise<DatabaseHost> | null = null

  /** @param config - How to connect, without a host. */
  constructor({ hosts }: Pick<DatabaseAddress, 'hosts'>, wanted: SessionAttributes, config: ClientConfig) {
    this.#hosts = hosts
    this.#wanted = wanted
    this.#config = config
    if (hosts.length === 1) this.#chosen = hosts[0]
  }

  /** The server to connect to. Calls share one look. @throws What the servers said, or that none of them fits. */
  async pick(): Promise<DatabaseHost> {
    if (this.#chosen !== null) return this.#chosen
    this.#looking ??= this.#look().finally(() => {
      this.#looking = null
    })
    return await this.#looking
  }

  /** It is gone, or is not what it was. */
  distrust(host: DatabaseHost): void {
    if (this.#hosts.length > 1 && isSame(host, this.#chosen)) this.#chosen = null
  }

  fits(state: ServerState): boolean {
    return FITS[this.#wanted](state)
  }

  /** The error of a connection whose server is not what is wanted. */
  wrongServer(): Error {
    return new WrongServerError(`the database has no server that is "${this.#wanted}"`)
  }

  /** A connection begins; it is cut when another server has taken over. */
  join(client: pg.Client, host: DatabaseHost): void {
    this.#joined.set(client, { ...host, since: performance.now() })
    client.connection.once('end', () => this.#joined.delete(client))
  }

  /**
   * Cuts what was connected before a time, as the server may be gone without a word.
   *
   * @param at - In milliseconds, as `performance.now()` gives them.
   */
  leaveBefore(at: number): void {
    const gone = new WrongServerError('the server of the database does not answer any more')
    for (const [client, { since }] of this.#joined) {
      if (since < at) client.connection.stream.destroy(gone)
    }
  }

  async #look(): Promise<DatabaseHost> {
    const found: Candidate[] = []
    const errors: unknown[] = []
    const first = Promise.withResolvers<undefined>()
    const asking = this.#hosts.map(async host => {
      try {
        const candidate = await this.#ask(host)
        if (!this.fits(candidate.state)) return
        found.push(candidate)
        first.resolve(undefined)
      } catch (error) {
        errors.push(error)
      }
    })
    const inTime = first.promise.then(() => delay(GRACE_MS, undefined, { ref: false }))
    await Promise.race([Promise.all(asking), inTime])
    const [best] = found.sort((a, b) => this.#rank(b) - this.#rank(a))
    if (best === undefined) throw errors.length === this.#hosts.length ? mostTelling(errors) : this.wrongServer()
    const { host, port } = best
    this.#choose({ host, port })
    return { host, port }
  }

  /** Whoever took over last, so that a server which was replaced and came back is left alone; then the one before. */
  #rank(candidate: Candidate): number {
    const isPreferred = this.#wanted === 'prefer-standby' && candidate.state.isFollowing
    const order = this.#hosts.findIndex(host => isSame(host, candidate))
    const isLast = isSame(candidate, this.#last)
    return (isPreferred ? 2 ** 40 : 0) + candidate.timeline * 1_000 + (isLast ? 500 : 0) - order
  }

  #choose(host: DatabaseHost): void {
    this.#chosen = host
    this.#last = host
    if (!ONE_ONLY.has(this.#wanted)) return
    for (const [client, joined] of this.#joined) {
      if (!isSame(joined, host)) client.connection.stream.destroy(this.wrongServer())
    }
  }

  async #ask(host: DatabaseHost): Promise<Candidate> {
    const client = new pg.Client({ ...this.#config, ...host })
    client.on('error', () => {}) // the call that is under way says so
    const state = watchState(client, () => {})
    try {
      await client.connect()
      return { ...host, state: state(), timeline: await timelineOf(client, state()) }
    } finally {
      client.end().catch(() => {}) // it is broken already
    }
  }
}

/** Connections to the server that was chosen, as the driver's pool makes them. */
export function clientsOf(choice: HostChoice): typeof pg.Client {
  return class extends pg.Client {
    #isConnected = false

    override connect(): Promise<pg.Client>
    override connect(callback: (error: Error | null, client?: pg.Client) => void): void
    override connect(callback?: (error: Error | null, client?: pg.Client) => void): Promise<pg.Client> | void {
      const connecting = this.#connect()
      if (callback === undefined) return connecting
      connecting.then(
        () => callback(null, this),
        (error: unknown) => callback(error as Error),
      )
    }

    async #connect(): Promise<pg.Client> {
      const host = await choice.pick()
      Object.assign(this, host)
      choice.join(this, host)
      this.on('error', () => choice.distrust(host))
      const state = watchState(this, now => {
        if (!choice.fits(now) && this.#isConnected) this.connection.stream.destroy(choice.wrongServer())
      })
      try {
        await super.connect()
        if (!choice.fits(state())) throw choice.wrongServer()
      } catch (error) {
        choice.distrust(host)
        this.connection.stream.destroy()
        throw error
      }
      this.#isConnected = true
      return this
    }
  }
}
