import { QueueFullError } from '../../../core/errors.ts'
import type { Database, Queryable } from '../../../postgres/database.ts'
import { bodyRows } from '../body-rows.ts'
import type { NewJob, QueueLimit, StoredJob } from '../job-store.ts'
import { COLUMNS, textOf, toJob } from '../rows.ts'
import { IDEMPOTENCY_MS, idempotencyKeyReused, NO_USAGE, sourceDeleted } from '../status-changes.ts'
import { auditRow } from './audit.ts'
import type { HandOut } from './hand-out.ts'
import { withParts } from './run-writes.ts'
import { taskRow } from './tasks.ts'
import { toldEvents } from './told-events.ts'
import { Values, type Clock } from './values.ts'

/**
 * Held by those who make a job: shared where the queue has room for all who may do so at once, else by one alone, so
 * that the limit is never passed.
 */
const QUEUE_LOCK = 704_511_902_046n
/** More jobs than are made at once: each needs a connection, of which PostgreSQL has a hundred. */
const AT_ONCE = 100

/** The queue may be full soon: to be tried again by one alone. */
class CloseToLimit extends Error {}

/** What a retry takes over from an earlier job. */
interface Copied {
  copy(tx: Queryable, of: { from: number; to: number; before: number }): Promise<void>
}

/** The job of an id. */
export async function findJob(to: Queryable, id: string): Promise<StoredJob | null> {
  const { rows } = await to.query(`SELECT ${COLUMNS} FROM jobs WHERE id = $1`, [id])
  return rows[0] === undefined ? null : toJob(rows[0])
}

/** Makes jobs. */
export class NewJobs {
  readonly #clock: Clock
  readonly #parts: readonly Copied[]
  readonly #handOut: HandOut | null

  constructor(clock: Clock, parts: readonly Copied[], handOut: HandOut | null) {
    this.#clock = clock
    this.#parts = parts
    this.#handOut = handOut
  }

  /** As `createIn`, in a transaction of its own: in a second one where the queue is nearly full. */
  async create(db: Database, job: NewJob, queue: QueueLimit): Promise<{ job: StoredJob; replayed: boolean }> {
    const { limit } = queue
    try {
      if (limit > AT_ONCE) {
        return await db.transaction(async tx => this.createIn(tx, job, { ...queue, limit: limit - AT_ONCE }, true))
      }
    } catch (error) {
      if (!(error instanceof CloseToLimit)) throw error
    }
    return await db.transaction(async tx => this.createIn(tx, job, queue, false))
  }

