import type { DatabaseSync } from 'node:sqlite'
import type { Visibility } from '../../../core/access.ts'
import type { NewAuditEntry } from '../../../core/audit.ts'
import { QueueFullError } from '../../../core/errors.ts'
import { isTerminal, type JobError, type JobStatus, type Json, type JsonObject, type Usage } from '../../../core/job.ts'
import {
  MAX_LOSSES,
  type Answer,
  type ClaimedJob,
  type JobFilter,
  type JobStore,
  type NewJob,
  type Outcome,
  type QueueHead,
  type QueueLimit,
  type RunEnd,
  type StoredJob,
} from '../job-store.ts'
import { bodyOf, bodyRows } from '../body-rows.ts'
import type { RunKey } from '../run-key.ts'
import type { SpaceReserve } from '../space-reserve.ts'
import { Attempts } from './attempts.ts'
import { SqliteAudit } from './audit.ts'
import { overwriting } from './database.ts'
import { SqliteEvents } from './events.ts'
import { SqliteFiles } from './files.ts'
import { SqliteRetention } from './retention.ts'
import { COLUMNS, parse, textOf, toHead, toJob } from '../rows.ts'
import {
  eventOf,
  IDEMPOTENCY_MS,
  idempotencyKeyReused,
  isFirstRun,
  MAX_UNANSWERED,
  NO_USAGE,
  RESTARTED,
  sourceDeleted,
  taskEnd,
} from '../status-changes.ts'
import { VISIBLE, visibleRows } from './visible-rows.ts'
import { SqliteSessions } from './sessions.ts'
import { SqliteSteps } from './steps.ts'
import { SqliteFeatures } from './features.ts'
import { SqliteNotifications } from './notifications.ts'
import { SqliteTasks } from './tasks.ts'
import { SqliteTexts } from './texts.ts'
import { Transactions } from './transactions.ts'
import { SqliteTranscript } from './transcript.ts'

const ACTIVE = "status IN ('queued', 'running', 'waiting')"

