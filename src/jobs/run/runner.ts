import { setImmediate as nextTurn } from 'node:timers/promises'
import { repeatable } from '../../core/database-away.ts'
import { FaultlineError, WorkerLostError } from '../../core/errors.ts'
import { isFullDisk } from '../../core/full-disk.ts'
import { namingStorageFault } from '../../core/storage-fault.ts'
import type { JobError, JobStatus, JobType, Json } from '../../core/job.ts'
import type { BegunRun, HandOut } from '../hand-out/hand-out.ts'
import type { JobContext } from '../job-context.ts'
import { isStale, StaleRunError } from '../store/run-key.ts'
import type { ClaimedJob, JobKey, JobStore, Outcome, QueueHead, RunEnd, StoredJob } from '../store/job-store.ts'
import type { Suspension } from '../waiting.ts'
import { createLosses, type Losses } from './losses.ts'
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
  store: Pick<JobStore, 'claim' | 'endRun' | 'setFailure' | 'setBegun' | 'lossesOf' | 'notLost'>
  /** Gives out what is queued. */
  handOut: Pick<HandOut, 'start' | 'stop' | 'redelivers'>
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
  /** Reports a bug or what broke. */
  onError: (error: unknown, job: ClaimedJob) => void
  /** Hears of each run that begins or ends, for a log. */
  onRun?: (event: RunEvent) => void
  /** How long a body may go on after its signal before its permit is given to another. */
  graceMs?: number
}

const RETRY_MS = 1_000
const STOP_GRACE_MS = 8_000
const IGNORED_SIGNAL_MS = 10_000
/** A worker that was taken for dead hears of that within a heartbeat, once the database answers. */
const DOUBT_MS = 15_000
/** How long the end of the process waits to tell that it is meant. */
const TELL_END_MS = 1_000
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
class Run implements BegunRun {
  readonly seq: number
  /** Null until the job was claimed. */
  id: string | null = null
  readonly controller = new AbortController()
  readonly startedAt = performance.now()
  readonly #settled = Promise.withResolvers<undefined>()
  step: string | null = null
  suspension: Suspension | null = null
  /** Another worker may have the job: nothing of this run is written any more. */
  isLost = false
  isEnded = false
  #isOver = false
  /** Set when the job was claimed. */
  job: ClaimedJob | null = null
  readonly #onLost: (run: Run) => void

  constructor(seq: number, onLost: (run: Run) => void) {
    this.seq = seq
    this.#onLost = onLost
  }

  get signal(): AbortSignal {
    return this.controller.signal
  }

  get over(): Promise<undefined> {
    return this.#settled.promise
  }

  settle(): void {
    this.#isOver = true
    this.#settled.resolve(undefined)
  }

  get durationMs(): number {
    return performance.now() - this.startedAt
  }

  /** Does nothing when nothing of the run runs any more: pg-boss fires the signal of each job that it is done with. */
  lose(): void {
    if (this.#isOver) return
    if (!this.isLost) this.#onLost(this)
    this.isLost = true
    this.controller.abort(new StaleRunError())
  }

  suspend(suspension: Suspension): void {
    this.suspension ??= suspension
    this.controller.abort(this.suspension)
  }
}

/**
 * Runs the jobs that are handed out to this process and writes how each run ended: for good, waiting for a person, or
 * back in the queue.
 */
export class Runner {
  readonly #options: RunnerOptions
  readonly #graceMs: number
  readonly #running = new Map<number, Run>()
  readonly #held: Losses
  /** How often a process that worked for a job ended, by the job's `seq`. */
  readonly #losses = new Map<number, number>()
  #isStopping = false
  #stopped: Promise<void> | undefined

  constructor(options: RunnerOptions) {
    this.#options = options
    this.#graceMs = options.graceMs ?? IGNORED_SIGNAL_MS
    this.#held = createLosses({ store: options.store, doubtMs: options.handOut.redelivers ? DOUBT_MS : 0 })
  }

