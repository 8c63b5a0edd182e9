import { randomUUID } from 'node:crypto'
import type { DatabaseSync } from 'node:sqlite'
import { FaultlineError, QueueFullError } from '../../core/errors.ts'
import {
  isTerminal,
  type Budget,
  type JobError,
  type JobEvent,
  type JobEventKind,
  type JobStatus,
  type JobType,
  type Json,
  type JsonObject,
  type Progress,
  type Usage,
} from '../../core/job.ts'
import { quickTransaction, transaction } from './database.ts'
import { packJsonSync, unpackJson, type PackedJson } from './packed-json.ts'
import { COLUMNS, parse, toJob as rowToJob, type Row, type StoredJob } from './rows.ts'
import { createSteps } from './steps.ts'
import type { Suspension } from '../waiting.ts'

export interface NewJob {
  type: JobType
  input: JsonObject
  /** A JSON object that holds these fields of `input` already, for a large one that need not be written out again. */
  packed?: { json: PackedJson; fields: readonly string[] }
  projectName: string | null
  /** Jobs with the same key never run at the same time. */
  exclusiveKey: string | null
  keyName: string | null
  budget?: Budget | null
  retryOf?: string
  trust?: 'trusted' | 'untrusted'
  /**
   * Of a retry: what the job `from` did before its step number `before` is taken over. `adopt` is called within the
   * transaction.
   */
  kept?: { from: number; before: number; adopt: (made: { id: string; seq: number }) => void }
  idempotency?: { key: string; scope: string; bodySha256: string }
}

export interface JobFilter {
  type?: JobType
  status?: JobStatus
  projectName?: string
}

/** The oldest queued job of a project and exclusive key. */
export interface QueueHead {
  seq: number
  projectName: string | null
  exclusiveKey: string | null
}

interface Outcome {
  result?: Json
  error?: JobError | null
  note?: string
  suspension?: Suspension
  activeMs?: number
  step?: string | null
}

const IDEMPOTENCY_HOURS = 24
/** Characters of a body from which on it is packed: reading a row must not mean reading all of a log. */
const PACK_FROM_CHARS = 65_536
const ACTIVE = "status IN ('queued', 'running', 'waiting')"
const NO_USAGE: Usage = { llmCalls: 0, promptTokens: 0, completionTokens: 0, usd: null }

export type JobStore = ReturnType<typeof createJobStore>

/**
 * How a body is written: as text in the row of its job, or packed beside it, where the row keeps what the packed text
 * has not or has otherwise.
 */
function toRows({ input, packed }: Pick<NewJob, 'input' | 'packed'>): { text: string; packed: PackedJson | null } {
  if (packed !== undefined) {
    return {
      text: JSON.stringify(Object.fromEntries(Object.entries(input).filter(([name]) => !packed.fields.includes(name)))),
      packed: packed.json,
    }
  }
  const text = JSON.stringify(input)
  return text.length < PACK_FROM_CHARS ? { text, packed: null } : { text: '{}', packed: packJsonSync(text) }
}

/**
 * The job tables. Every change of state and the event that tells of it are one transaction, written before anybody
 * hears of it. All calls are synchronous and take a few milliseconds (one fsync).
 *
 * @param positionOf - Of a queued job: how many others will start before it.
 */