const prepare = (db: DatabaseSync) => ({
  insert: db.prepare(
    `INSERT INTO jobs (id, type, status, project_name, exclusive_key, key_name, request_id, trust, retry_of, input,
       usage, budget, notify, created_at, updated_at)
     VALUES (?, ?, 'queued', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  ),
  byId: db.prepare(`SELECT ${COLUMNS} FROM jobs WHERE id = ?`),
  bySeq: db.prepare(`SELECT ${COLUMNS} FROM jobs WHERE seq = ?`),
  list: db.prepare(
    `SELECT ${COLUMNS} FROM jobs
     WHERE seq < :before AND (:type IS NULL OR type = :type) AND (:status IS NULL OR status = :status)
       AND (:project IS NULL OR lower(project_name) = lower(:project)) AND ${VISIBLE}
     ORDER BY seq DESC LIMIT :limit`,
  ),
  statusOf: db.prepare('SELECT status, asked, notify FROM jobs WHERE seq = ?'),
  input: db.prepare('SELECT input, packed FROM jobs LEFT JOIN job_inputs ON job_seq = seq WHERE seq = ?'),
  setInput: db.prepare('UPDATE jobs SET input = ? WHERE seq = ?'),
  dropInput: db.prepare('DELETE FROM job_inputs WHERE job_seq = ?'),
  addInput: db.prepare('INSERT INTO job_inputs (job_seq, packed) VALUES (?, ?)'),
  heads: db.prepare(
    `SELECT min(seq) AS seq, type, project_name, exclusive_key FROM jobs WHERE status = 'queued'
     GROUP BY type, project_name, exclusive_key`,
  ),
  queued: db.prepare("SELECT seq, type, project_name, exclusive_key FROM jobs WHERE status = 'queued' ORDER BY seq"),
  queuedSince: db.prepare("SELECT min(created_at) AS at FROM jobs WHERE status = 'queued'"),
  running: db.prepare("SELECT seq FROM jobs WHERE status = 'running' ORDER BY seq"),
  countQueued: db.prepare("SELECT count(*) AS n FROM jobs WHERE status = 'queued'"),
  counts: db.prepare(`SELECT type, status, count(*) AS n FROM jobs WHERE ${VISIBLE} GROUP BY type, status`),
  setStatus: db.prepare(
    `UPDATE jobs SET status = ?, result = coalesce(?, result), error = ?, request = ?, asked = ?, waiting_since = ?,
       active_ms = coalesce(?, active_ms), last_step = coalesce(?, last_step), updated_at = ?,
       losses = CASE ? WHEN 'keep' THEN losses WHEN 'count' THEN losses + has_begun ELSE 0 END,
       has_begun = (? = 'running' AND losses < ${MAX_LOSSES - 1})
     WHERE seq = ?`,
  ),
  lossesOf: db.prepare('SELECT losses FROM jobs WHERE seq = ?'),
  setBegun: db.prepare('UPDATE jobs SET has_begun = ? WHERE seq = ?'),
  setResult: db.prepare('UPDATE jobs SET result = ? WHERE seq = ?'),
  setUsage: db.prepare('UPDATE jobs SET usage = ?, redactions = ?, active_ms = ?, updated_at = ? WHERE seq = ?'),
  setFailure: db.prepare('UPDATE jobs SET failure = ? WHERE seq = ?'),
  setBudget: db.prepare('UPDATE jobs SET budget = ? WHERE seq = ?'),
  replayed: db.prepare(
    'SELECT body_sha256, job_id FROM idempotency_keys WHERE scope = ? AND key = ? AND created_at > ?',
  ),
  remember: db.prepare(
    'INSERT OR REPLACE INTO idempotency_keys (scope, key, body_sha256, job_id, created_at) VALUES (?, ?, ?, ?, ?)',
  ),
  activeWithKey: db.prepare(`SELECT count(*) AS n FROM jobs WHERE exclusive_key = ? AND ${ACTIVE}`),
  activeOfProject: db.prepare(`SELECT count(*) AS n FROM jobs WHERE lower(project_name) = lower(?) AND ${ACTIVE}`),
  unanswered: db.prepare(
    `SELECT ${COLUMNS}, waiting_since FROM jobs
     WHERE status = 'waiting' AND waiting_since <= ? LIMIT ${MAX_UNANSWERED}`,
  ),
})

/** What becomes of the losses of a job that moves on: at an end, or with a question, it came on. */
const lossesAt = (to: JobStatus): 'keep' | 'forget' => (to === 'queued' || to === 'running' ? 'keep' : 'forget')

const wantedIn = (column: unknown): Json[] => (parse(column) ?? []) as Json[]

/** The job tables in one SQLite file of this process: each call blocks for a few milliseconds (one fsync). */
export class SqliteJobStore implements JobStore {
  readonly steps: SqliteSteps
  readonly events: SqliteEvents
  readonly transcript: SqliteTranscript
  readonly texts: SqliteTexts
  readonly files: SqliteFiles
  readonly retention: SqliteRetention
  readonly audit: SqliteAudit
  readonly tasks: SqliteTasks
  readonly features: SqliteFeatures
  readonly notifications: SqliteNotifications
  readonly sessions: SqliteSessions
  readonly #db: DatabaseSync
  readonly #writes: Transactions
  readonly #now: () => Date
  readonly #attempts = new Attempts()
  readonly #statements: ReturnType<typeof prepare>
  #queueVersion = 0

  /** @param reserve - What is given up for vital writes on a full disk; null for nothing. */
  constructor(db: DatabaseSync, now: () => Date = () => new Date(), reserve: SpaceReserve | null = null) {
    const writes = new Transactions(db, reserve)
    this.#db = db
    this.#writes = writes
    this.#now = now
    this.#statements = prepare(db)
    const at = () => this.#ago(0)
    const attempts = this.#attempts
    const nextPosition = (seq: number) => this.steps.nextPosition(seq)
    this.events = new SqliteEvents(db, writes, at, attempts)
    this.steps = new SqliteSteps(db, writes, at, attempts, this.events)
    this.transcript = new SqliteTranscript(db, writes, at, attempts)
    this.texts = new SqliteTexts(db, writes, attempts, nextPosition)
    this.files = new SqliteFiles(db, writes, attempts, nextPosition)
    const ago = (ms: number) => this.#ago(ms)
    this.audit = new SqliteAudit(db, writes, ago)
    this.tasks = new SqliteTasks(db, writes, { at, attempts, isRunning: seq => this.events.isRunning(seq) })
    this.features = new SqliteFeatures(db, writes, attempts)
    this.notifications = new SqliteNotifications(db, writes)
    this.sessions = new SqliteSessions(db, writes, ago)
    const addAudit = (entry: NewAuditEntry) => this.audit.addNow(entry)
    this.retention = new SqliteRetention(db, writes, { ago, attempts, addAudit })
  }

  async create(job: NewJob, queue: QueueLimit): Promise<{ job: StoredJob; replayed: boolean }> {
    return this.#writes.durable(() => {
      const earlier = job.idempotency === undefined ? null : this.#replayOf(job.idempotency)
      if (earlier !== null) return { job: earlier, replayed: true }
      if (queue.refusal !== undefined && queue.refusal !== null) throw queue.refusal
      const queued = Number(this.#statements.countQueued.get()?.n)
      if (queued >= queue.limit) throw new QueueFullError(queued + 1, queue.retryAfterS())
      this.#queueVersion++
      const seq = this.#insert(job)
      if (job.kept !== undefined) this.#copy(job.kept, seq)
      if (job.idempotency !== undefined) {
        const { scope, key, bodySha256 } = job.idempotency
        this.#statements.remember.run(scope, key, bodySha256, job.id, this.#ago(0))
      }
      for (const entry of job.audit ?? []) this.audit.addNow(entry)
      return { job: this.#bySeq(seq), replayed: false }
    })
  }

  async find(id: string): Promise<StoredJob | null> {
    return this.#findNow(id)
  }

  async list(
    { type, status, projectName, visibleTo }: JobFilter,
    limit: number,
    before: number | null,
  ): Promise<StoredJob[]> {
    const rows = this.#statements.list.all({
      before: before ?? Number.MAX_SAFE_INTEGER,
      type: type ?? null,
      status: status ?? null,
      project: projectName ?? null,
      ...visibleRows(visibleTo),
      limit,
    })
    return rows.map(toJob)
  }

  async input(seq: number): Promise<JsonObject> {
    return bodyOf(this.#statements.input.get(seq) ?? {})
  }

  async counts(visibleTo?: Visibility | null): Promise<Array<{ type: string; status: string; jobs: number }>> {
    return this.#statements.counts
      .all(visibleRows(visibleTo))
      .map(row => ({ type: String(row.type), status: String(row.status), jobs: Number(row.n) }))
  }

  async isActive(exclusiveKey: string): Promise<boolean> {
    return Number(this.#statements.activeWithKey.get(exclusiveKey)?.n) > 0
  }

  async isProjectBusy(projectName: string): Promise<boolean> {
    return Number(this.#statements.activeOfProject.get(projectName)?.n) > 0
  }

  async queueVersion(): Promise<number> {
    return this.#queueVersion
  }

  async queueHeads(): Promise<QueueHead[]> {
    return this.#statements.heads.all().map(toHead)
  }

  async queuedForMs(): Promise<number | null> {
    const at = this.#statements.queuedSince.get()?.at
    return typeof at === 'string' ? Math.max(0, this.#now().getTime() - Date.parse(at)) : null
  }

  async queued(): Promise<QueueHead[]> {
    return this.#statements.queued.all().map(toHead)
  }

  async claim(seq: number): Promise<ClaimedJob | null> {
    // a power cut leaves a job that was just started queued, which is as good
    const isClaimed = this.#writes.quick(() => this.#move(seq, ['queued'], 'running', {}))
    if (!isClaimed) return null
    const job = this.#bySeq(seq)
    const isFresh = isFirstRun(job, await this.events.last(seq))
    return { ...job, ...this.#attempts.begin(seq), losses: this.#lossesOf(seq), isFresh }
  }

  async setBegun(run: RunKey, hasBegun: boolean): Promise<void> {
    this.#attempts.check(run)
    this.#writes.quick(() => this.#statements.setBegun.run(hasBegun ? 1 : 0, run.seq))
  }

  /** Only this process runs the jobs of its file: it never takes itself for lost. */
  async notLost(): Promise<void> {}

  async lossesOf({ seq }: RunKey): Promise<number> {
    return this.#lossesOf(seq)
  }

  async endRun(run: RunKey, to: RunEnd, outcome: Outcome = {}): Promise<boolean> {
    if (!this.#attempts.isLatest(run)) return false
    return this.#writes.vital(() => this.#move(run.seq, ['running'], to, outcome))
  }

  async cancel(seq: number, step: string | null = null, audit?: NewAuditEntry): Promise<boolean> {
    return this.#writes.vital(() => {
      const isCancelled = this.#move(seq, ['queued', 'running', 'waiting'], 'cancelled', { step })
      if (isCancelled && audit !== undefined) this.audit.addNow(audit)
      return isCancelled
    })
  }

  async answer({ seq, asked }: StoredJob, { reply, budget, note, entries, audit }: Answer): Promise<boolean> {
    return this.#writes.vital(() => {
      const isAsked = this.#statements.statusOf.get(seq)?.asked === asked // not the next question by now
      if (!isAsked || !this.#move(seq, ['waiting'], 'queued', { note })) return false
      if (budget !== null) this.#statements.setBudget.run(JSON.stringify(budget), seq)
      else if (asked !== null) this.steps.add(seq, asked, reply)
      for (const entry of entries) this.transcript.addNow(seq, asked, entry)
      if (audit !== undefined) this.audit.addNow(audit)
      return true
    })
  }

  async unanswered(waitedMs: number): Promise<Array<{ job: StoredJob; since: string }>> {
    return this.#statements.unanswered
      .all(this.#ago(waitedMs))
      .map(row => ({ job: toJob(row), since: String(row.waiting_since) }))
  }

  async recover(): Promise<void> {
    for (const row of this.#statements.running.all()) {
      this.#writes.vital(() => this.#move(Number(row.seq), ['running'], 'queued', { note: RESTARTED }, 'count'))
    }
  }

  async setFailure(run: RunKey, error: JobError): Promise<void> {
    this.#attempts.check(run)
    this.#writes.vital(() => this.#statements.setFailure.run(JSON.stringify(error), run.seq))
  }

  async setInput(run: RunKey, input: Pick<NewJob, 'input' | 'packed'>): Promise<void> {
    this.#attempts.check(run)
    const { text, packed } = bodyRows(input)
    overwriting(this.#db, () =>
      this.#writes.vital(() => {
        this.#statements.setInput.run(text, run.seq)
        this.#statements.dropInput.run(run.seq)
        if (packed !== null) this.#statements.addInput.run(run.seq, packed)
      }),
    )
  }

  async setResult(run: RunKey, result: Json): Promise<void> {
    this.#attempts.check(run)
    this.#writes.vital(() => this.#statements.setResult.run(JSON.stringify(result), run.seq))
  }

  async setUsage(
    run: RunKey,
    { usage, redactions, activeMs }: { usage: Usage; redactions: number; activeMs: number },
  ): Promise<void> {
    this.#attempts.check(run)
    const total = JSON.stringify(usage)
    this.#writes.vital(() =>
      this.#statements.setUsage.run(total, redactions, Math.round(activeMs), this.#ago(0), run.seq),
    )
  }

  /** The time so many milliseconds ago, as it is stored. */
  #ago(ms: number): string {
    return new Date(this.#now().getTime() - ms).toISOString()
  }

  #lossesOf(seq: number): number {
    return Number(this.#statements.lossesOf.get(seq)?.losses)
  }

  #findNow(id: string): StoredJob | null {
    const row = this.#statements.byId.get(id)
    return row === undefined ? null : toJob(row)
  }

  #bySeq(seq: number): StoredJob {
    return toJob(this.#statements.bySeq.get(seq) ?? {})
  }

  #insert(job: NewJob): number {
    const { text, packed } = bodyRows(job)
    const { lastInsertRowid } = this.#statements.insert.run(
      job.id,
      job.type,
      job.projectName,
      job.exclusiveKey,
      job.keyName,
      job.requestId ?? null,
      job.trust ?? 'trusted',
      job.retryOf ?? null,
      text,
      JSON.stringify(NO_USAGE),
      textOf(job.budget),
      textOf(job.notify),
      this.#ago(0),
      this.#ago(0),
    )
    const seq = Number(lastInsertRowid)
    if (packed !== null) this.#statements.addInput.run(seq, packed)
    this.events.add(seq, 'status', { status: 'queued' })
    if (job.task !== undefined && job.task !== null) this.tasks.addNow({ seq, id: job.id }, job.task)
    return seq
  }

  #copy({ from, before }: NonNullable<NewJob['kept']>, to: number): void {
    if (this.#statements.statusOf.get(from) === undefined) {
      throw sourceDeleted()
    }
    this.steps.copy(from, to, before)
    this.files.copy(from, to, before)
    this.texts.copy(from, to, before)
  }

  #replayOf({ key, scope, bodySha256 }: NonNullable<NewJob['idempotency']>): StoredJob | null {
    const known = this.#statements.replayed.get(scope, key, this.#ago(IDEMPOTENCY_MS))
    if (known === undefined) return null
    if (known.body_sha256 !== bodySha256) throw idempotencyKeyReused(key)
    return this.#findNow(String(known.job_id))
  }

  /** Adds what is to be told of a status, within a transaction of the caller. */
  #addNotification(seq: number, { to, notify, asked }: { to: JobStatus; notify: unknown; asked: string | null }): void {
    const event = eventOf(to)
    if (event === null || !wantedIn(notify).includes(event)) return
    this.notifications.addNow(seq, { event, asked, at: this.#ago(0) })
  }

  /** Moves a job on within a transaction of the caller; false when it is in none of the `from` states. */
  #move(
    seq: number,
    from: readonly JobStatus[],
    to: JobStatus,
    outcome: Outcome,
    losses: 'keep' | 'count' | 'forget' = lossesAt(to),
  ): boolean {
    const { status, notify } = this.#statements.statusOf.get(seq) ?? {}
    if (!from.includes(status as JobStatus)) return false
    this.#queueVersion++
    const { result, error = null, note, suspension, activeMs, step } = outcome
    const asked = suspension?.asked ?? null
    this.#statements.setStatus.run(
      to,
      textOf(result),
      textOf(error),
      textOf(suspension?.request),
      asked,
      suspension === undefined ? null : this.#ago(0),
      activeMs === undefined ? null : Math.round(activeMs),
      step ?? null,
      this.#ago(0),
      losses,
      to,
      seq,
    )
    this.events.add(seq, 'status', { status: to, message: note })
    if (suspension !== undefined) this.events.add(seq, 'request', suspension.request as JsonObject)
    if (isTerminal(to)) {
      this.events.add(seq, 'done', { status: to, error: error === null ? null : { ...error } })
      this.tasks.endNow(seq, taskEnd(to, error))
    }
    this.#addNotification(seq, { to, notify, asked })
    return true
  }
}
