import type { Visibility } from '../../core/access.ts'
import type { NotifyEvent } from '../../contract/primitives.ts'
import type { NewAuditEntry } from '../../core/audit.ts'
import type { FaultlineError } from '../../core/errors.ts'
import type {
  Budget,
  Job,
  JobError,
  JobEvent,
  JobFile,
  JobRequest,
  JobStatus,
  JobType,
  Json,
  JsonObject,
  Progress,
  TranscriptEntry,
  Usage,
} from '../../core/job.ts'
import type { NewTask } from '../../core/task.ts'
import type { AuditStore } from './audit-store.ts'
import type { SessionStore } from './session-store.ts'
import type { RunKey } from './run-key.ts'
import type { NotificationStore } from './notification-store.ts'
import type { FeatureStore } from './feature-store.ts'
import type { TaskStore } from './task-store.ts'

/** The compressed text of a JSON object, as a store keeps a large one. */
export type PackedJson = Uint8Array

/** A job as its store keeps it, without the body, which may hold ten megabytes; `seq` is the order of creation. */
export interface StoredJob extends Omit<Job, 'queuePosition'> {
  seq: number
  keyName: string | null
  /** The request that made it. */
  requestId: string | null
  /** Name of the question that it waits with. */
  asked: string | null
  /** How long it ran before the present run. */
  activeMs: number
  /** The step that its latest run ended in; it may have been cut off. */
  lastStep: string | null
  /** How it failed, while the callback is sent and the failure is not marked yet. */
  failure: JobError | null
}

/** The two names of a job: `id` for clients and folders, `seq` for tables. */
export type JobKey = Pick<StoredJob, 'id' | 'seq'>

/** A job as the run gets it that claimed it. */
export interface ClaimedJob extends StoredJob, RunKey {
  /** How many processes ended while they ran its body, since it finished a step. */
  losses: number
  /** Whether nothing is stored of it: no run of it began before, and it takes nothing over. */
  isFresh: boolean
}

/** So many processes end over a job before it fails. */
export const MAX_LOSSES = 3

/** What a job is made from. */
export interface NewJob {
  /** A fresh UUID; the caller may have made the job's folder under it. */
  id: string
  type: JobType
  input: JsonObject
  /** A JSON object that holds these fields of `input` already, for a large one that need not be written out again. */
  packed?: { json: PackedJson; fields: readonly string[] }
  projectName: string | null
  /** Jobs with the same key never run at the same time. */
  exclusiveKey: string | null
  /** The node that alone is to run it; null, as when left out: any. A store of one process does not look at it. */
  runsOn?: string | null
  keyName: string | null
  requestId?: string | null
  /** Entries of the audit log that are written with the job. */
  audit?: readonly NewAuditEntry[]
  /** The row of the task that the job works on; null, as when left out: none. */
  task?: NewTask | null
  budget?: Budget | null
  /** When the job notifies; default: never. */
  notify?: readonly NotifyEvent[]
  retryOf?: string
  trust?: 'trusted' | 'untrusted'
  /** The steps, files and texts that a retry takes over: those of the job `from` before its step number `before`. */
  kept?: { from: number; before: number }
  idempotency?: { key: string; scope: string; bodySha256: string }
}

/** Whether there is a place for a new job. */
export interface QueueLimit {
  /** How many jobs may be queued. */
  limit: number
  /** Seconds after which a client that was refused should try again. */
  retryAfterS: () => number
  /** Why no new job is taken whatever is queued, as while the disk is full. */
  refusal?: FaultlineError | null
}

/** Which jobs a list shows: those that have all of it. */
export interface JobFilter {
  type?: JobType
  status?: JobStatus
  projectName?: string
  /** Null, as when left out: all of them. */
  visibleTo?: Visibility | null
}

/** A queued job, as far as its turn depends on it. */
export interface QueueHead {
  seq: number
  type: JobType
  projectName: string | null
  exclusiveKey: string | null
}

/** What a job can be after a run: ended, waiting for a person, or queued once more. */
export type RunEnd = 'succeeded' | 'failed' | 'waiting' | 'queued'

/** What is written with a change of a job's status. */
export interface Outcome {
  result?: Json
  error?: JobError | null
  /** The sentence of the event that tells of the change. */
  note?: string
  /** The question that the job begins to wait with. */
  suspension?: { asked: string; request: JobRequest }
  activeMs?: number
  step?: string | null
}

