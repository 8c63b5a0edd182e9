import type { Readable } from 'node:stream'
import type { ReplyBody } from '../contract/job.ts'
import type { Visibility } from '../core/access.ts'
import { done, NOBODY, replyOf, type Actor } from '../core/audit.ts'
import { FaultlineError } from '../core/errors.ts'
import {
  isTerminal,
  type Job,
  type JobEvent,
  type JobFile,
  type JobReply,
  type JobStatus,
  type JobType,
  type JsonObject,
  type TranscriptEntry,
} from '../core/job.ts'
import { budgetOf, checkRaised } from './budget.ts'
import { archiveOf } from './files/archive.ts'
import { localFileBytes, type FileBytes } from './files/file-bytes.ts'
import { JobFiles } from './files/job-files.ts'
import { JobFolders } from './files/job-folders.ts'
import { ENDLESS_ROOM, type DiskRoom } from './disk-room.ts'
import { Followers, needJob } from './followers.ts'
import { EmbeddedHandOut } from './hand-out/embedded.ts'
import type { HandOut, HandOutOptions } from './hand-out/hand-out.ts'
import type { JobContext } from './job-context.ts'
import { definitionOf, type JobDefinitions } from './job-definition.ts'
import { JobMaker, type CreateOptions, type MadeJob } from './job-maker.ts'
import { News, type NewsLine } from './news.ts'
import { Retention } from './retention.ts'
import { RunContext, type RunHooks } from './run/run-context.ts'
import { Runner, type RunEvent } from './run/runner.ts'
import { PATIENCE, type Patience } from './run/wait-for-room.ts'
import type { ClaimedJob, JobFilter, JobStore, RecordedEntry, StoredJob, TextKind } from './store/job-store.ts'
import { packJson } from './store/packed-json.ts'
import type { FindSource } from './task-of.ts'
import { Upkeep } from './upkeep.ts'
import { checkReply } from './waiting.ts'

/** What jobs are made of, and their bounds. */
export interface JobsOptions {
  store: JobStore
  definitions: JobDefinitions
  concurrency: number
  queueLimit: number
  retentionDays: number
  /** How long a job waits for a person. */
  replyTimeoutDays: number
  /** Whether prices of models are known, so that a budget in USD can be kept. */
  knowsPrices: boolean
  /** Files and workspaces of jobs lie below it, in a folder for each. */
  workspacesDir: string
  /** Bytes that jobs may take, in files and in the database, before ended ones are forgotten, the oldest first. */
  retentionBytes: number
  /** Deletes a folder, whatever was left in it; default: as far as this process may. */
  removeFolder?: (dir: string) => Promise<void>
  /** Where the repository of a task comes from; default: it is not known. */
  findSource?: FindSource
  /** The same data; secrets in its texts are replaced. Default: it stays as it is. */
  withoutSecrets?: <T>(value: T) => T
  /** Where jobs write; default: they do not look. */
  diskRoom?: DiskRoom
  /** Where the bytes of kept files are; default: in the folders of their jobs. */
  fileBytes?: FileBytes
  /** How a run waits while the disk is full; default: tries each second, for half an hour. */
  patience?: Patience
  /** Called with bugs and with what broke; `job` is null when it was not the work of one. */
  onError: (error: unknown, job: { id: string; type: JobType } | null) => void
  /** Hears of each run that begins or ends, and of jobs that are cancelled without one. */
  onRun?: (event: RunEvent) => void
  /** What gives out queued jobs; default: fair turns within this process. */
  handOut?: (options: HandOutOptions) => HandOut
  /** How other nodes hear of what happens to jobs; default: there are none. */
  newsLine?: NewsLine
  /** Whether this process runs jobs; default: it does. */
  isWorker?: boolean
  /** How long a body may go on after its signal before its permit is given to another job; default 10 s. */
  graceMs?: number
}

/** A job together with its place in the queue. */
type PlacedJob = StoredJob & Job