  /**
   * Adds a job, or finds the one that the same idempotency key made, within a transaction of the caller: several
   * statements, except for a job without a key, kept steps and a hand-out.
   *
   * @param isShared - Whether others make jobs meanwhile; when left out, nobody is kept from it.
   */
  async createIn(
    tx: Queryable,
    job: NewJob,
    queue: QueueLimit,
    isShared?: boolean,
  ): Promise<{ job: StoredJob; replayed: boolean }> {
    const { idempotency, kept } = job
    const earlier = idempotency === undefined ? null : await this.#replayOf(tx, job.id, idempotency)
    if (earlier !== null) return { job: earlier, replayed: true }
    if (queue.refusal !== undefined && queue.refusal !== null) throw queue.refusal
    if (isShared !== undefined) {
      await tx.query(`SELECT pg_advisory_xact_lock${isShared ? '_shared' : ''}($1)`, [QUEUE_LOCK])
    }
    const made = await this.#insert(tx, job, queue)
    if (made === null && isShared === true) throw new CloseToLimit()
    if (made === null) throw await this.#fullError(tx, queue)
    if (kept !== undefined) await this.#copy(tx, kept, made.seq)
    await this.#handOut?.added(tx, {
      seq: made.seq,
      id: made.id,
      type: job.type,
      projectName: job.projectName,
      exclusiveKey: job.exclusiveKey,
      runsOn: job.runsOn ?? null,
    })
    return { job: made, replayed: false }
  }

  async #fullError(tx: Queryable, { retryAfterS }: QueueLimit): Promise<QueueFullError> {
    const { rows } = await tx.query("SELECT count(*) AS queued FROM jobs WHERE status = 'queued'")
    return new QueueFullError(Number(rows[0]?.queued) + 1, retryAfterS())
  }

  /** Null where as many are queued as may be. */
  async #insert(tx: Queryable, job: NewJob, { limit }: QueueLimit): Promise<StoredJob | null> {
    const values = new Values()
    const { text, packed } = bodyRows(job)
    const now = this.#clock.now(values)
    const columns: Record<string, string> = {
      id: values.add(job.id, 'text'),
      type: values.add(job.type, 'text'),
      status: "'queued'",
      project_name: values.add(job.projectName, 'text'),
      exclusive_key: values.add(job.exclusiveKey, 'text'),
      runs_on: values.add(job.runsOn ?? null, 'text'),
      key_name: values.add(job.keyName, 'text'),
      request_id: values.add(job.requestId ?? null, 'text'),
      trust: values.add(job.trust ?? 'trusted', 'text'),
      retry_of: values.add(job.retryOf ?? null, 'text'),
      input: values.add(text, 'text'),
      usage: values.add(JSON.stringify(NO_USAGE), 'text'),
      budget: values.add(textOf(job.budget), 'text'),
      notify: values.add(job.notify ?? [], 'text[]'),
      created_at: now,
      updated_at: now,
      last_event: '1',
      stored_bytes: values.add(Buffer.byteLength(text) + (packed?.length ?? 0), 'bigint'),
    }
    const told = toldEvents(values, this.#clock, [{ event: 'status', data: { status: 'queued' } }])
    const and: Record<string, string> = { told: told.sql }
    if (packed !== null) {
      and.body = `INSERT INTO job_inputs (job_seq, packed) SELECT seq, ${values.add(packed, 'bytea')} FROM fence`
    }
    if (job.task !== undefined && job.task !== null) Object.assign(and, taskRow(values, this.#clock, job.task))
    for (const [place, entry] of (job.audit ?? []).entries()) {
      and[`noted_${place}`] = auditRow(values, this.#clock, entry, 'fence')
    }
    const { rows } = await tx.query(
      `WITH queue AS (SELECT count(*) AS queued FROM jobs WHERE status = 'queued'), fence AS (
         INSERT INTO jobs (${Object.keys(columns).join(', ')})
         SELECT ${Object.values(columns).join(', ')} FROM queue WHERE queued < ${values.add(limit, 'bigint')}
         RETURNING ${COLUMNS}, last_event)${withParts(and)}
       SELECT * FROM fence`,
      values.list,
    )
    return rows[0] === undefined ? null : toJob(rows[0])
  }

  async #copy(tx: Queryable, { from, before }: NonNullable<NewJob['kept']>, to: number): Promise<void> {
    const { rows } = await tx.query('SELECT 1 FROM jobs WHERE seq = $1 FOR KEY SHARE', [from])
    if (rows.length === 0) throw sourceDeleted()
    for (const part of this.#parts) await part.copy(tx, { from, to, before })
  }

  /**
   * Takes an idempotency key for a job. Of two requests at once the second one waits here for the first.
   *
   * @returns The job that has it already.
   */
  async #replayOf(
    tx: Queryable,
    id: string,
    { key, scope, bodySha256 }: NonNullable<NewJob['idempotency']>,
  ): Promise<StoredJob | null> {
    const values = new Values()
    const own = [scope, key, bodySha256, id].map(text => values.add(text))
    const taken = await tx.query(
      `INSERT INTO idempotency_keys AS known (scope, key, body_sha256, job_id, created_at)
       VALUES (${own.join(', ')}, ${this.#clock.now(values)})
       ON CONFLICT (scope, key) DO UPDATE SET body_sha256 = excluded.body_sha256, job_id = excluded.job_id,
         created_at = excluded.created_at
       WHERE known.created_at <= ${this.#clock.ago(values, IDEMPOTENCY_MS)}
       RETURNING job_id`,
      values.list,
    )
    if (taken.count > 0) return null
    const found = await tx.query(
      'SELECT body_sha256, job_id FROM idempotency_keys WHERE scope = $1 AND key = $2 FOR UPDATE',
      [scope, key],
    )
    const [known] = found.rows
    if (known === undefined) return this.#replayOf(tx, id, { key, scope, bodySha256 }) // forgotten just now
    if (known.body_sha256 !== bodySha256) throw idempotencyKeyReused(key)
    const job = await findJob(tx, String(known.job_id))
    if (job === null) {
      const now = new Values()
      const at = this.#clock.now(now)
      await tx.query(
        `UPDATE idempotency_keys SET job_id = ${now.add(id)}, created_at = ${at}
         WHERE scope = ${now.add(scope)} AND key = ${now.add(key)}`,
        now.list,
      )
    }
    return job
  }
}
