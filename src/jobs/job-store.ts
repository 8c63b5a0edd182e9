import { randomUUID } from 'node:crypto'
import type { DatabaseSync } from 'node:sqlite'
import { FaultlineError } from '../core/errors.ts'
import { isTerminal, type Job, type JobError, type JobEvent, type JobEventKind, type JobStatus, type JobType, type Json, type JsonObject, type Progress, type Usage } from '../core/job.ts'
import { quickTransaction, transaction } from './database.ts'
import { packJsonSync, unpackJson, type PackedJson } from './packed-json.ts'

/** A row of `jobs` without the body, which may hold ten megabytes; `seq` is the order of creation. */
export interface StoredJob extends Job { seq: number }

/** What the scheduler needs to know of a queued job. */
export interface QueuedJob { seq: number, id: string, projectName: string | null, exclusiveKey: string | null }

export interface NewJob {
  type: JobType
  input: JsonObject
  /** A JSON object that holds these fields of `input` already, for a large one that need not be written out again. */
  packed?: { json: PackedJson, fields: readonly string[] }
  projectName: string | null
  /** Jobs with the same key never run at the same time. */
  exclusiveKey: string | null
  keyName: string | null
  retryOf?: string
  trust?: 'trusted' | 'untrusted'
  /** Steps of the job that is retried, which are not to be repeated. */
  steps?: FinishedStep[]
  idempotency?: { key: string, scope: string, bodySha256: string }
}

export interface FinishedStep { name: string, output: Json }

export interface JobFilter { type?: JobType, status?: JobStatus, projectName?: string }

type Row = Record<string, string | number | null>
const IDEMPOTENCY_HOURS = 24
/** Characters of a body from which on it is packed: reading a row must not mean reading all of a log. */
const PACK_FROM_CHARS = 65_536
const COLUMNS = 'seq, id, type, status, project_name, trust, retry_of, progress, request, result, error, usage, budget, created_at, updated_at'
const ACTIVE = "status IN ('queued', 'running', 'waiting')"
const NO_USAGE: Usage = { llmCalls: 0, promptTokens: 0, completionTokens: 0, usd: null }

export type JobStore = ReturnType<typeof createJobStore>

/**
 * The job tables. Every change of state and the event that tells of it are one transaction, written before anybody hears of it.
 * All calls are synchronous and take a few milliseconds (one fsync).
 */