/** The end of a job's wait: a person's reply, or the mark that nobody replied in time. */
export interface Answer {
  reply: Json
  /** Replaces the job's budget; the reply is stored as a step's output otherwise. */
  budget: Budget | null
  note: string
  /** Entries of the transcript that are written with it. */
  entries: readonly TranscriptEntry[]
  audit?: NewAuditEntry
}

/** A step with its output, or a question with the reply of a person; `position` counts both, from 1. */
export interface FinishedStep {
  name: string
  position: number
  output: Json
}

/** The memo of what is not to be repeated. */
export interface StepStore {
  /** The stored output of a finished step, or undefined when it has still to run. */
  output(seq: number, name: string): Promise<{ output: Json } | undefined>
  /** All but a wait for a higher budget that nobody answered: a retry has a budget of its own. */
  all(seq: number): Promise<FinishedStep[]>
  /** Notes the step that a job is in, for one that processes ended over. */
  begin(run: RunKey, name: string): Promise<void>
  /** Stores the output of a step together with the event that tells of it. @throws {Error} The job does not run. */
  finish(run: RunKey, name: string, output: Json | undefined): Promise<void>
}

/**
 * The events of jobs; their ids grow by one within a job. A run adds none once its job does not run any more, so that
 * nothing comes after `done`.
 */
export interface EventStore {
  /** At most `limit` events after `after`; all of them when `limit` is -1. */
  list(seq: number, after: number, limit: number): Promise<JobEvent[]>
  /** Number of the latest event; 0 without any. */
  last(seq: number): Promise<number>
  /** How much a reader who has everything up to event `after` still has to get. */
  backlog(seq: number, after: number): Promise<{ events: number; chars: number }>
  /** Stores the progress of a job with its event. May be lost in a power cut. */
  progress(run: RunKey, progress: Progress): Promise<void>
  /** Adds a piece of text as an event. May be lost in a power cut. */
  text(run: RunKey, event: 'log' | 'token', text: string, more?: JsonObject): Promise<void>
  /** Adds what was found late as an event. May be lost in a power cut. */
  suspects(run: RunKey, found: JsonObject): Promise<void>
}

/** An entry of a transcript, with the time and the step it was written in. */
export interface RecordedEntry {
  at: string
  step: string | null
  entry: TranscriptEntry
}

/** What was said to models and people and what was run, word for word. */
export interface TranscriptStore {
  add(run: RunKey, step: string | null, entry: TranscriptEntry): Promise<void>
  all(seq: number): Promise<RecordedEntry[]>
}

/** `diff`: for people, against what the job was given; `patch`: with its commit message, for git. */
export type TextKind = 'diff' | 'patch'

/** The texts that come of a job beside its files; a later one replaces the one before. */
export interface TextStore {
  set(run: RunKey, kind: TextKind, text: string): Promise<void>
  get(seq: number, kind: TextKind): Promise<string | null>
}

/** One path of a set of files that is put; `bytes` and `sha256` are null where the file is taken away. */
export interface FileEntry {
  path: string
  bytes: number | null
  sha256: string | null
}

/** What the files of jobs are called; their bytes lie elsewhere, under their SHA-256. */
export interface FileTable {
  /** By path. */
  list(seq: number): Promise<JobFile[]>
  find(seq: number, path: string): Promise<JobFile | null>
  /** Adds, replaces and removes files, all or none, as part of the step that is to finish next. */
  put(run: RunKey, entries: readonly FileEntry[]): Promise<void>
  /** Takes back what a step put that was cut off: run again, it finds what it found the first time. */
  dropUnfinished(run: RunKey): Promise<void>
  /** SHA-256 of every file that the job kept before its step number `before`, replaced ones among them. */
  checksums(seq: number, before: number): Promise<string[]>
}

/** Which ended jobs can be forgotten, and what they take. */
export interface RetentionStore {
  /** Ended jobs that have not changed for longer than this, at most `limit`. */
  endedFor(ms: number, limit: number): Promise<JobKey[]>
  /** The ended jobs that changed longest ago, at most `limit`. */
  oldestEnded(limit: number): Promise<JobKey[]>
  /** Forgets jobs with all that is stored of them. */
  remove(seqs: readonly number[], audit?: NewAuditEntry): Promise<void>
  /** The ended jobs of a project that were made first, at most `limit`. */
  endedOf(projectName: string, limit: number): Promise<JobKey[]>
  /** As `remove`, also their idempotency keys. */
  purge(jobs: readonly JobKey[]): Promise<void>
  /** Leaves nothing on the disk of what was removed or replaced before, as far as that takes seconds. */
  scrub(): Promise<void>
  /** Forgets idempotency keys that are no longer kept. */
  forgetKeys(): Promise<void>
  /** Bytes of the files that are kept, and of the database. */
  usedBytes(): Promise<number>
}