/** Behind the news of other nodes: a job that is followed is looked at so often. */
const CLUSTER_TURN_MS = 5_000

const isSettled = ({ status }: StoredJob): boolean => isTerminal(status) || status === 'waiting'

/**
 * Durable jobs of one process: jobs, events and finished steps are rows of a store, a pipeline is a plain async
 * function that is run again from the top after a crash or a wait and gets the stored output of every step that had
 * finished.
 */
export class Jobs {
  readonly #options: JobsOptions
  readonly #store: JobStore
  readonly #diskRoom: DiskRoom
  readonly #folders: JobFolders
  readonly #fileBytes: FileBytes
  readonly #files: JobFiles
  readonly #followers: Followers
  readonly #handOut: HandOut
  readonly #runner: Runner
  readonly #news: News
  readonly #retention: Retention
  readonly #upkeep: Upkeep
  readonly #maker: JobMaker
  #isHandingOver = false

  constructor(options: JobsOptions) {
    const { store, workspacesDir, removeFolder, onError, diskRoom = ENDLESS_ROOM } = options
    this.#options = options
    this.#store = store
    this.#diskRoom = diskRoom
    this.#folders = new JobFolders(workspacesDir, removeFolder)
    this.#fileBytes = options.fileBytes ?? localFileBytes(id => this.#folders.of(id))
    this.#files = new JobFiles(store.files, this.#fileBytes)
    this.#followers = new Followers(store, options.newsLine === undefined ? undefined : CLUSTER_TURN_MS)
    const announce = (id: string) => this.#news.changed(id)
    const { handOut = (more: HandOutOptions) => new EmbeddedHandOut({ ...more, store }) } = options
    this.#handOut = handOut({
      concurrency: options.concurrency,
      isBeside: type => options.definitions[type]?.isBeside === true,
      mayBegin: async () => (await diskRoom.refusal()) === null,
      onError: error => onError(error, null),
    })
    this.#runner = new Runner({
      store,
      handOut: this.#handOut,
      graceMs: options.graceMs,
      contextFor: (job, hooks) => this.#contextFor(job, hooks),
      run: (job, context) => this.#run(job, context),
      failing: type => definitionOf(options.definitions, type).failing ?? null,
      // the next start tries again
      cleanUp: job => this.#folders.removeWorkspaces(job.id).catch((error: unknown) => onError(error, job)),
      announce,
      onError,
      onRun: options.onRun,
    })
    this.#news = new News({
      line: options.newsLine ?? null,
      store,
      followers: this.#followers,
      runner: this.#runner,
      onError: error => onError(error, null),
    })
    this.#retention = new Retention({
      store: store.retention,
      audit: store.audit,
      days: options.retentionDays,
      bytes: options.retentionBytes,
      removeFolder: id => this.#removeAll(id),
      isInUse: ({ seq }) => this.#runner.settled(seq) !== undefined,
    })
    this.#upkeep = new Upkeep({
      store,
      isKnown: async id => this.#maker.isMaking(id) || (await store.find(id)) !== null,
      runner: this.#runner,
      handOut: this.#handOut,
      folders: this.#folders,
      retention: this.#retention,
      announce,
      replyTimeoutDays: options.replyTimeoutDays,
      onError: error => onError(error, null),
    })
    this.#maker = new JobMaker({
      store,
      definitions: options.definitions,
      handOut: this.#handOut,
      files: this.#files,
      diskRoom,
      queueLimit: options.queueLimit,
      knowsPrices: options.knowsPrices,
      findSource: options.findSource ?? (async () => null),
      isClosed: () => this.#runner.isStopping && !this.#isHandingOver,
      removeAll: id => this.#removeAll(id),
    })
  }

  /** Takes up what a previous process left and begins to run jobs. */
  async start(): Promise<void> {
    if (!this.#handOut.redelivers) await this.#store.recover()
    this.#news.start()
    await this.#upkeep.start()
    if (this.#options.isWorker !== false) await this.#runner.start()
  }

  /** Stops: running jobs go back into the queue with their finished steps and go on after the next start. */
  stop(): Promise<void> {
    this.#upkeep.stop()
    this.#news.stop()
    return this.#runner.stop()
  }

  /** As `stop`, but jobs are still made: other processes run them. */
  handOver(): Promise<void> {
    this.#isHandingOver = true
    return this.stop()
  }

  /**
   * Stores a job, or finds the one that the same idempotency key made; it may be running when this resolves.
   *
   * @throws {FaultlineError} SHUTTING_DOWN, QUEUE_FULL, IDEMPOTENCY_KEY_REUSED, DISK_FULL; VALIDATION_FAILED for a
   * budget that cannot be kept.
   */
  create(type: JobType, input: JsonObject, options: CreateOptions = {}): Promise<MadeJob> {
    return this.#maker.create(type, input, options)
  }

  /** Begins to pack the bytes of a large body, for `create`. */
  pack(json: Uint8Array): ReturnType<typeof packJson> {
    return packJson(json)
  }

  /** @throws {FaultlineError} JOB_NOT_FOUND, as all that takes the id of a job. */
  async get(id: string): Promise<PlacedJob> {
    return this.#placed(await this.#need(id))
  }

  /** The body that a job was created with. */
  async input(id: string): Promise<JsonObject> {
    return this.#store.input((await this.#need(id)).seq)
  }

  /** Newest first; `before` is the `seq` that the previous page ended with. */
  async list(filter: JobFilter, limit: number, before: number | null): Promise<PlacedJob[]> {
    const jobs = await this.#store.list(filter, limit, before)
    return Promise.all(jobs.map(job => this.#placed(job)))
  }

  /** Waits until the job is terminal or waits for a person; returns it as it is at the time limit otherwise. */
  async settled(id: string, timeoutMs: number, signal?: AbortSignal): Promise<PlacedJob> {
    return this.#placed(await this.#followers.waitUntil(id, isSettled, timeoutMs, signal))
  }

  /** Waits until the status is another one than now; a terminal job is returned at once. */
  async statusChanged(id: string, timeoutMs: number, signal?: AbortSignal): Promise<PlacedJob> {
    const before: JobStatus = (await this.#need(id)).status
    const isChanged = ({ status }: StoredJob) => status !== before || isTerminal(status)
    return this.#placed(await this.#followers.waitUntil(id, isChanged, timeoutMs, signal))
  }

  /**
   * Answers what a waiting job asks; it goes back into the queue, which is never too full for it.
   *
   * @throws {FaultlineError} NOT_WAITING, WRONG_REPLY with what is allowed, also for a budget that is used up already;
   * VALIDATION_FAILED for what is not one reply.
   * @param asked - Name of the question that is meant; default: whichever is open.
   */
  async reply(
    id: string,
    body: ReplyBody,
    keyName: string | null,
    requestId: string | null = null,
    asked?: string,
  ): Promise<PlacedJob> {
    const job = await this.#need(id)
    const isMeant = asked === undefined || asked === job.asked
    if (!isMeant && job.status === 'waiting') {
      throw new FaultlineError(
        'NOT_WAITING',
        `The job ${id} waits with another question by now.`,
        'GET /jobs/{id} shows it in `request`, and its name in `asked`.',
      )
    }
    if (!isMeant || !(await this.#answer(job, checkReply(job, body), { keyName, requestId }))) {
      throw new FaultlineError('NOT_WAITING', `The job ${id} does not wait any more.`)
    }
    this.#news.changed(id)
    await this.#handOut.wake()
    return this.get(id)
  }

  /** Ends a job at once, whatever it is doing; what it has kept stays. @throws {FaultlineError} JOB_FINISHED */
  async cancel(id: string, by: Actor = NOBODY): Promise<PlacedJob> {
    const job = await this.#need(id)
    const step = this.#runner.stepOf(job.seq)
    const audit = done(by, { action: 'job.cancel', projectName: job.projectName, target: id })
    if (!(await this.#store.cancel(job.seq, step, audit))) {
      const { status } = await this.#need(id)
      throw new FaultlineError(
        'JOB_FINISHED',
        `The job ${id} has ended already: ${status}.`,
        'POST /jobs/{id}/retry starts it again.',
      )
    }
    if (this.#runner.settled(job.seq) === undefined) {
      this.#options.onRun?.({ job, status: 'cancelled', code: 'CANCELLED', durationMs: 0 })
    }
    this.#news.cancelled(job)
    this.#news.changed(id)
    return this.get(id)
  }

  /**
   * Starts an ended job again as a new one; `input` is the old one with the overrides applied, checked by the caller.
   * With `fromStep` the steps and replies before that one are taken over, and what they were made from cannot be
   * overridden.
   *
   * @throws {FaultlineError} JOB_NOT_FINISHED; BAD_REQUEST when the job never got to `fromStep`, or an override came
   * too late for it.
   */
  async retry(id: string, input: JsonObject, options: CreateOptions & { fromStep?: string } = {}): Promise<MadeJob> {
    return this.#maker.retry(await this.#needEnded(id), input, options)
  }

  /** @throws {FaultlineError} JOB_NOT_FINISHED */
  async remove(id: string, by: Actor = NOBODY): Promise<void> {
    const { seq, projectName } = await this.#needEnded(id)
    await this.#runner.settled(seq) // a cancelled job may still be putting its tools down
    const audit = done(by, { action: 'job.delete', projectName, target: id })
    await this.#retention.remove(await this.#needEnded(id), audit)
  }

  /** Whether there are jobs of the project, ended ones among them. */
  async hasAny(projectName: string): Promise<boolean> {
    return (await this.#store.list({ projectName }, 1, null)).length > 0
  }

  /** Forgets the ended jobs of a project with all that they keep, so that nothing of them is left on the disk. */
  async purge(projectName: string): Promise<void> {
    await this.#retention.purge(projectName, ({ seq }) => this.#runner.settled(seq))
  }

  /** The files that the job keeps, by path. */
  async files(id: string): Promise<JobFile[]> {
    return this.#files.list((await this.#need(id)).seq)
  }

  /** @throws {FaultlineError} NOT_FOUND */
  async readFile(id: string, path: string): Promise<Buffer> {
    return this.#files.read(await this.#need(id), path)
  }

  /** A `.tar.gz` of the files. @throws {FaultlineError} NOT_FOUND when there are none; DATA_DAMAGED. */
  async archive(id: string): Promise<Readable> {
    const kept = await this.files(id)
    if (kept.length === 0) throw new FaultlineError('NOT_FOUND', `The job ${id} keeps no files.`)
    for (const file of kept) await this.#files.readStored(id, file) // one that is damaged would cut off the answer
    return archiveOf(kept, file => this.#files.readStored(id, file))
  }

  /** @throws {FaultlineError} NOT_FOUND when the job has none. */
  async text(id: string, kind: TextKind): Promise<string> {
    const text = await this.#store.texts.get((await this.#need(id)).seq, kind)
    if (text === null) throw new FaultlineError('NOT_FOUND', `The job ${id} has no ${kind}.`)
    return text
  }

  /** The job, which says what it was asked to do and by whom, and everything that was said and run. */
  async transcript(id: string): Promise<{ job: StoredJob; entries: RecordedEntry[] }> {
    const job = await this.#need(id)
    return { job, entries: await this.#store.transcript.all(job.seq) }
  }

  /** All events after `after`. */
  async events(id: string, after: number): Promise<JobEvent[]> {
    return this.#store.events.list((await this.#need(id)).seq, after, -1)
  }

  /** The events after `after`, then the live ones, until the job has ended or the signal fires. */
  follow(id: string, after: number, signal: AbortSignal): AsyncGenerator<JobEvent> {
    return this.#followers.follow(id, after, signal)
  }

  /** Number of the latest event. */
  async lastEvent(id: string): Promise<number> {
    return this.#store.events.last((await this.#need(id)).seq)
  }

  /** How much a reader who has everything up to event `after` still has to get; nothing of a job that is gone. */
  async eventsAfter(id: string, after: number): Promise<{ events: number; chars: number }> {
    const job = await this.#store.find(id)
    return job === null ? { events: 0, chars: 0 } : this.#store.events.backlog(job.seq, after)
  }

  /** How many jobs there are, by type and status; those that somebody sees. */
  counts(visibleTo: Visibility | null = null): ReturnType<JobStore['counts']> {
    return this.#store.counts(visibleTo)
  }

  /** Milliseconds since the job was made that has been queued for longest; null where none is. */
  queuedForMs(): Promise<number | null> {
    return this.#store.queuedForMs()
  }

  /** How many jobs run in this process. */
  running(): number {
    return this.#runner.runs
  }

  /** Bytes of jobs in files and in the database. */
  usedBytes(): Promise<number> {
    return this.#retention.usedBytes()
  }

  #need(id: string): Promise<StoredJob> {
    return needJob(this.#store, id)
  }

  async #needEnded(id: string): Promise<StoredJob> {
    const job = await this.#need(id)
    if (!isTerminal(job.status)) {
      throw new FaultlineError('JOB_NOT_FINISHED', `The job ${id} is ${job.status}.`, 'POST /jobs/{id}/cancel ends it.')
    }
    return job
  }

  async #placed(job: StoredJob): Promise<PlacedJob> {
    const isQueued = job.status === 'queued'
    return { ...job, queuePosition: isQueued ? await this.#handOut.positionOf(job.seq) : null }
  }

  /** Deletes all that a job keeps beside its rows. */
  async #removeAll(id: string): Promise<void> {
    await this.#fileBytes.remove(id)
    await this.#folders.remove(id)
  }

  async #answer(job: StoredJob, reply: JobReply, by: Actor): Promise<boolean> {
    const { asked, request } = job
    const { keyName } = by
    if (asked === null || request === null) return false
    const limits = 'budget' in reply ? { ...job.budget, ...reply.budget } : undefined
    const budget = budgetOf(limits, this.#options.knowsPrices)
    if (budget !== null) checkRaised(job, budget)
    const entries: TranscriptEntry[] = [
      { kind: 'question', name: asked, request },
      { kind: 'answer', name: asked, keyName, reply },
    ]
    const audit = done(by, { action: replyOf(reply), projectName: job.projectName, target: job.id })
    return this.#store.answer(job, { reply, budget, note: 'answered', entries, audit })
  }

  async #contextFor(job: ClaimedJob, hooks: RunHooks): Promise<RunContext> {
    return new RunContext({
      ...hooks,
      job,
      input: await this.#store.input(job.seq),
      store: this.#store,
      diskRoom: this.#diskRoom,
      patience: this.#options.patience ?? PATIENCE,
      files: this.#files.of(job),
      workspace: name => this.#folders.workspace(job.id, name),
      withoutSecrets: this.#options.withoutSecrets ?? (value => value),
      changed: () => this.#news.changed(job.id),
      onError: error => this.#options.onError(error, job),
    })
  }

  async #run(job: ClaimedJob, context: JobContext): Promise<unknown> {
    await this.#upkeep.swept // what a dead process left is not mistaken for what this one makes
    context.signal.throwIfAborted()
    if (!job.isFresh) await this.#files.dropUnfinished(job)
    const definition = definitionOf(this.#options.definitions, job.type)
    const result = await definition.run(context)
    await definition.succeeding?.(context, result)
    return result
  }
}
