import { randomUUID } from 'node:crypto'
import type { Visibility } from '../../../core/access.ts'
import type { NewAuditEntry } from '../../../core/audit.ts'
import type { JobError, Json, JsonObject, Usage } from '../../../core/job.ts'
import type { Database, Queryable, Row } from '../../../postgres/database.ts'
import { bodyOf, bodyRows } from '../body-rows.ts'
import type {
  Answer,
  ClaimedJob,
  JobFilter,
  JobStore,
  NewJob,
  Outcome,
  QueueHead,
  QueueLimit,
  RunEnd,
  StoredJob,
} from '../job-store.ts'
import { COLUMNS, toHead, toJob } from '../rows.ts'
import type { RunKey } from '../run-key.ts'
import { isFirstRun, MAX_UNANSWERED, RESTARTED } from '../status-changes.ts'
import { PostgresAudit } from './audit.ts'
import { PostgresEvents } from './events.ts'
import { PostgresFeatures } from './features.ts'
import { PostgresFiles } from './files.ts'
import { toQueued, type HandOut, type QueuedJob } from './hand-out.ts'
import { moveParts } from './job-moves.ts'
import { BEGUN, lossesIn, NO_LOSSES, NOT_LOST, ONE_LOSS } from './losses.ts'
import { findJob, NewJobs } from './new-jobs.ts'
import { PostgresNotifications } from './notifications.ts'
import { persist, type Patience } from './persist.ts'
import { PostgresRetention } from './retention.ts'
import { FENCE_COLUMNS, RunWrites, withParts, type WriteParts } from './run-writes.ts'
import { PostgresSessions } from './sessions.ts'
import { PostgresSteps, stepRow } from './steps.ts'
import { PostgresTasks } from './tasks.ts'
import { PostgresTexts } from './texts.ts'
import { PostgresTranscript, transcriptRows } from './transcript.ts'
import { createClock, Values, type Clock } from './values.ts'
import { listQuery, visibleRows, where } from './visible-rows.ts'

/** What a store is made with beside its database. */
interface PostgresStoreOptions {
  /** A clock, for tests; default: that of the database. */
  now?: () => Date
  /** Hears of each job that was changed, once that is committed. */
  changed?: (jobId: string) => void
  /** What hands queued jobs out to nodes; default: nothing does, the queue is looked at. */
  handOut?: HandOut
  /** Names this process, for `recover`; default: it is the only one that runs jobs. */
  node?: string
  /** How long what runs write is tried again while the database cannot be used; requests of people are not. */
  patience?: Patience
}

/** How a job is claimed. */
interface ClaimOptions {
  /** Takes one, too, that runs already: the process that ran it was lost. */
  lost?: boolean
}

const ACTIVE = "status IN ('queued', 'running', 'waiting')"
const PATIENCE: Patience = { forMs: 60_000 }
/** Room for the count of changes beside the digest of the queue, in an integer that JavaScript holds. */
const COUNTED_CHANGES = 2 ** 20
/** Assignments with which what an earlier run still writes is refused. */
const NEXT_ATTEMPT = ['attempt = attempt + 1', 'last_write = 0']
const HEAD = 'seq, id, type, project_name, exclusive_key, runs_on'

const CLAIMED = `${COLUMNS}, attempt, lost_attempts, last_event`

function toClaimed(row: Row): ClaimedJob {
  const job = toJob(row)
  return {
    ...job,
    attempt: Number(row.attempt),
    losses: lossesIn(row.lost_attempts),
    isFresh: isFirstRun(job, Number(row.last_event)),
  }
}

/** A change of a job's row that is no write of a run. */
interface Move {
  condition: (values: Values) => string
  more?: (values: Values) => WriteParts
  to: Parameters<typeof moveParts>[2]
  returning?: string
}

/**
 * The job tables in PostgreSQL, for any number of processes. What a run writes is one statement that tests its attempt
 * (`RunWrites`), and is tried again while the database is away.
 */