export function createJobStore(db: DatabaseSync, now: () => Date, positionOf: (seq: number) => number) {
  const steps = createSteps(db)
  const statements = {
    insert:
      db.prepare(`INSERT INTO jobs (id, type, status, project_name, exclusive_key, key_name, trust, retry_of, input, usage, budget, created_at, updated_at)
      VALUES (?, ?, 'queued', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`),
    byId: db.prepare(`SELECT ${COLUMNS} FROM jobs WHERE id = ?`),
    bySeq: db.prepare(`SELECT ${COLUMNS} FROM jobs WHERE seq = ?`),
    statusOf: db.prepare('SELECT status FROM jobs WHERE seq = ?'),
    input: db.prepare('SELECT input, packed FROM jobs LEFT JOIN job_inputs ON job_seq = seq WHERE seq = ?'),
    addInput: db.prepare('INSERT INTO job_inputs (job_seq, packed) VALUES (?, ?)'),
    heads: db.prepare(
      "SELECT min(seq) AS seq, project_name, exclusive_key FROM jobs WHERE status = 'queued' GROUP BY project_name, exclusive_key",
    ),
    queued: db.prepare("SELECT seq, project_name, exclusive_key FROM jobs WHERE status = 'queued' ORDER BY seq"),
    running: db.prepare("SELECT seq FROM jobs WHERE status = 'running' ORDER BY seq"),
    countQueued: db.prepare("SELECT count(*) AS n FROM jobs WHERE status = 'queued'"),
    counts: db.prepare('SELECT type, status, count(*) AS n FROM jobs GROUP BY type, status'),
    setStatus:
      db.prepare(`UPDATE jobs SET status = ?, result = ?, error = ?, request = ?, asked = ?, waiting_since = ?, active_ms = coalesce(?, active_ms), last_step = coalesce(?, last_step), updated_at = ?
      WHERE seq = ?`),
    setProgress: db.prepare('UPDATE jobs SET progress = ?, updated_at = ? WHERE seq = ?'),
    setUsage: db.prepare('UPDATE jobs SET usage = ?, redactions = ?, active_ms = ?, updated_at = ? WHERE seq = ?'),
    setFailure: db.prepare('UPDATE jobs SET failure = ? WHERE seq = ?'),
    setBudget: db.prepare('UPDATE jobs SET budget = ? WHERE seq = ?'),
    event: db.prepare(
      'INSERT INTO job_events (job_seq, id, at, event, data) SELECT ?, coalesce(max(id), 0) + 1, ?, ?, ? FROM job_events WHERE job_seq = ?',
    ),
    events: db.prepare('SELECT id, at, event, data FROM job_events WHERE job_seq = ? AND id > ? ORDER BY id LIMIT ?'),
    lastEvent: db.prepare('SELECT coalesce(max(id), 0) AS id FROM job_events WHERE job_seq = ?'),
    behind: db.prepare(
      'SELECT count(*) AS events, coalesce(sum(length(data)), 0) AS chars FROM job_events WHERE job_seq = ? AND id > ?',
    ),
    replayed: db.prepare(
      'SELECT body_sha256, job_id FROM idempotency_keys WHERE scope = ? AND key = ? AND created_at > ?',
    ),
    remember: db.prepare(
      'INSERT OR REPLACE INTO idempotency_keys (scope, key, body_sha256, job_id, created_at) VALUES (?, ?, ?, ?, ?)',
    ),
    activeWithKey: db.prepare(`SELECT count(*) AS n FROM jobs WHERE exclusive_key = ? AND ${ACTIVE}`),
    activeOfProject: db.prepare(`SELECT count(*) AS n FROM jobs WHERE lower(project_name) = lower(?) AND ${ACTIVE}`),
    unanswered: db.prepare(
      `SELECT ${COLUMNS}, waiting_since FROM jobs WHERE status = 'waiting' AND waiting_since <= ? LIMIT 200`,
    ),
  }
  const at = () => now().toISOString()
  let queueVersion = 0
  const toHead = (row: Record<string, unknown>): QueueHead => ({
    seq: Number(row.seq),
    projectName: row.project_name as string | null,
    exclusiveKey: row.exclusive_key as string | null,
  })
  const toJob = (row: unknown): StoredJob => rowToJob(row as Row, positionOf)

  function addEvent(seq: number, event: JobEventKind, data: JsonObject): void {
    statements.event.run(seq, at(), event, JSON.stringify(data), seq)
  }

  function find(id: string): StoredJob | null {
    const row = statements.byId.get(id)
    return row === undefined ? null : toJob(row)
  }

  function replayOf({ key, scope, bodySha256 }: NonNullable<NewJob['idempotency']>): StoredJob | null {
    const since = new Date(now().getTime() - IDEMPOTENCY_HOURS * 3_600_000).toISOString()
    const known = statements.replayed.get(scope, key, since)
    if (known === undefined) return null
    if (known.body_sha256 !== bodySha256) {
      throw new FaultlineError(
        'IDEMPOTENCY_KEY_REUSED',
        `The Idempotency-Key ${JSON.stringify(key)} was used with another body.`,
        'Send a new key with a new request.',
      )
    }
    return find(String(known.job_id))
  }

  /** Within a transaction of the caller; false when the job is no longer in one of the `from` states. */
  function move(
    seq: number,
    from: JobStatus[],
    to: JobStatus,
    { result = null, error = null, note, suspension, activeMs, step }: Outcome,
  ): boolean {
    const status = statements.statusOf.get(seq)?.status as JobStatus | undefined
    if (status === undefined || !from.includes(status)) return false
    queueVersion++
    const request = suspension?.request
    statements.setStatus.run(
      to,
      result === null ? null : JSON.stringify(result),
      error === null ? null : JSON.stringify(error),
      request === undefined ? null : JSON.stringify(request),
      suspension?.asked ?? null,
      suspension === undefined ? null : at(),
      activeMs === undefined ? null : Math.round(activeMs),
      step ?? null,
      at(),
      seq,
    )
    addEvent(seq, 'status', { status: to, message: note })
    if (request !== undefined) addEvent(seq, 'request', { ...request })
    if (isTerminal(to)) addEvent(seq, 'done', { status: to, error: error === null ? null : { ...error } })
    return true
  }

  return {
    find,

    /**
     * Stores a new job, or gives back the one that the same idempotency key made.
     *
     * @throws {FaultlineError} QUEUE_FULL, IDEMPOTENCY_KEY_REUSED, DISK_FULL.
     */
    create(
      job: NewJob,
      { limit, retryAfterS }: { limit: number; retryAfterS: () => number },
    ): { job: StoredJob; replayed: boolean } {
      return transaction(db, () => {
        const earlier = job.idempotency === undefined ? null : replayOf(job.idempotency)
        if (earlier !== null) return { job: earlier, replayed: true }
        const queued = Number(statements.countQueued.get()?.n)
        if (queued >= limit) throw new QueueFullError(queued + 1, retryAfterS())
        queueVersion++
        const id = randomUUID()
        const { text, packed } = toRows(job)
        const { lastInsertRowid } = statements.insert.run(
          id,
          job.type,
          job.projectName,
          job.exclusiveKey,
          job.keyName,
          job.trust ?? 'trusted',
          job.retryOf ?? null,
          text,
          JSON.stringify(NO_USAGE),
          job.budget == null ? null : JSON.stringify(job.budget),
          at(),
          at(),
        )
        const seq = Number(lastInsertRowid)
        if (packed !== null) statements.addInput.run(seq, packed)
        addEvent(seq, 'status', { status: 'queued' })
        if (job.kept !== undefined) {
          steps.copy(job.kept.from, seq, job.kept.before)
          job.kept.adopt({ id, seq })
        }
        if (job.idempotency !== undefined) {
          const { scope, key, bodySha256 } = job.idempotency
          statements.remember.run(scope, key, bodySha256, id, at())
        }
        return { job: toJob(statements.bySeq.get(seq)), replayed: false }
      })
    },

    /** Newest first; `before` is the `seq` that the previous page ended with. */
    list({ type, status, projectName }: JobFilter, limit: number, before: number | null): StoredJob[] {
      const rows = db
        .prepare(
          `SELECT ${COLUMNS} FROM jobs WHERE seq < ? AND (? IS NULL OR type = ?) AND (? IS NULL OR status = ?)
        AND (? IS NULL OR lower(project_name) = lower(?)) ORDER BY seq DESC LIMIT ?`,
        )
        .all(
          before ?? Number.MAX_SAFE_INTEGER,
          type ?? null,
          type ?? null,
          status ?? null,
          status ?? null,
          projectName ?? null,
          projectName ?? null,
          limit,
        )
      return rows.map(toJob)
    },

    /** The body that the job was created with. */
    input(seq: number): JsonObject {
      const { input, packed } = statements.input.get(seq) ?? {}
      const own = parse(input as string) as JsonObject
      return packed instanceof Uint8Array ? { ...unpackJson(packed), ...own } : own
    },

    /** What could run next: one look at the queue, however many jobs it holds. */
    queueHeads: (): QueueHead[] => statements.heads.all().map(toHead),
    /** All that is queued, the oldest first. */
    queued: (): QueueHead[] => statements.queued.all().map(toHead),
    /** Another one after each change of the queue. */
    queueVersion: (): number => queueVersion,

    bySeq: (seq: number): StoredJob => toJob(statements.bySeq.get(seq)),
    counts: (): Array<{ type: string; status: string; jobs: number }> =>
      statements.counts.all().map(row => ({ type: String(row.type), status: String(row.status), jobs: Number(row.n) })),
    isActive: (exclusiveKey: string): boolean => Number(statements.activeWithKey.get(exclusiveKey)?.n) > 0,
    isProjectBusy: (projectName: string): boolean => Number(statements.activeOfProject.get(projectName)?.n) > 0,

    /** Moves a job on, with its events; false when it is no longer in one of the `from` states. */
    transition({ seq }: { seq: number }, from: JobStatus[], to: JobStatus, outcome: Outcome = {}): boolean {
      // a power cut leaves a job that was just started queued, which is as good
      const write = to === 'running' ? quickTransaction : transaction
      return write(db, () => move(seq, from, to, outcome))
    },

    /** Ends the wait of a job; what it asked is answered by `reply`, and what `also` writes stands with it. */
    answer(
      job: StoredJob,
      { reply, budget, note }: { reply: Json; budget: Budget | null; note: string },
      also: () => void,
    ): boolean {
      return transaction(db, () => {
        if (!move(job.seq, ['waiting'], 'queued', { note })) return false
        if (budget !== null) statements.setBudget.run(JSON.stringify(budget), job.seq)
        else if (job.asked !== null) steps.add(job.seq, job.asked, reply, at())
        also()
        return true
      })
    },

    /** Jobs that have waited since `since` or longer; at most 200. */
    unanswered: (since: Date): Array<{ job: StoredJob; since: string }> =>
      statements.unanswered
        .all(since.toISOString())
        .map(row => ({ job: toJob(row), since: String(row.waiting_since) })),

    /**
     * Notes how a job is going to fail, which is told to others before it is marked: a restart in between must not give
     * it another end.
     */
    setFailure: (seq: number, error: JobError): void => {
      statements.setFailure.run(JSON.stringify(error), seq)
    },

    progress(seq: number, progress: Progress): void {
      quickTransaction(db, () => {
        statements.setProgress.run(JSON.stringify(progress), at(), seq)
        addEvent(seq, 'step', { ...progress })
      })
    },

    setUsage(
      seq: number,
      { usage, redactions, activeMs }: { usage: Usage; redactions: number; activeMs: number },
    ): void {
      statements.setUsage.run(JSON.stringify(usage), redactions, Math.round(activeMs), at(), seq)
    },

    tell: (seq: number, event: 'log' | 'token', text: string, more: JsonObject = {}): void =>
      quickTransaction(db, () => addEvent(seq, event, { text, ...more })),

    events(seq: number, after: number, limit: number): JobEvent[] {
      return statements.events.all(seq, after, limit).map(row => ({
        id: Number(row.id),
        at: String(row.at),
        event: row.event as JobEventKind,
        data: parse(row.data as string) as JsonObject,
      }))
    },

    lastEvent: (seq: number): number => Number(statements.lastEvent.get(seq)?.id),

    /** How much a reader who has everything up to `id` still has to get. */
    behind(seq: number, id: number): { events: number; chars: number } {
      const row = statements.behind.get(seq, id)
      return { events: Number(row?.events), chars: Number(row?.chars) }
    },

    stepOutput: steps.output,
    steps: steps.all,
    nextPosition: steps.next,

    finishStep(seq: number, name: string, output: Json | undefined): void {
      transaction(db, () => {
        steps.add(seq, name, output, at())
        addEvent(seq, 'step', { step: name, finished: true })
      })
    },

    /** Puts the jobs that a dead process was running back into the queue, in their old order. */
    recover(): void {
      for (const row of statements.running.all()) {
        this.transition({ seq: Number(row.seq) }, ['running'], 'queued', {
          note: 'the server was restarted; finished steps are not repeated',
        })
      }
    },
  }
}