  get isStopping(): boolean {
    return this.#isStopping
  }

  /** The jobs that run. */
  running(): JobKey[] {
    return [...this.#running.values()].flatMap(({ seq, id }) => (id === null ? [] : [{ seq, id }]))
  }

  /** How many jobs run. */
  get runs(): number {
    return this.#running.size
  }

  /** Begins to run jobs; resolves when those that may run now were started. */
  start(): Promise<void> {
    return this.#options.handOut.start((head, lost) => this.#begin(head, lost))
  }

  /** Ends the run of a job, if it has one, and what that started. */
  abort(seq: number): void {
    this.#running.get(seq)?.controller.abort()
  }

  /** Ends the run of a job that another worker may have; what it did since is discarded. */
  lose(seq: number): void {
    this.#running.get(seq)?.lose()
  }

  /** Resolves when no body of the job runs any more; undefined when none does now. */
  settled(seq: number): Promise<undefined> | undefined {
    return this.#running.get(seq)?.over
  }

  /** The step that a job is in; null when none of it runs. */
  stepOf(seq: number): string | null {
    return this.#running.get(seq)?.step ?? null
  }

  /** Stops: running jobs go back into the queue. */
  stop(): Promise<void> {
    this.#stopped ??= this.#stopOnce()
    return this.#stopped
  }

  async #stopOnce(): Promise<void> {
    this.#isStopping = true
    this.#options.handOut.stop()
    const runs = [...this.#running.values()]
    for (const { controller } of runs) controller.abort()
    await Promise.race([
      Promise.all(runs.map(({ over }) => over)),
      new Promise(resolve => setTimeout(resolve, STOP_GRACE_MS).unref()),
    ])
    await this.#tellMeant()
  }

  /** Says of the runs that go on though this process is about to end that they do not end it. */
  async #tellMeant(): Promise<void> {
    const left = [...this.#running.values()].flatMap(({ job, isLost }) => (job === null || isLost ? [] : [job]))
    const told = left.map(job => this.#options.store.setBegun(job, false))
    await Promise.race([
      Promise.allSettled(told), // the row says that it was lost, which is as bad as a kill
      new Promise(resolve => setTimeout(resolve, TELL_END_MS).unref()),
    ])
  }

  /** Another process counts this one as lost. */
  #tellAlive({ job }: Run): void {
    if (job === null) return
    this.#options.store.notLost(job).catch((error: unknown) => this.#options.onError(error, job))
  }

  /** Claims a job and starts its body, unless it is not queued any more or this process stops. */
  async #begin({ seq }: QueueHead, lost?: AbortSignal): Promise<BegunRun | null> {
    for (let former = this.#running.get(seq); former !== undefined; former = this.#running.get(seq)) {
      former.lose() // this process was taken for dead, and got the job once more
      await former.over
    }
    if (this.#isStopping) return null
    const run = new Run(seq, lostRun => this.#tellAlive(lostRun))
    this.#running.set(seq, run) // before it is claimed: whoever cancels it meanwhile finds the run
    let job: ClaimedJob | null = null
    try {
      job = await this.#options.store.claim(seq)
    } finally {
      if (job === null) this.#forget(run)
    }
    if (job === null) return null
    run.id = job.id
    run.job = job
    lost?.addEventListener('abort', () => run.lose(), { once: true })
    if (lost?.aborted === true) run.lose()
    this.#options.announce(job.id)
    this.#options.onRun?.({ job, status: 'running', code: null, durationMs: 0 })
    const claimed = job
    this.#finish(claimed, run).catch(error => this.#options.onError(error, claimed))
    return run
  }

  #forget(run: Run): void {
    if (this.#running.get(run.seq) === run) this.#running.delete(run.seq)
    run.settle()
  }

  /** Sees a claimed job through to the end of its run. */
  async #finish(job: ClaimedJob, run: Run): Promise<void> {
    try {
      await this.#execute(job, run)
    } finally {
      this.#forget(run)
      this.#options.announce(job.id)
    }
  }

  async #execute(job: ClaimedJob, run: Run): Promise<void> {
    await nextTurn() // whoever made the job is answered first: reading a body of ten megabytes takes a while
    const activeMs = () => job.activeMs + run.durationMs
    if (run.signal.aborted) return this.#putBack(job, run, activeMs())
    const held = await this.#held.mayBegin(job, run.signal).catch((error: unknown) => ({ error }))
    const refusal = typeof held === 'object' ? held.error : null
    if (isStale(refusal)) run.lose()
    try {
      if (run.signal.aborted) return await this.#putBack(job, run, activeMs())
      await this.#executeBody(job, run, { activeMs, refusal })
    } finally {
      if (held === true) this.#held.ended()
    }
  }

