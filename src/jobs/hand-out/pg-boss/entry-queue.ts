import { createHash } from 'node:crypto'
import { PgBoss, type DatabaseOptions, type Job as Delivered } from 'pg-boss'
import type { JobType } from '../../../core/job.ts'
import type { Database, Queryable } from '../../../postgres/database.ts'
import type { QueueHead } from '../../store/job-store.ts'
import { toQueued, type HandOut, type QueuedJob } from '../../store/postgres/hand-out.ts'
import type { Values } from '../../store/postgres/values.ts'

/** An entry that a worker of this process holds. */
export type HeldEntry = Delivered<QueueHead>

/** What the queue is made of. */
interface EntryQueueOptions {
  /** How pg-boss connects; it has a pool of its own. */
  connection: DatabaseOptions
  /** The schema of pg-boss's tables, beside the one of ours. */
  schema: string
  /** Whether jobs of a type run beside those that count, in a queue of their own. */
  isBeside: (type: JobType) => boolean
  /** The name of this node; null, as for one that runs no jobs: it has no queue of its own. */
  node: string | null
  onError: (error: unknown) => void
}

/** Time after which a worker that gave no sign of life has lost what it held; pg-boss takes none below 10. */
const HEARTBEAT_S = 10
/** How often pg-boss looks for lost entries, on one node at a time. */
const SUPERVISE_S = 1
/** Lost workers are no reason to give a job up: a job that ends its process itself is counted elsewhere. */
const ENDLESS = 2 ** 31 - 1
/** The longest that pg-boss takes, a day: a run that takes longer is begun again after its last finished step. */
const MAX_RUN_S = 86_400 - 1
const YEAR_S = 365 * 86_400
/** The same trouble is reported again after this time: while the database is away each slot fails twice a second. */
const REPORT_MS = 10_000

export const JOBS_QUEUE = 'jobs'
const BESIDE_QUEUE = 'beside'
/** Before the name of the node that alone gets what is in such a queue. */
const NODE_QUEUE = 'beside_'
/** A node that has shown no sign of life for this long does nothing more of what waits for it. */
const GONE_S = 20
/** Queues of nodes that never came back go after a day. */
const FORGET_AFTER = '1 day'

/** The columns of a job that its entry is made of. */
const QUEUED = 'seq, id, type, project_name, exclusive_key, runs_on'

