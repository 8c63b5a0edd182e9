import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { FaultlineError } from '../../core/errors.ts'
import { isRole, type ClusterNode, type NodeLoad, type Role } from '../../core/node.ts'
import type { Database, Row } from '../../postgres/database.ts'

/** What a node says of itself. */
export interface OwnNode {
  name: string
  roles: readonly Role[]
  version: string
  schemaVersion: number
}

/** What the registry is made of. */
export interface RegistryOptions {
  db: Pick<Database, 'query'>
  own: OwnNode
  load: () => Promise<NodeLoad>
  /** Tells the other nodes that something changed; they look at the next heartbeat otherwise. */
  tell?: () => void
  /** Hears of heartbeats that could not be written, and of a name that another process has. */
  onError: (error: unknown) => void
  beatMs?: number
  /** How long a node that leaves waits for the database. */
  leaveMs?: number
}

/** How often a node shows that it is alive. */
const BEAT_MS = 2_000
/** A node that has not shown that it is alive for this long counts as dead. */
const ALIVE_MS = 8_000
/** Rows of nodes that never came back go after a day. */
const FORGET_AFTER = '1 day'
const BEATS_BETWEEN_CLEANUPS = 300

const LEAVE_MS = 2_000

const ALIVE = `heartbeat_at > now() - interval '${ALIVE_MS} milliseconds'`

const NO_LOAD: NodeLoad = {
  runningJobs: 0,
  jobSlots: 0,
  cpuCores: 0,
  memoryBytes: 0,
  openStreams: 0,
  projectsCached: 0,
  cacheBytes: 0,
  cacheLimitBytes: 0,
}

function loadIn(value: unknown): NodeLoad {
  const given = (typeof value === 'object' && value !== null ? value : {}) as Record<string, unknown>
  const figures = Object.entries(NO_LOAD).map(([name, none]) => [name, Number(given[name] ?? none)])
  return Object.fromEntries(figures) as unknown as NodeLoad
}

/** A node as its row has it; one of another release may have roles that this one does not know. */
const nodeIn = (row: Row): ClusterNode => ({
  name: String(row.name),
  url: typeof row.url === 'string' ? row.url : null,
  roles: (row.roles as string[]).filter(isRole),
  version: String(row.version),
  schemaVersion: Number(row.schema_version),
  startedAt: String(row.started_at),
  heartbeatAgeMs: Math.max(0, Number(row.age_ms)),
  isDraining: row.draining === true,
  load: loadIn(row.load),
})

/**
 * The nodes that work on one database: this one writes a heartbeat, and knows the others by theirs. A node whose
 * heartbeat cannot be written goes on working.
 */
export class NodeRegistry {
  readonly own: OwnNode
  readonly #options: RegistryOptions
  readonly #instance = randomUUID()
  readonly #hearers = new Set<(alive: readonly ClusterNode[]) => void>()
  #url: string | null = null
  #isDraining = false
  #hasJoined = false
  #isLeaving = false
  #isNameTaken = false
  #alive: readonly ClusterNode[] = []
  #seenAt = -Infinity
  #beats = 0
  #failures = 0
  #timer: NodeJS.Timeout | undefined
  #beating: Promise<void> = Promise.resolve()

  constructor(options: RegistryOptions) {
    this.#options = options
    this.own = options.own
  }

  get isDraining(): boolean {
    return this.#isDraining
  }

  /** How many heartbeats could not be written. */
  get failures(): number {
    return this.#failures
  }

  /**
   * Writes the row of this node, in place of an earlier process of the same name, and begins to show that it is alive.
   * While the database is away the node joins later.
   *
   * @param url - Where the others reach it; null: they cannot.
   */
  async join(url: string | null): Promise<void> {
    this.#url = url
    await this.#beat()
    this.#options.tell?.()
    this.#beatLater()
  }

  /**
   * The nodes that were alive when this one last looked, itself among them; null where that is too long ago to be
   * trusted, since the database does not answer.
   */
  alive(): readonly ClusterNode[] | null {
    return performance.now() - this.#seenAt < ALIVE_MS ? this.#alive : null
  }

  /** Calls `hears` after each look at the others. @returns A function that ends it. */
  onLook(hears: (alive: readonly ClusterNode[]) => void): () => void {
    this.#hearers.add(hears)
    return () => {
      this.#hearers.delete(hears)
    }
  }

