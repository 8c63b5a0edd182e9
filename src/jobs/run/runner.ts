import { setImmediate as nextTurn } from 'node:timers/promises'
import { FaultlineError, WorkerLostError } from '../../core/errors.ts'
import { isFullDisk } from '../../core/full-disk.ts'
import { namingStorageFault } from '../../core/storage-fault.ts'
import type { JobError, JobStatus, JobType, Json } from '../../core/job.ts'
import type { JobContext } from '../job-context.ts'
import type { ClaimedJob, JobStore, Outcome, QueueHead, RunEnd, StoredJob } from '../store/job-store.ts'
import type { Suspension } from '../waiting.ts'
import { createTurns } from '../hand-out/fair-turn.ts'
import type { RunHooks } from './run-context.ts'

type Context = JobContext & { complete(): void; end(): Promise<void> }

/** The begin or the end of a run. */
export interface RunEvent {
  job: StoredJob
  /** `running` at its begin, then what the run ended in; `queued` when the job goes on later. */
  status: JobStatus
  /** The code of the error. */
  code: string | null
  /** How long this run took. */
  durationMs: number
}

/** What the runner runs jobs with. */
interface RunnerOptions {
  store: Pick<JobStore, 'queueHeads' | 'queued' | 'queueVersion' | 'claim' | 'endRun' | 'setFailure'>
  concurrency: number
  /** Whether jobs of a type run beside those that `concurrency` counts, since these wait for them. */
  isBeside?: (type: JobType) => boolean
  /** Whether a queued job may begin now; asked again a second later when not. */
  mayBegin?: () => Promise<boolean>
  contextFor: (job: ClaimedJob, hooks: RunHooks) => Promise<Context>
  run: (job: ClaimedJob, context: JobContext) => Promise<unknown>
  /**
   * Sends the news of a failure before it is marked, again when the server ended meanwhile; null when nobody waits for
   * it.
   */
  failing: (type: JobType) => ((context: JobContext, error: JobError) => Promise<void>) | null
  /** Puts away what a run may have left; never fails. */
  cleanUp: (job: ClaimedJob) => Promise<void>
  announce: (id: string) => void
  /** Reports a bug or what broke; `job` is null when it was not the work of one. */
  onError: (error: unknown, job: ClaimedJob | null) => void
  /** Hears of each run that begins or ends, for a log. */
  onRun?: (event: RunEvent) => void
  /** How long a body may go on after its signal before its permit is given to another. */
  graceMs?: number
}

/** Jobs beside the others that run at once: an install may take long, and two would leave no place to run a program. */
const MAX_BESIDE = 1
const RETRY_MS = 1_000
const STOP_GRACE_MS = 8_000
const IGNORED_SIGNAL_MS = 10_000
/** How much the latest job counts in the mean duration. */
const LATEST_SHARE = 0.1
const MAX_RETRY_AFTER_S = 600
/** How often a job runs again because a process that worked for it ended; it may be the job that ends it. */
const MAX_LOSSES = 3

/** How the body of a job ended. */
type Ended = { result: unknown } | { failure: unknown }

/** A bug of a pipeline, for the log. */
class IgnoredSignal extends Error {
  constructor(graceMs: number) {
    super(
      `the body went on for ${graceMs / 1000} s after its signal had fired; ` +
        'its place is given to another job, and what it still does is discarded',
    )
    this.name = 'IgnoredSignal'
  }
}

function toJobError(failure: unknown, step: string | null): JobError {
  const error = namingStorageFault(failure)
  if (error instanceof FaultlineError) {
    const { code, message, fix } = error
    return fix === undefined ? { code, message, step } : { code, message, step, fix }
  }
  return { code: 'INTERNAL', message: 'Something broke here; the log of the server has it under this job id.', step }
}

/** One run of a job, from before it is claimed until nothing of it runs any more. */
class Run implements QueueHead {
  readonly seq: number
  readonly type: JobType
  readonly projectName: string | null
  readonly exclusiveKey: string | null
  readonly controller = new AbortController()
  readonly startedAt = performance.now()
  readonly #settled = Promise.withResolvers<undefined>()
  step: string | null = null
  suspension: Suspension | null = null