export class PostgresJobStore implements JobStore {
  readonly steps: PostgresSteps
  readonly events: PostgresEvents
  readonly transcript: PostgresTranscript
  readonly texts: PostgresTexts
  readonly files: PostgresFiles
  readonly retention: PostgresRetention
  readonly audit: PostgresAudit
  readonly tasks: PostgresTasks
  readonly features: PostgresFeatures
  readonly notifications: PostgresNotifications
  readonly sessions: PostgresSessions
  readonly #db: Database
  readonly #clock: Clock
  readonly #runs: RunWrites
  readonly #newJobs: NewJobs
  readonly #handOut: HandOut | null
  readonly #node: string | null
  readonly #patience: Patience
  readonly #changed: (jobId: string) => void
  #changes = 0
  #digest: Promise<number> | null = null

  constructor(db: Database, options: PostgresStoreOptions = {}) {
    const { now, changed = () => {}, handOut = null, node = null, patience = PATIENCE } = options
    const clock = createClock(now)
    const runs = new RunWrites(db, patience, changed)
    this.#db = db
    this.#clock = clock
    this.#runs = runs
    this.#handOut = handOut
    this.#node = node
    this.#patience = patience
    this.#changed = changed
    this.events = new PostgresEvents(db, clock, runs)
    this.steps = new PostgresSteps(db, clock, runs)
    this.transcript = new PostgresTranscript(db, clock, runs)
    this.texts = new PostgresTexts(db, runs)
    this.files = new PostgresFiles(db, runs)
    this.retention = new PostgresRetention(db, clock, handOut)
    this.audit = new PostgresAudit(db, clock)
    this.tasks = new PostgresTasks(db, clock, runs)
    this.features = new PostgresFeatures(db, runs)
    this.notifications = new PostgresNotifications(db)
    this.sessions = new PostgresSessions(db, clock)
    const { steps, files, texts } = this
    this.#newJobs = new NewJobs(clock, [steps, files, texts], handOut)
  }

  async create(job: NewJob, queue: QueueLimit): Promise<{ job: StoredJob; replayed: boolean }> {
    const isOne = job.idempotency === undefined && job.kept === undefined && this.#handOut === null
    const made = await (isOne
      ? this.#newJobs.createIn(this.#db, job, queue)
      : this.#newJobs.create(this.#db, job, queue))
    if (!made.replayed) this.#noteChange(made.job.id)
    return made
  }

  async find(id: string): Promise<StoredJob | null> {
    return findJob(this.#db, id)
  }

  async list(
    { type, status, projectName, visibleTo = null }: JobFilter,
    limit: number,
    before: number | null,
  ): Promise<StoredJob[]> {
    const values = new Values()
    const conditions: string[] = []
    if (before !== null) conditions.push(`seq < ${values.add(before)}`)
    if (type !== undefined) conditions.push(`type = ${values.add(type)}`)
    if (status !== undefined) conditions.push(`status = ${values.add(status)}`)
    if (projectName !== undefined) conditions.push(`lower(project_name) = lower(${values.add(projectName)})`)
    const query = { table: 'jobs', columns: COLUMNS, by: 'seq', conditions, visibleTo, hasKeys: true, limit }
    const { rows } = await this.#db.reads.query(listQuery(values, query), values.list)
    return rows.map(toJob)
  }

  async input(seq: number): Promise<JsonObject> {
    const { rows } = await this.#db.query(
      'SELECT input, packed FROM jobs LEFT JOIN job_inputs ON job_seq = seq WHERE seq = $1',
      [seq],
    )
    return bodyOf(rows[0] ?? {})
  }

  async counts(visibleTo: Visibility | null = null): Promise<Array<{ type: string; status: string; jobs: number }>> {
    const values = new Values()
    const seen = where(visibleTo === null ? [] : [visibleRows(values, visibleTo)])
    const { rows } = await this.#db.reads.query(
      `SELECT type, status, count(*) AS n FROM jobs ${seen} GROUP BY type, status ORDER BY type, status`,
      values.list,
    )
    return rows.map(row => ({ type: String(row.type), status: String(row.status), jobs: Number(row.n) }))
  }