export function createJobStore (db: DatabaseSync, now: () => Date) {
  const statements = {
    insert: db.prepare(`INSERT INTO jobs (id, type, status, project_name, exclusive_key, key_name, trust, retry_of, input, usage, created_at, updated_at)
      VALUES (?, ?, 'queued', ?, ?, ?, ?, ?, ?, ?, ?, ?)`),
    byId: db.prepare(`SELECT ${COLUMNS} FROM jobs WHERE id = ?`),
    statusOf: db.prepare('SELECT status FROM jobs WHERE seq = ?'),
    input: db.prepare('SELECT input, packed FROM jobs LEFT JOIN job_inputs ON job_seq = seq WHERE seq = ?'),
    addInput: db.prepare('INSERT INTO job_inputs (job_seq, packed) VALUES (?, ?)'),
    queued: db.prepare("SELECT seq, id, project_name, exclusive_key FROM jobs WHERE status = 'queued' ORDER BY seq"),
    running: db.prepare("SELECT seq FROM jobs WHERE status = 'running' ORDER BY seq"),
    countQueued: db.prepare("SELECT count(*) AS n FROM jobs WHERE status = 'queued'"),
    position: db.prepare("SELECT count(*) AS n FROM jobs WHERE status = 'queued' AND seq < ?"),
    setStatus: db.prepare('UPDATE jobs SET status = ?, result = ?, error = ?, updated_at = ? WHERE seq = ?'),
    setProgress: db.prepare('UPDATE jobs SET progress = ?, updated_at = ? WHERE seq = ?'),
    setUsage: db.prepare('UPDATE jobs SET usage = ?, updated_at = ? WHERE seq = ?'),
    remove: db.prepare('DELETE FROM jobs WHERE seq = ?'),
    event: db.prepare('INSERT INTO job_events (job_seq, id, at, event, data) SELECT ?, coalesce(max(id), 0) + 1, ?, ?, ? FROM job_events WHERE job_seq = ?'),
    events: db.prepare('SELECT id, at, event, data FROM job_events WHERE job_seq = ? AND id > ? ORDER BY id LIMIT ?'),
    step: db.prepare('SELECT output FROM job_steps WHERE job_seq = ? AND name = ?'),
    steps: db.prepare('SELECT name, output FROM job_steps WHERE job_seq = ? ORDER BY position'),
    addStep: db.prepare(`INSERT INTO job_steps (job_seq, name, position, output, finished_at)
      SELECT ?, ?, coalesce(max(position), 0) + 1, ?, ? FROM job_steps WHERE job_seq = ?`),
    replayed: db.prepare('SELECT body_sha256, job_id FROM idempotency_keys WHERE scope = ? AND key = ? AND created_at > ?'),
    remember: db.prepare('INSERT OR REPLACE INTO idempotency_keys (scope, key, body_sha256, job_id, created_at) VALUES (?, ?, ?, ?, ?)'),
    forgetOld: db.prepare('DELETE FROM idempotency_keys WHERE created_at <= ?'),
    activeWithKey: db.prepare(`SELECT count(*) AS n FROM jobs WHERE exclusive_key = ? AND ${ACTIVE}`),
    activeOfProject: db.prepare(`SELECT count(*) AS n FROM jobs WHERE lower(project_name) = lower(?) AND ${ACTIVE}`),
    expired: db.prepare("SELECT seq FROM jobs WHERE status IN ('succeeded', 'failed', 'cancelled') AND updated_at < ? LIMIT 200"),
  }
  const at = () => now().toISOString()

  function addEvent (seq: number, event: JobEventKind, data: JsonObject): void {
    statements.event.run(seq, at(), event, JSON.stringify(data), seq)
  }

  function toJob (row: Row): StoredJob {
    const seq = Number(row.seq)
    return {
      seq,
      id: String(row.id),
      type: row.type as JobType,
      status: row.status as JobStatus,
      projectName: row.project_name as string | null,
      createdAt: String(row.created_at),
      updatedAt: String(row.updated_at),
      retryOf: row.retry_of as string | null,
      trust: row.trust as 'trusted' | 'untrusted',
      progress: parse(row.progress) as Progress | null,
      queuePosition: row.status === 'queued' ? Number(statements.position.get(seq)?.n) : null,
      request: parse(row.request) as JsonObject | null,
      result: parse(row.result),
      error: parse(row.error) as JobError | null,
      usage: parse(row.usage) as unknown as Usage,
      budget: parse(row.budget) as JsonObject | null,
    }
  }

  function find (id: string): StoredJob | null {
    const row = statements.byId.get(id)
    return row === undefined ? null : toJob(row as Row)
  }

  function replayOf ({ key, scope, bodySha256 }: NonNullable<NewJob['idempotency']>): StoredJob | null {
    const since = new Date(now().getTime() - IDEMPOTENCY_HOURS * 3_600_000).toISOString()
    const known = statements.replayed.get(scope, key, since)
    if (known === undefined) return null
    if (known.body_sha256 !== bodySha256) {
      throw new FaultlineError('IDEMPOTENCY_KEY_REUSED', `The Idempotency-Key ${JSON.stringify(key)} was used with another body.`, 'Send a new key with a new request.')
    }
    return find(String(known.job_id))
  }

  return {
    find,

    /**
     * Stores a new job, or gives back the one that the same idempotency key made.
     *
     * @throws {FaultlineError} QUEUE_FULL, IDEMPOTENCY_KEY_REUSED, DISK_FULL.
     */
    create (job: NewJob, queueLimit: number): { job: StoredJob, replayed: boolean } {
      return transaction(db, () => {
        const earlier = job.idempotency === undefined ? null : replayOf(job.idempotency)
        if (earlier !== null) return { job: earlier, replayed: true }
        const waiting = Number(statements.countQueued.get()?.n)
        if (waiting >= queueLimit) throw new FaultlineError('QUEUE_FULL', `${waiting} jobs are waiting already; a new one would be number ${waiting + 1}.`, 'Try again later, or raise QUEUE_LIMIT.')
        const id = randomUUID()
        const { text, packed } = toRows(job)
        const { lastInsertRowid } = statements.insert.run(id, job.type, job.projectName, job.exclusiveKey, job.keyName, job.trust ?? 'trusted',
          job.retryOf ?? null, text, JSON.stringify(NO_USAGE), at(), at())
        const seq = Number(lastInsertRowid)
        if (packed !== null) statements.addInput.run(seq, packed)
        addEvent(seq, 'status', { status: 'queued' })
        for (const { name, output } of job.steps ?? []) statements.addStep.run(seq, name, JSON.stringify(output), at(), seq)
        if (job.idempotency !== undefined) {
          const { scope, key, bodySha256 } = job.idempotency
          statements.remember.run(scope, key, bodySha256, id, at())
        }
        const stored = find(id)
        if (stored === null) throw new Error('the job that was just written is not there')
        return { job: stored, replayed: false }
      })
    },

    /** Newest first; `before` is the `seq` that the previous page ended with. */
    list ({ type, status, projectName }: JobFilter, limit: number, before: number | null): StoredJob[] {
      const rows = db.prepare(`SELECT ${COLUMNS} FROM jobs WHERE seq < ? AND (? IS NULL OR type = ?) AND (? IS NULL OR status = ?)
        AND (? IS NULL OR lower(project_name) = lower(?)) ORDER BY seq DESC LIMIT ?`)
        .all(before ?? Number.MAX_SAFE_INTEGER, type ?? null, type ?? null, status ?? null, status ?? null, projectName ?? null, projectName ?? null, limit)
      return rows.map(row => toJob(row as Row))
    },

    /** The body that the job was created with. */
    input (seq: number): JsonObject {
      const { input, packed } = statements.input.get(seq) ?? {}
      const own = parse(input as string) as JsonObject
      return packed instanceof Uint8Array ? { ...unpackJson(packed), ...own } : own
    },

    /** Oldest first. */
    queued: (): QueuedJob[] => statements.queued.all().map(row => ({
      seq: Number(row.seq), id: String(row.id), projectName: row.project_name as string | null, exclusiveKey: row.exclusive_key as string | null,
    })),

    isActive: (exclusiveKey: string): boolean => Number(statements.activeWithKey.get(exclusiveKey)?.n) > 0,
    isProjectBusy: (projectName: string): boolean => Number(statements.activeOfProject.get(projectName)?.n) > 0,

    /** Moves a job on, with its event; false when it is no longer in one of the `from` states. */
    transition ({ seq }: { seq: number }, from: JobStatus[], to: JobStatus, { result = null, error = null, note }: { result?: Json, error?: JobError | null, note?: string } = {}): boolean {
      const write = to === 'running' ? quickTransaction : transaction // a power cut leaves a job that was just started queued, which is as good
      return write(db, () => {
        const status = statements.statusOf.get(seq)?.status as JobStatus | undefined
        if (status === undefined || !from.includes(status)) return false
        statements.setStatus.run(to, result === null ? null : JSON.stringify(result), error === null ? null : JSON.stringify(error), at(), seq)
        addEvent(seq, 'status', { status: to, message: note })
        if (isTerminal(to)) addEvent(seq, 'done', { status: to, error: error === null ? null : { ...error } })
        return true
      })
    },

    progress (seq: number, progress: Progress): void {
      quickTransaction(db, () => {
        statements.setProgress.run(JSON.stringify(progress), at(), seq)
        addEvent(seq, 'step', { ...progress })
      })
    },

    addUsage (seq: number, usage: Usage): void {
      statements.setUsage.run(JSON.stringify(usage), at(), seq)
    },

    log: (seq: number, text: string): void => quickTransaction(db, () => addEvent(seq, 'log', { text })),

    events (seq: number, after: number, limit: number): JobEvent[] {
      return statements.events.all(seq, after, limit).map(row => ({
        id: Number(row.id), at: String(row.at), event: row.event as JobEventKind, data: parse(row.data as string) as JsonObject,
      }))
    },

    /** The stored output of a finished step, or undefined when the step has still to run. */
    stepOutput (seq: number, name: string): { output: Json } | undefined {
      const row = statements.step.get(seq, name)
      return row === undefined ? undefined : { output: parse(row.output as string) }
    },

    finishStep (seq: number, name: string, output: Json): void {
      transaction(db, () => {
        statements.addStep.run(seq, name, JSON.stringify(output), at(), seq)
        addEvent(seq, 'step', { step: name, finished: true })
      })
    },

    steps: (seq: number): FinishedStep[] => statements.steps.all(seq).map(row => ({ name: String(row.name), output: parse(row.output as string) })),

    remove: (seq: number): void => { statements.remove.run(seq) },

    /** Forgets finished jobs older than `days` and expired idempotency keys; at most 200 jobs a call, which takes about 40 ms. Answers how many it forgot. */
    prune (days: number): number {
      const before = (hours: number) => new Date(now().getTime() - hours * 3_600_000).toISOString()
      return transaction(db, () => {
        statements.forgetOld.run(before(IDEMPOTENCY_HOURS))
        const old = statements.expired.all(before(days * 24))
        for (const row of old) statements.remove.run(Number(row.seq))
        return old.length
      })
    },

    /** Puts the jobs that a dead process was running back into the queue, in their old order. */
    recover (): void {
      for (const row of statements.running.all()) {
        this.transition({ seq: Number(row.seq) }, ['running'], 'queued', { note: 'the server was restarted; finished steps are not repeated' })
      }
    },
  }
}

/** How a body is written: as text in the row of its job, or packed beside it, where the row keeps what the packed text has not or has otherwise. */
function toRows ({ input, packed }: Pick<NewJob, 'input' | 'packed'>): { text: string, packed: PackedJson | null } {
  if (packed !== undefined) return { text: JSON.stringify(Object.fromEntries(Object.entries(input).filter(([name]) => !packed.fields.includes(name)))), packed: packed.json }
  const text = JSON.stringify(input)
  return text.length < PACK_FROM_CHARS ? { text, packed: null } : { text: '{}', packed: packJsonSync(text) }
}

function parse (text: string | number | null | undefined): Json {
  return typeof text === 'string' ? JSON.parse(text) as Json : null
}