  constructor({ seq, type, projectName, exclusiveKey }: QueueHead) {
    this.seq = seq
    this.type = type
    this.projectName = projectName
    this.exclusiveKey = exclusiveKey
  }

  get signal(): AbortSignal {
    return this.controller.signal
  }

  /** Resolves when the run is over. */
  get settled(): Promise<undefined> {
    return this.#settled.promise
  }

  settle(): void {
    this.#settled.resolve(undefined)
  }

  get durationMs(): number {
    return performance.now() - this.startedAt
  }

  suspend(suspension: Suspension): void {
    this.suspension ??= suspension
    this.controller.abort(this.suspension)
  }
}

/**
 * Runs queued jobs, a limited number at once, and writes how each run ended: for good, waiting for a person, or back in
 * the queue.
 */
export class Runner {
  readonly #options: RunnerOptions
  readonly #graceMs: number
  readonly #running = new Map<number, Run>()
  readonly #turns = createTurns()
  /** How often a process that worked for a job ended, by the job's `seq`. */
  readonly #losses = new Map<number, number>()
  #meanMs = 0
  #isStarted = false
  #isStopping = false
  #stopped: Promise<void> | undefined
  /** Whoever asks while it is made waits for it: a page of jobs takes one look at the queue. */
  #forecast: { version: number; positions: Promise<ReadonlyMap<number, number>> } | null = null
  #filling: Promise<void> | null = null
  #isAskedAgain = false
  #later: NodeJS.Timeout | undefined

  constructor(options: RunnerOptions) {
    this.#options = options
    this.#graceMs = options.graceMs ?? IGNORED_SIGNAL_MS
  }

  get isStopping(): boolean {
    return this.#isStopping
  }

  /** How many jobs run. */
  get runs(): number {
    return this.#running.size
  }

  /** Begins to run jobs; resolves when those that may run now were started. */
  start(): Promise<void> {
    this.#isStarted = true
    return this.schedule()
  }

  /** Starts what may run now. Never fails: a job that could not be started stays queued. */
  schedule(): Promise<void> {
    this.#isAskedAgain = true
    this.#filling ??= this.#fill()
    return this.#filling
  }

  /** Ends the run of a job, if it has one, and what that started. */
  abort(seq: number): void {
    this.#running.get(seq)?.controller.abort()
  }

  /** Resolves when no body of the job runs any more; undefined when none does now. */
  settled(seq: number): Promise<undefined> | undefined {
    return this.#running.get(seq)?.settled
  }

  /** The step that a job is in; null when none of it runs. */
  stepOf(seq: number): string | null {
    return this.#running.get(seq)?.step ?? null
  }