  async isActive(exclusiveKey: string): Promise<boolean> {
    return this.#isThere(`exclusive_key = $1 AND ${ACTIVE}`, exclusiveKey)
  }

  async isProjectBusy(projectName: string): Promise<boolean> {
    return this.#isThere(`lower(project_name) = lower($1) AND ${ACTIVE}`, projectName)
  }

  /**
   * A digest of what is queued, so that changes of other processes count, and of the changes of this one: a counter in
   * the database would be a row that all nodes wait for.
   */
  async queueVersion(): Promise<number> {
    this.#digest ??= this.#digestNow().finally(() => {
      this.#digest = null
    })
    return (await this.#digest) * COUNTED_CHANGES + (this.#changes % COUNTED_CHANGES)
  }

  async queueHeads(): Promise<QueueHead[]> {
    const { rows } = await this.#db.query(
      `SELECT min(seq) AS seq, type, project_name, exclusive_key FROM jobs WHERE status = 'queued'
       GROUP BY type, project_name, exclusive_key`,
    )
    return rows.map(toHead)
  }

  async queuedForMs(): Promise<number | null> {
    const { rows } = await this.#db.query(
      "SELECT extract(epoch FROM now() - min(created_at)) * 1000 AS ms FROM jobs WHERE status = 'queued'",
    )
    const ms = rows[0]?.ms ?? null
    return ms === null ? null : Math.max(0, Number(ms))
  }

  async queued(): Promise<QueueHead[]> {
    const { rows } = await this.#db.query(
      "SELECT seq, type, project_name, exclusive_key FROM jobs WHERE status = 'queued' ORDER BY seq",
    )
    return rows.map(toHead)
  }

  async claim(seq: number, { lost = false }: ClaimOptions = {}): Promise<ClaimedJob | null> {
    const claimId = randomUUID() // the claim is found by it when the answer was lost
    const claimed = await persist(this.#patience, async isRepeated => {
      const earlier = isRepeated ? await this.#claimedBy(seq, claimId) : null
      if (earlier !== null) return earlier
      if (!lost && this.#handOut === null) return this.#claimIn(this.#db, seq, claimId)
      return this.#db.transaction(tx => this.#claimLost(tx, seq, claimId))
    })
    if (claimed === null) return null
    this.#runs.begin(claimed)
    this.#noteChange(claimed.id)
    return claimed
  }

  async setBegun(run: RunKey, hasBegun: boolean): Promise<void> {
    await this.#set(run, values => [`has_begun = ${values.add(hasBegun)}`])
  }

  async notLost({ seq, attempt }: RunKey): Promise<void> {
    await persist(this.#patience, () => this.#db.query(NOT_LOST, [seq, attempt]))
  }

  async lossesOf({ seq }: RunKey): Promise<number> {
    const { rows } = await persist(this.#patience, () =>
      this.#db.query('SELECT lost_attempts FROM jobs WHERE seq = $1', [seq]),
    )
    return lossesIn(rows[0]?.lost_attempts)
  }

  async endRun(run: RunKey, to: RunEnd, outcome: Outcome = {}): Promise<boolean> {
    const handOut = this.#handOut
    const handBack = async (tx: Queryable, row: Row) => handOut?.added(tx, toQueued(row))
    const { state } = await this.#runs.write(run, {
      needsRunning: true,
      parts: values => {
        const { set, and } = moveParts(values, this.#clock, { to, outcome })
        const finished = handOut?.finished(values, run.seq) ?? null
        return {
          set: [...set, to === 'queued' ? 'has_begun = false' : NO_LOSSES],
          and: finished === null ? and : { ...and, finished },
          select: HEAD,
        }
      },
      after: handOut !== null && to === 'queued' ? handBack : undefined,
    })
    this.#runs.end(run)
    this.#changes++
    return state === 'written' || state === 'repeated'
  }

  async cancel(seq: number, step: string | null = null, audit?: NewAuditEntry): Promise<boolean> {
    const move: Move = {
      condition: values => `seq = ${values.add(seq)} AND ${ACTIVE}`,
      to: { to: 'cancelled', outcome: { step }, audit },
    }
    return this.#moveAll(move, async (tx, handOut) => handOut.ended(tx, seq))
  }

  async answer({ seq, asked }: StoredJob, { reply, budget, note, entries, audit }: Answer): Promise<boolean> {
    const move: Move = {
      condition: values =>
        // not the next question by now
        `seq = ${values.add(seq)} AND status = 'waiting' AND asked IS NOT DISTINCT FROM ${values.add(asked, 'text')}`,
      more: values => {
        const set: string[] = []
        const and: Record<string, string> = {}
        if (budget !== null) set.push(`budget = ${values.add(JSON.stringify(budget))}`)
        else if (asked !== null) {
          const step = stepRow(values, this.#clock, asked, JSON.stringify(reply ?? null))
          set.push(step.set)
          and.step = step.sql
        }
        if (entries.length > 0) {
          const said = transcriptRows(values, this.#clock, { step: asked, entries })
          set.push(said.set)
          and.said = said.sql
        }
        return { set, and }
      },
      to: { to: 'queued', outcome: { note }, audit },
    }
    return this.#moveAll(move, async (tx, handOut, job) => handOut.added(tx, job))
  }

  async unanswered(waitedMs: number): Promise<Array<{ job: StoredJob; since: string }>> {
    const values = new Values()
    const { rows } = await this.#db.query(
      `SELECT ${COLUMNS}, waiting_since FROM jobs
       WHERE status = 'waiting' AND waiting_since <= ${this.#clock.ago(values, waitedMs)} LIMIT ${MAX_UNANSWERED}`,
      values.list,
    )
    return rows.map(row => ({ job: toJob(row), since: String(row.waiting_since) }))
  }

  /** Of a node: the jobs that an earlier process of its name ran. Without a name: all that run. */
  async recover(): Promise<void> {
    const node = this.#node
    const moved = await persist(this.#patience, () =>
      this.#db.transaction(async tx => {
        const rows = await this.#requeueLost(tx, values => (node === null ? 'true' : `node = ${values.add(node)}`))
        for (const row of rows) await this.#handOut?.added(tx, toQueued(row))
        return rows
      }),
    )
    for (const { id } of moved) this.#noteChange(String(id))
  }

  async setFailure(run: RunKey, error: JobError): Promise<void> {
    await this.#set(run, values => [`failure = ${values.add(JSON.stringify(error))}`])
  }

  async setInput(run: RunKey, input: Pick<NewJob, 'input' | 'packed'>): Promise<void> {
    const { text, packed } = bodyRows(input)
    await this.#runs.need(run, {
      parts: values => ({
        set: [`input = ${values.add(text)}`],
        and: {
          body:
            packed === null
              ? 'DELETE FROM job_inputs USING fence WHERE job_seq = fence.seq'
              : `INSERT INTO job_inputs (job_seq, packed) SELECT seq, ${values.add(packed, 'bytea')} FROM fence
                 ON CONFLICT (job_seq) DO UPDATE SET packed = excluded.packed`,
        },
        select: 'id',
      }),
    })
  }

  async setResult(run: RunKey, result: Json): Promise<void> {
    await this.#set(run, values => [`result = ${values.add(JSON.stringify(result))}`])
  }

  async setUsage(
    run: RunKey,
    { usage, redactions, activeMs }: { usage: Usage; redactions: number; activeMs: number },
  ): Promise<void> {
    await this.#set(run, values => [
      `usage = ${values.add(JSON.stringify(usage))}`,
      `redactions = ${values.add(redactions)}`,
      `active_ms = ${values.add(Math.round(activeMs))}`,
      `updated_at = ${this.#clock.now(values)}`,
    ])
  }

  async #set(run: RunKey, set: (values: Values) => string[]): Promise<void> {
    await this.#runs.need(run, { parts: values => ({ set: set(values), select: 'id' }) })
  }

  #noteChange(jobId: string): void {
    this.#changes++
    this.#changed(jobId)
  }

  async #isThere(condition: string, value: string): Promise<boolean> {
    const { rows } = await this.#db.query(`SELECT 1 FROM jobs WHERE ${condition} LIMIT 1`, [value])
    return rows.length > 0
  }

  async #digestNow(): Promise<number> {
    const { rows } = await this.#db.query(
      "SELECT coalesce(bit_xor(hashint8(seq)), 0)::bigint & 4294967295 AS digest FROM jobs WHERE status = 'queued'",
    )
    return Number(rows[0]?.digest)
  }

  async #claimIn(to: Queryable, seq: number, claimId: string): Promise<ClaimedJob | null> {
    const [row] = await this.#move(to, {
      condition: values => `seq = ${values.add(seq)} AND status = 'queued'`,
      more: values => ({
        set: [...NEXT_ATTEMPT, BEGUN, `claim_id = ${values.add(claimId)}`, `node = ${values.add(this.#node)}`],
      }),
      to: { to: 'running' },
      returning: CLAIMED,
    })
    return row === undefined ? null : toClaimed(row)
  }

  /** Claims a job that is queued or whose process was lost; null where it was not handed out to this process. */
  async #claimLost(tx: Queryable, seq: number, claimId: string): Promise<ClaimedJob | null> {
    const { rows } = await tx.query('SELECT status, exclusive_key FROM jobs WHERE seq = $1 FOR UPDATE', [seq])
    const { status, exclusive_key: key } = rows[0] ?? {}
    const isThere = status === 'queued' || status === 'running'
    if (!isThere || (await this.#handOut?.claimed(tx, seq)) === false) return null
    // who holds the key alone knows that whatever else runs under it was lost, and ends what that still writes
    if (status === 'running' || typeof key === 'string') {
      await this.#requeueLost(tx, values => {
        const own = `seq = ${values.add(seq)}`
        return typeof key === 'string' ? `(${own} OR exclusive_key = ${values.add(key)})` : own
      })
    }
    return this.#claimIn(tx, seq, claimId)
  }

  async #claimedBy(seq: number, claimId: string): Promise<ClaimedJob | null> {
    const { rows } = await this.#db.query(
      `SELECT ${CLAIMED} FROM jobs WHERE seq = $1 AND claim_id = $2 AND status = 'running'`,
      [seq, claimId],
    )
    return rows[0] === undefined ? null : toClaimed(rows[0])
  }

  /** Puts jobs that run back into the queue; what their runs still write is refused from now on. */
  #requeueLost(tx: Queryable, condition: (values: Values) => string): Promise<Row[]> {
    return this.#move(tx, {
      condition: values => `status = 'running' AND ${condition(values)}`,
      more: () => ({ set: [...NEXT_ATTEMPT, ...ONE_LOSS] }),
      to: { to: 'queued', outcome: { note: RESTARTED } },
    })
  }

  /** Moves jobs on, and tells what hands them out within the same transaction; false when there are none. */
  async #moveAll(
    move: Move,
    tell: (tx: Queryable, handOut: HandOut, job: QueuedJob) => Promise<void>,
  ): Promise<boolean> {
    const handOut = this.#handOut
    const moved =
      handOut === null
        ? await this.#move(this.#db, move)
        : await this.#db.transaction(async tx => {
            const rows = await this.#move(tx, move)
            for (const row of rows) await tell(tx, handOut, toQueued(row))
            return rows
          })
    for (const { id } of moved) this.#noteChange(String(id))
    return moved.length > 0
  }

  /** Moves the jobs on for which the condition holds. */
  async #move(to: Queryable, { condition, more, to: target, returning = HEAD }: Move): Promise<Row[]> {
    const values = new Values()
    const move = moveParts(values, this.#clock, target)
    const { set = [], and = {} } = more?.(values) ?? {}
    const columns = [...new Set(`${FENCE_COLUMNS}, ${returning}`.split(', '))].join(', ')
    const { rows } = await to.query(
      `WITH fence AS (
         UPDATE jobs SET ${[...move.set, ...set].join(', ')} WHERE ${condition(values)} RETURNING ${columns})
         ${withParts({ ...move.and, ...and })}
       SELECT ${returning} FROM fence ORDER BY seq`,
      values.list,
    )
    return rows
  }
}