/** The id of the entry that a job gets when it was claimed so often: never that of an entry before. */
function entryId(jobId: string, attempt: number): string {
  const hex = createHash('sha256').update(`${jobId} ${attempt}`).digest('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join('-')
}

const groupOf = (projectName: string | null): string => `project:${projectName?.toLowerCase() ?? ''}`

/** Runs the statements of a pg-boss call in a transaction of ours. */
const within = (tx: Queryable) => ({
  db: { executeSql: (text: string, values: unknown[] = []) => tx.query(text, values) },
})

/** Reports an error, unless the same was reported a moment ago. */
function unlessRepeated(report: (error: unknown) => void): (error: { message: string }) => void {
  const reported = new Map<string, number>()
  return error => {
    const { message } = error
    const name = message.replace(/ \(Queue: .*/, '')
    const now = performance.now()
    if (now - (reported.get(name) ?? -Infinity) < REPORT_MS) return
    if (reported.size > 100) reported.clear()
    reported.set(name, now)
    report(error instanceof Error ? error : new Error(message)) // pg-boss copies the errors of its workers
  }
}

/**
 * The entries of jobs in pg-boss, which gives each to one worker at a time, never two of one exclusive key at once, and
 * to another worker when the first gave no sign of life for ten seconds.
 */
export class EntryQueue implements HandOut {
  readonly boss: PgBoss
  readonly #options: EntryQueueOptions
  readonly #held = new Map<number, HeldEntry>()

  constructor(options: EntryQueueOptions) {
    this.#options = options
    this.boss = new PgBoss({
      ...options.connection,
      schema: options.schema,
      schedule: false,
      supervise: options.node !== null, // nodes that run nothing need not look for lost entries
      monitorVacuum: false, // a statement a second, for warnings that nobody hears
      superviseIntervalSeconds: SUPERVISE_S,
      monitorIntervalSeconds: SUPERVISE_S,
      registerInstance: false,
      openTelemetry: { enabled: false },
    })
    this.boss.on('error', unlessRepeated(options.onError))
  }

  /** Brings the tables of pg-boss up to date. @throws What the database threw. */
  async open(): Promise<void> {
    await this.boss.start()
    await this.#createQueues()
  }

  /** The queues whose jobs run beside the others on this node, which count together. */
  get besideQueues(): string[] {
    const { node } = this.#options
    return node === null ? [BESIDE_QUEUE] : [BESIDE_QUEUE, `${NODE_QUEUE}${node}`]
  }

  /** Gives back what this process still holds. */
  async close(): Promise<void> {
    await this.boss.stop({ graceful: false })
  }

  hold(entry: HeldEntry): void {
    this.#held.set(entry.data.seq, entry)
  }

  release(entry: HeldEntry): void {
    if (this.#held.get(entry.data.seq) === entry) this.#held.delete(entry.data.seq)
  }

  async added(tx: Queryable, { id, runsOn, ...head }: QueuedJob): Promise<void> {
    const { seq, type, projectName, exclusiveKey } = head
    const own = runsOn === null ? null : await this.#queueOfNode(tx, runsOn)
    if (runsOn !== null && own === null) await tx.query('UPDATE jobs SET runs_on = NULL WHERE seq = $1', [seq])
    const queue = own ?? this.#queueOf(type)
    const { turn, attempt } = await this.#turnOf(tx, queue, head)
    await this.boss.send(queue, { seq, type, projectName, exclusiveKey } satisfies QueueHead, {
      id: entryId(id, attempt),
      singletonKey: exclusiveKey ?? id,
      priority: -turn,
      group: { id: groupOf(projectName) },
      ...within(tx),
    })
  }

  async ended(tx: Queryable, seq: number): Promise<void> {
    const { rows } = await tx.query(`SELECT ${QUEUED}, attempt FROM jobs WHERE seq = $1`, [seq])
    const [row] = rows
    // the entry of a job that runs has the number of the attempt before: it stays until nothing of the body runs
    if (row !== undefined) await this.#remove(tx, toQueued(row), Number(row.attempt))
  }

  async claimed(tx: Queryable, seq: number): Promise<boolean> {
    const entry = this.#held.get(seq)
    if (entry === undefined) return false
    const touched: { affected?: number } = await this.boss.touch(entry.name, entry, within(tx))
    return touched.affected === 1
  }

  finished(values: Values, seq: number): string | null {
    const entry = this.#held.get(seq)
    if (entry === undefined) return null
    return `DELETE FROM ${this.#options.schema}.job AS entry USING fence
      WHERE entry.name = ${values.add(entry.name)} AND entry.id = ${values.add(entry.id, 'uuid')}`
  }

  /**
   * Gives an entry to the jobs that should have one and have none, as after a database was moved here.
   *
   * @returns How many there were.
   */
  async repair(db: Database): Promise<number> {
    const missing = `SELECT ${QUEUED}, attempt FROM jobs
      WHERE status IN ('queued', 'running') AND NOT EXISTS (
        SELECT 1 FROM ${this.#options.schema}.job
        WHERE state <= 'active' AND (data ->> 'seq')::bigint = jobs.seq)`
    const { rows } = await db.query(missing)
    for (const { seq } of rows) {
      await db.transaction(async tx => {
        const found = await tx.query(`${missing} AND seq = $1 FOR UPDATE`, [seq])
        const [row] = found.rows
        if (row === undefined) return
        const job = toQueued(row)
        await this.#remove(tx, job, Number(row.attempt))
        await this.added(tx, job)
      })
    }
    return rows.length
  }

  /**
   * Gives to all nodes what waits for one that is gone, and forgets the queues of nodes that never came back. A node
   * that was taken for gone finds that its job was done elsewhere.
   *
   * @returns How many jobs there were.
   */
  async takeOver(db: Database): Promise<number> {
    const { schema } = this.#options
    const gone = `starts_with(name, '${NODE_QUEUE}') AND NOT EXISTS (
      SELECT FROM nodes WHERE '${NODE_QUEUE}' || nodes.name = waiting.name
        AND heartbeat_at > now() - interval '${GONE_S} seconds')`
    const { rows } = await db.query(
      `SELECT name, id, (data ->> 'seq')::bigint AS seq FROM ${schema}.job AS waiting
       WHERE ${gone} AND state < 'active' AND created_on < now() - interval '${GONE_S} seconds'`,
    )
    for (const { name, id, seq } of rows) {
      await db.transaction(async tx => {
        const found = await tx.query(`SELECT ${QUEUED} FROM jobs WHERE seq = $1 FOR UPDATE`, [seq])
        const entry = `SELECT FROM ${schema}.job WHERE name = $1 AND id = $2 AND state < 'active' FOR UPDATE`
        if ((await tx.query(entry, [name, id])).count === 0) return // the node is there after all, and took it
        await this.boss.deleteJob(String(name), String(id), within(tx))
        const [row] = found.rows
        if (row === undefined) return
        await tx.query('UPDATE jobs SET runs_on = NULL WHERE seq = $1', [seq])
        await this.added(tx, { ...toQueued(row), runsOn: null })
      })
    }
    const forgotten = await db.query(
      `SELECT name FROM ${schema}.queue AS waiting WHERE ${gone} AND updated_on < now() - interval '${FORGET_AFTER}'
       AND NOT EXISTS (SELECT FROM ${schema}.job WHERE job.name = waiting.name AND state <= 'active')`,
    )
    for (const { name } of forgotten.rows) await this.boss.deleteQueue(String(name))
    return rows.length
  }

  /** Has the queue of this node, also after the others forgot it. */
  async keepOwn(db: Database): Promise<void> {
    const { schema } = this.#options
    const { count } = await db.query(`UPDATE ${schema}.queue SET updated_on = now() WHERE name = ANY($1)`, [
      this.besideQueues,
    ])
    if (count < this.besideQueues.length) await this.#createQueues()
  }

  async #createQueues(): Promise<void> {
    for (const name of [JOBS_QUEUE, ...this.besideQueues]) {
      await this.boss.createQueue(name, {
        policy: 'singleton',
        heartbeatSeconds: HEARTBEAT_S,
        retryLimit: ENDLESS,
        retryDelay: 0,
        expireInSeconds: MAX_RUN_S,
        retentionSeconds: YEAR_S,
        deleteAfterSeconds: 1,
      })
    }
  }

  /** Removes the entry that a job got when it was claimed so often. */
  async #remove(tx: Queryable, { id, type, runsOn }: QueuedJob, attempt: number): Promise<void> {
    const own = runsOn === null ? null : await this.#queueOfNode(tx, runsOn)
    await this.boss.deleteJob(own ?? this.#queueOf(type), entryId(id, attempt), within(tx))
  }

  /** The queue of a node; null where it has none, or none any more. */
  async #queueOfNode(tx: Queryable, node: string): Promise<string | null> {
    const name = `${NODE_QUEUE}${node}`
    const { count } = await tx.query(`SELECT FROM ${this.#options.schema}.queue WHERE name = $1 FOR KEY SHARE`, [name])
    return count === 0 ? null : name
  }

  #queueOf(type: JobType): string {
    return this.#options.isBeside(type) ? BESIDE_QUEUE : JOBS_QUEUE
  }

  /**
   * The turn that a job gets, by start-time fair queueing: the next one after the last turn of its project, and not
   * before the present one. So a project with a thousand jobs holds up none with one, and is held up by none for ever.
   * A job that was claimed before had its turn, and goes ahead.
   */
  async #turnOf(
    tx: Queryable,
    queue: string,
    { seq, projectName }: QueueHead,
  ): Promise<{ turn: number; attempt: number }> {
    // not the table above it, whose parts are chosen anew each time: all of our queues lie in this one
    const entries = `${this.#options.schema}.job_common WHERE name = $1`
    const { rows } = await tx.query(
      `SELECT (SELECT attempt FROM jobs WHERE seq = $3) AS attempt, coalesce(
         (SELECT max(-priority) FROM ${entries} AND state = 'active'),
         (SELECT min(-priority) FROM ${entries} AND state < 'active'), 0) AS present,
         (SELECT max(-priority) FROM ${entries} AND state <= 'active' AND group_id = $2) AS last`,
      [queue, groupOf(projectName), seq],
    )
    const [{ attempt, present, last } = {}] = rows
    if (Number(attempt) > 0) return { turn: Number(present), attempt: Number(attempt) }
    return { turn: Math.max(Number(present), Number(last ?? 0)) + 1, attempt: 0 }
  }
}
