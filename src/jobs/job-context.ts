import type { JobFile, JobRequest, JsonObject, Progress, ReplyTo, TranscriptEntry, Usage } from '../core/job.ts'
import type { FeatureBranch, FeatureBranchFields } from '../core/feature.ts'
import type { NewTaskLog, TaskFields } from '../core/task.ts'
import type { RunKey } from './store/run-key.ts'

/** The files that a job keeps, as its pipeline sees them. */
export interface KeptFiles {
  /**
   * Adds files, or puts others in their place; null takes one away. All of them or none.
   *
   * @throws {FaultlineError} BAD_PATH; PAYLOAD_TOO_LARGE when the job would keep too much.
   */
  put(files: ReadonlyMap<string, string | Uint8Array | null>): Promise<void>
  /** The job's files, sorted by path. */
  list(): Promise<JobFile[]>
  /** @throws {FaultlineError} NOT_FOUND. */
  read(path: string): Promise<Buffer>
  /** A file as `list` once returned it, whatever its path holds by now. */
  readVersion(file: JobFile): Promise<Buffer>
}

/**
 * The task that a job of type `task` works on. What is written is cleaned of secrets, and a long text keeps its two
 * ends. A job that is put back into the queue leaves its task where it stands; the end of the job is that of the task.
 */
export interface TaskWriter {
  /** The number of the task. */
  number(): Promise<number>
  /** Changes what is given. */
  update(fields: TaskFields): Promise<void>
  /**
   * Adds an entry to its logs, or puts it in place of the one of the same name: a step that runs again writes one. The
   * transcript of the job gets it, too.
   */
  log(name: string, entry: NewTaskLog): Promise<void>
}

/** The branch of a job of type `feature`, kept beside the job so that it can be aborted whatever becomes of the job. */
export interface FeatureWriter {
  /**
   * Takes a branch for this job; one that the job had before is given up. Idempotent.
   *
   * @returns False where another feature of the repository, which is open, has it.
   */
  claim(of: Pick<FeatureBranch, 'repository' | 'branch' | 'baseBranch' | 'baseCommit'>): Promise<boolean>
  /** Changes what is given. The job has claimed a branch before. */
  update(fields: FeatureBranchFields): Promise<void>
  /** The branch that the job has claimed; null before that. */
  own(): Promise<FeatureBranch | null>
  /** The open features of the same clone, beside this one: also those of other projects. */
  others(): Promise<FeatureBranch[]>
}

/** Something that a job did, for the audit log. */
export interface AuditedOperation {
  /** As `feature.push`. */
  action: string
  /** What it was done to. */
  target: string
  /** `done`, or what became of it instead. */
  outcome: string
}

/** The tools of a pipeline: how its body does steps, asks people, tells what happens and keeps what it made. */
export interface JobContext<Input = JsonObject> {
  readonly id: string
  /** Names this run where something is written that a run which was taken for dead must not write. */
  readonly run: RunKey
  readonly input: Input
  /**
   * Stores another body in place of `input`, which later runs and retries get; this run keeps what it has. For a body
   * that had to be stored before anybody could look at it.
   */
  replaceInput(input: Input): Promise<void>
  /** Name of the API key that made the job. */
  readonly keyName: string | null
  /** Fires when the job is cancelled, when it begins to wait, and when the server stops. */
  readonly signal: AbortSignal
  /**
   * Runs a named step once: its output is stored, and after a crash or a wait the stored output is returned instead. A
   * step that was cut off runs again, so it must be idempotent. Outputs go through JSON: no Date, Map or class. A name
   * that comes again is another step (`x`, `x:1`, …), so the body has to call in the same order each time.
   */
  step<T>(name: string, run: (signal: AbortSignal) => Promise<T>): Promise<T>
  /**
   * Asks a person and waits for the reply: the body ends here (`Suspension` is thrown through it) and is run again when
   * there is one. Named like a step.
   *
   * @throws {FaultlineError} REPLY_TIMED_OUT when nobody replied in time.
   */
  ask<Kind extends Exclude<JobRequest['kind'], 'budget'>>(
    name: string,
    request: Extract<JobRequest, { kind: Kind }>,
  ): Promise<ReplyTo<Kind>>
  /**
   * To be called before each call of a model: when the budget is used up the job waits until a person raises it.
   *
   * @throws {FaultlineError} BUDGET_EXHAUSTED when a person was asked and let it be; REPLY_TIMED_OUT when nobody
   * replied.
   */
  checkBudget(): Promise<void>
  /**
   * To be called before each call of a model: while the disk is so full that its reply could not be kept, the job waits
   * for room.
   *
   * @throws {FaultlineError} DISK_FULL when it stayed full for too long: nothing was paid for.
   */
  waitForRoom(): Promise<void>
  /** Whether the time of the budget is over, for work that calls no model. */
  isOutOfTime(): boolean
  /** Whether any limit of the budget is used up, for a program that calls the model by itself. */
  isOverBudget(): boolean
  /** Sets the progress. It is written soon, in the order of the calls, and before the present step is finished. */
  progress(progress: Progress): void
  /**
   * Adds a sentence about the work to the events, or, with `stream`, a piece of what a program printed, which is
   * written a moment later with the pieces after it.
   */
  log(text: string, stream?: 'stdout' | 'stderr'): void
  /** Adds commits that are suspected of a fault to the events, in the words of the contract. */
  suspects(found: JsonObject): void
  /** Adds a piece of what a model writes, a moment later and with the pieces after it, to the events. */
  token(text: string): void
  addUsage(usage: Usage, redactions?: number): Promise<void>
  /** Keeps an entry of the transcript, under the step that runs now. */
  record(entry: TranscriptEntry): Promise<void>
  /**
   * What clients can fetch while the job runs and after it has ended, however it ends. A step that runs again puts the
   * same again.
   */
  readonly files: KeptFiles
  /**
   * Sets the job's result as far as it has come, which goes through JSON: it stays when the job fails or is cancelled,
   * and what the body returns takes its place.
   */
  setResult(result: unknown): Promise<void>
  /** The task that the job works on. Its functions throw where there is none. */
  readonly task: TaskWriter
  /** The branch of the feature that the job works on. */
  readonly feature: FeatureWriter
  /** Adds an operation that the job carried out to the audit log, under the key that made the job. */
  audit(operation: AuditedOperation): Promise<void>
  /** Sets the answer of `GET /jobs/{id}/diff`. */
  setDiff(text: string): Promise<void>
  /** Sets the answer of `GET /jobs/{id}/patch`: a format-patch. */
  setPatch(text: string): Promise<void>
  /**
   * An empty folder of this job for a sandbox to run in. It is made anew by each call with the same name and goes with
   * the run of the body.
   */
  workspace(name: string): Promise<string>
}