  /** All nodes that are known, dead ones of the last day among them, by name. @throws DATABASE_UNAVAILABLE */
  async list(): Promise<Array<ClusterNode & { isAlive: boolean }>> {
    const { rows } = await this.#options.db.query(
      `SELECT *, extract(epoch FROM now() - heartbeat_at) * 1000 AS age_ms, ${ALIVE} AS alive FROM nodes ORDER BY name`,
    )
    return rows.map(row => ({ ...nodeIn(row), isAlive: row.alive === true }))
  }

  /** Looks at the others now, as when one of them said that something changed. */
  async look(): Promise<void> {
    try {
      const nodes = await this.list()
      this.#alive = nodes.filter(({ isAlive }) => isAlive)
      this.#seenAt = performance.now()
      for (const hears of this.#hearers) hears(this.#alive)
    } catch (error) {
      this.#options.onError(error)
    }
  }

  /** Tells the others that this node ends: they forward nothing to it any more. */
  async drain(): Promise<void> {
    this.#isDraining = true
    await this.#beat()
    this.#options.tell?.()
  }

  /** Removes the row, unless the database does not answer soon: it counts as dead in a moment anyway. */
  async leave(): Promise<void> {
    this.#isLeaving = true
    clearTimeout(this.#timer)
    const isLate = new AbortController()
    const late = delay(this.#options.leaveMs ?? LEAVE_MS, undefined, { signal: isLate.signal }).catch(() => {})
    await Promise.race([this.#removeRow(), late])
    isLate.abort()
  }

  async #removeRow(): Promise<void> {
    await this.#beating
    if (!this.#hasJoined) return
    try {
      const { name } = this.own
      await this.#options.db.query('DELETE FROM nodes WHERE name = $1 AND instance = $2', [name, this.#instance])
      this.#options.tell?.()
    } catch (error) {
      this.#options.onError(error)
    }
  }

  /** One at a time. */
  #beat(): Promise<void> {
    this.#beating = this.#beating.then(async () => {
      if (this.#isLeaving) return
      try {
        await this.#write()
        if (this.#beats++ % BEATS_BETWEEN_CLEANUPS === 0) await this.#forget()
      } catch (error) {
        this.#failures++
        this.#options.onError(error)
      }
      await this.look()
    })
    return this.#beating
  }

  #beatLater(): void {
    if (this.#isLeaving) return
    this.#timer = setTimeout(() => {
      this.#beat().then(() => this.#beatLater())
    }, this.#options.beatMs ?? BEAT_MS).unref()
  }

  /** @throws DATABASE_UNAVAILABLE; CONFIG_INVALID when another process lives under the name. */
  async #write(): Promise<void> {
    const { name, roles, version, schemaVersion } = this.own
    const load = await this.#options.load()
    const { count } = await this.#options.db.query(
      `INSERT INTO nodes AS known (name, instance, url, roles, version, schema_version, draining, load)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
       ON CONFLICT (name) DO UPDATE SET
         instance = excluded.instance, url = excluded.url, roles = excluded.roles, version = excluded.version,
         schema_version = excluded.schema_version, draining = excluded.draining, load = excluded.load,
         heartbeat_at = now(),
         started_at = CASE WHEN known.instance = excluded.instance THEN known.started_at ELSE now() END
       WHERE known.instance = excluded.instance OR $9 OR NOT known.${ALIVE}`,
      [name, this.#instance, this.#url, [...roles], version, schemaVersion, this.#isDraining, load, !this.#hasJoined],
    )
    if (count === 1) {
      this.#hasJoined = true
      this.#isNameTaken = false
    } else if (!this.#isNameTaken) {
      this.#isNameTaken = true // reported once
      throw new FaultlineError(
        'CONFIG_INVALID',
        `Another process has taken the name ${name}: this node is not seen by the others.`,
        'Give each node a NODE_NAME of its own, or a DATA_DIR that was not copied from another one.',
      )
    }
  }

  async #forget(): Promise<void> {
    await this.#options.db.query(`DELETE FROM nodes WHERE heartbeat_at < now() - interval '${FORGET_AFTER}'`)
  }
}