  /** How many of the queued jobs will start before this one. */
  async positionOf(seq: number): Promise<number> {
    const version = await this.#options.store.queueVersion()
    if (this.#forecast?.version !== version) this.#forecast = { version, positions: this.#forecastNow() }
    const { positions } = this.#forecast
    return (await positions).get(seq) ?? 0 // it has just been started
  }

  /** Seconds until a place in a full queue is free, by how long jobs took lately. */
  retryAfterS(): number {
    const seconds = Math.ceil(this.#meanMs / this.#options.concurrency / 1000)
    return Math.min(MAX_RETRY_AFTER_S, Math.max(1, seconds))
  }

  /** Stops: running jobs go back into the queue. */
  stop(): Promise<void> {
    this.#stopped ??= this.#stopOnce()
    return this.#stopped
  }

  async #stopOnce(): Promise<void> {
    this.#isStopping = true
    clearTimeout(this.#later)
    const runs = [...this.#running.values()]
    for (const { controller } of runs) controller.abort()
    await Promise.race([
      Promise.all(runs.map(({ settled }) => settled)),
      new Promise(resolve => setTimeout(resolve, STOP_GRACE_MS).unref()),
    ])
  }

  async #forecastNow(): Promise<ReadonlyMap<number, number>> {
    try {
      const queued = await this.#options.store.queued()
      return this.#turns.forecast(queued, this.#running.values(), this.#options.concurrency)
    } catch (error) {
      this.#forecast = null // the next one asks the store again
      throw error
    }
  }

  /** One at a time, so that no two looks at the queue choose the same job. */
  async #fill(): Promise<void> {
    while (this.#isAskedAgain) {
      this.#isAskedAgain = false
      try {
        for (let next = await this.#next(); next !== null; next = await this.#next()) await this.#start(next)
      } catch (error) {
        this.#tryLater(error)
      }
    }
    this.#filling = null // with the last look at the flag: nobody can ask in between
  }

  #tryLater(error: unknown): void {
    if (this.#isStopping) return
    this.#options.onError(error, null)
    this.#scheduleLater()
  }

  #scheduleLater(): void {
    clearTimeout(this.#later)
    this.#later = setTimeout(() => this.schedule(), RETRY_MS).unref()
  }

  #isBeside({ type }: QueueHead): boolean {
    return this.#options.isBeside?.(type) ?? false
  }

  /** Whether a job may begin, of those that count or of those beside. */
  #hasRoomFor(isBeside: boolean): boolean {
    if (!this.#isStarted || this.#isStopping) return false
    const running = [...this.#running.values()].filter(run => this.#isBeside(run) === isBeside)
    return running.length < (isBeside ? MAX_BESIDE : this.#options.concurrency)
  }

  async #next(): Promise<QueueHead | null> {
    const kinds = [false, true].filter(isBeside => this.#hasRoomFor(isBeside))
    if (kinds.length === 0) return null
    const heads = (await this.#options.store.queueHeads()).filter(head => kinds.includes(this.#isBeside(head)))
    const chosen = this.#turns.choose(heads, this.#running.values())
    const next = heads.find(({ seq }) => seq === chosen?.seq) ?? null
    if (next === null || (await this.#options.mayBegin?.()) !== false) return next
    this.#scheduleLater()
    return null
  }

  /** Claims a job and starts its body, unless it is not queued any more or this process stops. */
  async #start(head: QueueHead): Promise<void> {
    if (!this.#hasRoomFor(this.#isBeside(head))) return
    const run = new Run(head)
    this.#running.set(head.seq, run) // before it is claimed: whoever cancels it meanwhile finds the run
    let job: ClaimedJob | null = null
    try {
      job = await this.#options.store.claim(head.seq)
    } finally {
      if (job === null) this.#forget(run)
    }
    if (job === null) return
    this.#turns.took(head.projectName)
    this.#forecast = null // one that was made since the claim knows nothing of this turn
    this.#options.announce(job.id)
    this.#options.onRun?.({ job, status: 'running', code: null, durationMs: 0 })
    this.#finish(job, run).catch(error => this.#options.onError(error, job))
  }

  #forget(run: Run): void {
    this.#running.delete(run.seq)
    run.settle()
  }

  /** Sees a claimed job through to the end of its run. */
  async #finish(job: ClaimedJob, run: Run): Promise<void> {
    try {
      await this.#execute(job, run)
    } finally {
      const ms = run.durationMs
      this.#meanMs = this.#meanMs === 0 ? ms : this.#meanMs + LATEST_SHARE * (ms - this.#meanMs)
      this.#forget(run)
      this.#options.announce(job.id)
      await this.schedule()
    }
  }

  async #execute(job: ClaimedJob, run: Run): Promise<void> {
    await nextTurn() // whoever made the job is answered first: reading a body of ten megabytes takes a while
    const activeMs = () => job.activeMs + run.durationMs
    if (run.signal.aborted) return this.#putBack(job, run, activeMs())
    const context = await this.#options.contextFor(job, {
      signal: run.signal,
      activeMs,
      suspend: suspension => run.suspend(suspension),
      entered: name => {
        run.step = name
      },
    })
    const ended: Ended = job.failure === null ? await this.#runBody(job, context) : { failure: job.failure }
    if ('failure' in ended && this.#mayRunAgain(ended.failure, run)) {
      await context.end()
      await this.#options.cleanUp(job)
      const note = 'a process that worked for the job ended; the step that it was in begins again'
      return this.#end(job, 'queued', { note, activeMs: activeMs(), step: run.step })
    }
    const error = 'failure' in ended && !run.signal.aborted ? this.#errorOf(job, ended.failure, run) : null
    if (error !== null) await this.#tellFailure(job, context, error)
    if ('result' in ended && run.suspension === null) context.complete()
    await context.end()
    await this.#options.cleanUp(job)
    const { suspension, step } = run
    if (suspension !== null) return this.#end(job, 'waiting', { suspension, activeMs: activeMs(), step })
    if ('result' in ended) {
      return this.#end(job, 'succeeded', { result: ended.result as Json, activeMs: activeMs(), step })
    }
    if (error === null || run.signal.aborted) return this.#putBack(job, run, activeMs())
    return this.#end(job, 'failed', { error, activeMs: activeMs(), step: error.step })
  }

  /** Whether a job that lost a process should run again, as after a restart. */
  #mayRunAgain(failure: unknown, { seq, signal }: Run): boolean {
    if (!(failure instanceof WorkerLostError) || signal.aborted) return false
    const losses = (this.#losses.get(seq) ?? 0) + 1
    this.#losses.set(seq, losses)
    return losses <= MAX_LOSSES
  }

  #errorOf(job: ClaimedJob, failure: unknown, run: Run): JobError {
    return job.failure ?? toJobError(failure, run.step)
  }