  async #executeBody(
    job: ClaimedJob,
    run: Run,
    { activeMs, refusal }: { activeMs: () => number; refusal: unknown },
  ): Promise<void> {
    const context = await this.#options.contextFor(job, {
      signal: run.signal,
      activeMs,
      suspend: suspension => run.suspend(suspension),
      lose: () => run.lose(),
      entered: name => {
        run.step = name
      },
    })
    if (refusal !== null) run.step = job.lastStep
    const ended = await this.#endOf(job, context, refusal)
    if ('failure' in ended && this.#mayRunAgain(ended.failure, run)) {
      await context.end()
      await this.#options.cleanUp(job)
      const note = 'a process that worked for the job ended; the step that it was in begins again'
      return this.#end(job, run, 'queued', { note, activeMs: activeMs(), step: run.step })
    }
    if (run.isLost) {
      await context.end()
      await this.#options.cleanUp(job)
      return this.#putBack(job, run, activeMs())
    }
    const error = 'failure' in ended && !run.signal.aborted ? this.#errorOf(job, ended.failure, run) : null
    if (error !== null) await this.#tellFailure(job, context, error)
    if ('result' in ended && run.suspension === null) context.complete()
    await context.end()
    await this.#options.cleanUp(job)
    const { suspension, step } = run
    if (suspension !== null) return this.#end(job, run, 'waiting', { suspension, activeMs: activeMs(), step })
    if ('result' in ended) {
      return this.#end(job, run, 'succeeded', { result: ended.result as Json, activeMs: activeMs(), step })
    }
    if (error === null || run.signal.aborted) return this.#putBack(job, run, activeMs())
    return this.#end(job, run, 'failed', { error, activeMs: activeMs(), step: error.step })
  }

  #endOf(job: ClaimedJob, context: Context, refusal: unknown): Ended | Promise<Ended> {
    const failure = job.failure ?? refusal
    return failure === null ? this.#runBody(job, context) : { failure }
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
  async #putBack(job: ClaimedJob, run: Run, activeMs: number): Promise<void> {
    const { isLost, step } = run
    if (isLost || !this.#isStopping) {
      run.isEnded = true
      return this.#tellEnd(job, isLost ? 'queued' : 'cancelled', null)
    }
    const note = 'the server is stopping; the job goes on after the restart'
    await this.#end(job, run, 'queued', { note, activeMs, step })
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
  async #end(job: ClaimedJob, run: Run, to: RunEnd, outcome: Outcome): Promise<void> {
    if (to !== 'queued') this.#losses.delete(job.seq)
    const write = repeatable(() => this.#options.store.endRun(job, to, outcome))
    for (;;) {
      try {
        const isEnded = await write()
        run.isEnded = true
        this.#tellEnd(job, isEnded ? to : 'cancelled', outcome.error?.code ?? null)
        return
      } catch (error) {
        if (isStale(error) || run.isLost) return this.#putBack(job, run, 0)
        this.#options.onError(error, job)
        if (this.#isStopping) return // it is found running at the next start
        await new Promise(resolve => setTimeout(resolve, RETRY_MS))
      }
    }
  }
}