/**
 * The job tables. Every change of state and the event that tells of it are one transaction, written before anybody
 * hears of it: a call that has resolved is on the disk (`events`, and a job that was started, may be lost in a power
 * cut, not in a crash of the process). All times are the store's: callers say how long ago. What every implementation
 * has to do is `test/contracts/job-store.ts`.
 */
export interface JobStore {
  readonly steps: StepStore
  readonly events: EventStore
  readonly transcript: TranscriptStore
  readonly texts: TextStore
  readonly files: FileTable
  readonly retention: RetentionStore
  readonly audit: AuditStore
  readonly tasks: TaskStore
  readonly features: FeatureStore
  readonly notifications: NotificationStore
  readonly sessions: SessionStore

  /**
   * Stores a new job, or returns the one that the same idempotency key made.
   *
   * @throws {FaultlineError} QUEUE_FULL, IDEMPOTENCY_KEY_REUSED, DISK_FULL; JOB_NOT_FOUND when the job that it takes
   * steps from is gone.
   */
  create(job: NewJob, queue: QueueLimit): Promise<{ job: StoredJob; replayed: boolean }>
  find(id: string): Promise<StoredJob | null>
  /** Newest first; `before` is the `seq` that the previous page ended with. */
  list(filter: JobFilter, limit: number, before: number | null): Promise<StoredJob[]>
  /** The body that the job was created with. */
  input(seq: number): Promise<JsonObject>
  /** How many jobs there are, by type and status; null: all of them. */
  counts(visibleTo?: Visibility | null): Promise<Array<{ type: string; status: string; jobs: number }>>
  /** Whether a job with this exclusive key is queued, running or waiting. */
  isActive(exclusiveKey: string): Promise<boolean>
  /** Whether any job of this project is queued, running or waiting. */
  isProjectBusy(projectName: string): Promise<boolean>

  /** Another number after each change of the queue. */
  queueVersion(): Promise<number>
  /** What could run next, the oldest queued job of each project and exclusive key: one look, however long the queue. */
  queueHeads(): Promise<QueueHead[]>
  /** Milliseconds since the job was made that has been queued for longest; null where none is. */
  queuedForMs(): Promise<number | null>
  /** All that is queued, the oldest first. */
  queued(): Promise<QueueHead[]>
  /**
   * Marks a queued job as running, which begins its next attempt; null when it is not queued any more. Its body has
   * begun by that, except that of a job which one more loss would end: `setBegun` says when it has.
   */
  claim(seq: number): Promise<ClaimedJob | null>
  /** Says whether the end of this process would be a loss: not before the body begins, nor when it is meant to end. */
  setBegun(run: RunKey, hasBegun: boolean): Promise<void>
  /** Says that a run which was taken for lost was none: its process lives. */
  notLost(run: RunKey): Promise<void>
  /** As `losses` of a claimed job, by now. */
  lossesOf(run: RunKey): Promise<number>
  /** Writes how a run ended; false when the job does not run any more, or in another attempt. */
  endRun(run: RunKey, to: RunEnd, outcome?: Outcome): Promise<boolean>
  /** Ends a job that has not ended, in whatever state; false when it has. @param step - The one it is in. */
  cancel(seq: number, step?: string | null, audit?: NewAuditEntry): Promise<boolean>
  /** Ends the wait of a job and puts it back into the queue; false when it does not wait any more. */
  answer(job: StoredJob, answer: Answer): Promise<boolean>
  /** Jobs that have waited for this long, and since when; at most 200. */
  unanswered(waitedMs: number): Promise<Array<{ job: StoredJob; since: string }>>
  /** Puts the jobs that run in no living process back into the queue, in their old order. */
  recover(): Promise<void>
  /** Notes how a job is going to fail, so that a restart before it is marked does not give it another end. */
  setFailure(run: RunKey, error: JobError): Promise<void>
  /** Puts another body in place of the one that the job was created with, of which nothing is kept. */
  setInput(run: RunKey, input: Pick<NewJob, 'input' | 'packed'>): Promise<void>
  /** Notes what a job has come to so far; it stays with a job that fails or is cancelled. */
  setResult(run: RunKey, result: Json): Promise<void>
  setUsage(run: RunKey, spent: { usage: Usage; redactions: number; activeMs: number }): Promise<void>
}