  /** Puts a job that was cut off by the end of the server back; one that was cancelled has been marked. */
  async #putBack(job: ClaimedJob, { step }: Run, activeMs: number): Promise<void> {
    if (!this.#isStopping) return this.#tellEnd(job, 'cancelled', null)
    const note = 'the server is stopping; the job goes on after the restart'
    await this.#end(job, 'queued', { note, activeMs, step })
  }

  /**
   * How a body ended. One that goes on though its signal fired is left to itself after a while: what it does then
   * changes nothing any more.
   */
  async #runBody(job: ClaimedJob, context: Context): Promise<Ended> {
    const { signal } = context
    const ignored = Promise.withResolvers<Ended>()
    let timer: NodeJS.Timeout | undefined
    const begin = () => {
      timer = setTimeout(() => ignored.resolve({ failure: new IgnoredSignal(this.#graceMs) }), this.#graceMs)
    }
    if (signal.aborted) begin()
    else signal.addEventListener('abort', begin, { once: true })
    const body = this.#options.run(job, context).then(
      (result): Ended => ({ result }),
      (failure: unknown): Ended => ({ failure }),
    )
    const ended = await Promise.race([body, ignored.promise])
    clearTimeout(timer)
    signal.removeEventListener('abort', begin)
    if ('failure' in ended && this.#isBug(ended.failure, signal)) this.#options.onError(ended.failure, job)
    return ended
  }

  #isBug(failure: unknown, signal: AbortSignal): boolean {
    if (failure instanceof IgnoredSignal) return true
    return !signal.aborted && !(failure instanceof FaultlineError) && !isFullDisk(failure)
  }

  async #tellFailure(job: ClaimedJob, context: Context, error: JobError): Promise<void> {
    const tell = this.#options.failing(job.type)
    if (tell === null) return
    const whenBroken = (problem: unknown) => {
      if (!context.signal.aborted) this.#options.onError(problem, job)
    }
    // a full disk must not keep the news from whoever waits for it
    if (job.failure === null) await this.#options.store.setFailure(job, error).catch(whenBroken)
    await tell(context, error).catch(whenBroken)
  }

  #tellEnd(job: ClaimedJob, status: JobStatus, code: string | null): void {
    const durationMs = this.#running.get(job.seq)?.durationMs ?? 0
    this.#options.onRun?.({ job, status, code: status === 'cancelled' ? 'CANCELLED' : code, durationMs })
  }

  /**
   * Writes how a run ended; while the disk is full that has to be tried again, or the job would stay `running` for
   * ever.
   */
  async #end(job: ClaimedJob, to: RunEnd, outcome: Outcome): Promise<void> {
    if (to !== 'queued') this.#losses.delete(job.seq)
    for (;;) {
      try {
        const isEnded = await this.#options.store.endRun(job, to, outcome)
        this.#tellEnd(job, isEnded ? to : 'cancelled', outcome.error?.code ?? null)
        return
      } catch (error) {
        this.#options.onError(error, job)
        if (this.#isStopping) return // it is found running at the next start
        await new Promise(resolve => setTimeout(resolve, RETRY_MS))
      }
    }
  }
}
