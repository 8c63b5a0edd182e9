import { setImmediate as nextTurn } from 'node:timers/promises'
import { FaultlineError } from '../../core/errors.ts'
import type { JobError, JobType, Json } from '../../core/job.ts'
import { createTurns } from './fair-turn.ts'
import type { JobContext } from '../job-context.ts'
import type { JobStore, QueueHead } from '../store/job-store.ts'
import type { StoredJob } from '../store/rows.ts'
import type { Suspension } from '../waiting.ts'

type Context = JobContext & { end(): void }

/** One run of a job's body. */
export interface Run {
  job: StoredJob
  signal: AbortSignal
  entered: (step: string) => void
  suspend: (suspension: Suspension) => void
  activeMs: () => number
}

export interface SchedulerOptions {
  store: JobStore
  concurrency: number
  contextFor: (run: Run) => Context
  run: (type: JobType, context: JobContext) => Promise<unknown>
  /**
   * Tells others of a failure before it is marked, again when the server ended meanwhile; null when nobody is to be
   * told.
   */
  failing: (type: JobType) => ((context: JobContext, error: JobError) => Promise<void>) | null
  /** Puts away what a run may have left; never fails. */
  cleanUp: (job: StoredJob) => Promise<void>
  announce: (id: string) => void
  onError: (error: unknown, job: { id: string; type: JobType }) => void
  /** How long a body may go on after its signal before its slot is given to another. */
  graceMs?: number
}

const WRITE_RETRY_MS = 1_000
const STOP_GRACE_MS = 8_000
const IGNORED_SIGNAL_MS = 10_000
/** How much the latest job counts in the mean duration. */
const LATEST_SHARE = 0.1
const MAX_RETRY_AFTER_S = 600

interface RunState {
  step: string | null
  suspension: Suspension | null
}
interface Running extends QueueHead {
  controller: AbortController
  state: RunState
  settled: Promise<void>
}

export type Scheduler = ReturnType<typeof createScheduler>

/** A bug of a pipeline, for the log. */
class IgnoredSignal extends Error {
  constructor(graceMs: number) {
    super(
      `the body went on for ${graceMs / 1000} s after its signal had fired; its slot is given to another job, and what it still does is discarded`,
    )
    this.name = 'IgnoredSignal'
  }
}

function toJobError(error: unknown, step: string | null): JobError {
  if (error instanceof FaultlineError) {
    return { code: error.code, message: error.message, step, ...(error.fix === undefined ? {} : { fix: error.fix }) }
  }
  return { code: 'INTERNAL', message: 'Something broke here; the log of the server has it under this job id.', step }
}

/**
 * Runs queued jobs, a limited number at once, and writes how each run ended: for good, waiting for a person, or back in
 * the queue.
 */
export function createScheduler({
  store,
  concurrency,
  contextFor,
  run,
  failing,
  cleanUp,
  announce,
  onError,
  graceMs = IGNORED_SIGNAL_MS,
}: SchedulerOptions) {
  const running = new Map<string, Running>()
  const turns = createTurns()
  let meanMs = 0
  let stopping = false
  let started = false
  let stopped: Promise<void> | undefined
  let forecast: { version: number; positions: Map<number, number> } | null = null

  /** Starts what may run now. */
  function schedule(): void {
    for (let next = nextJob(); next !== null && start(next);) next = nextJob()
  }

  function nextJob(): QueueHead | null {
    return started && !stopping && running.size < concurrency
      ? turns.choose(store.queueHeads(), running.values())
      : null
  }

  function start(head: QueueHead): boolean {
    if (!store.transition(head, ['queued'], 'running')) return false
    turns.took(head.projectName)
    const controller = new AbortController()
    const job = store.bySeq(head.seq)
    const state: RunState = { step: null, suspension: null }
    const startedAt = performance.now()
    const settled = execute(job, controller, state, startedAt)
      .catch(error => onError(error, job))
      .finally(() => {
        const ms = performance.now() - startedAt
        meanMs = meanMs === 0 ? ms : meanMs + LATEST_SHARE * (ms - meanMs)
        running.delete(job.id)
        announce(job.id)
        schedule()
      })
    running.set(job.id, { ...head, controller, state, settled })
    announce(job.id)
    return true
  }

  async function execute(
    job: StoredJob,
    controller: AbortController,
    state: RunState,
    startedAt: number,
  ): Promise<void> {
    const { signal } = controller
    await nextTurn() // whoever made the job is answered first: reading a body of ten megabytes takes a while
    const activeMs = () => job.activeMs + performance.now() - startedAt
    const cutOff = () =>
      stopping // when it was cancelled, that has been marked
        ? end(job, 'queued', {
            note: 'the server is stopping; the job goes on after the restart',
            activeMs: activeMs(),
            step: state.step,
          })
        : undefined
    if (signal.aborted) return cutOff()
    const suspend = (suspension: Suspension) => {
      state.suspension ??= suspension
      controller.abort(state.suspension)
    }
    const context = contextFor({
      job,
      signal,
      suspend,
      activeMs,
      entered: name => {
        state.step = name
      },
    })
    const ended = job.failure === null ? await endOf(run(job.type, context), job, signal) : { failure: job.failure }
    const error = 'failure' in ended && !signal.aborted ? (job.failure ?? toJobError(ended.failure, state.step)) : null
    if (error !== null) await tellFailure(job, context, error)
    context.end()
    await cleanUp(job)
    if (state.suspension !== null) {
      return end(job, 'waiting', { suspension: state.suspension, activeMs: activeMs(), step: state.step })
    }
    if ('result' in ended) {
      return end(job, 'succeeded', { result: ended.result as Json, activeMs: activeMs(), step: state.step })
    }
    if (error === null || signal.aborted) return cutOff()
    return end(job, 'failed', { error, activeMs: activeMs(), step: error.step })
  }

  /**
   * How a body ended. One that goes on though its signal fired is left to itself after a while: what it does then
   * changes nothing any more.
   */
  async function endOf(
    body: Promise<unknown>,
    job: StoredJob,
    signal: AbortSignal,
  ): Promise<{ result: unknown } | { failure: unknown }> {
    const ignored = Promise.withResolvers<{ failure: unknown }>()
    let timer: NodeJS.Timeout | undefined
    const begin = () => {
      timer = setTimeout(() => ignored.resolve({ failure: new IgnoredSignal(graceMs) }), graceMs)
    }
    signal.addEventListener('abort', begin, { once: true })
    const ended = await Promise.race([
      body.then(
        result => ({ result }),
        (failure: unknown) => ({ failure }),
      ),
      ignored.promise,
    ])
    clearTimeout(timer)
    signal.removeEventListener('abort', begin)
    if (
      'failure' in ended &&
      (ended.failure instanceof IgnoredSignal || !(signal.aborted || ended.failure instanceof FaultlineError))
    ) {
      onError(ended.failure, job)
    }
    return ended
  }

  async function tellFailure(job: StoredJob, context: Context, error: JobError): Promise<void> {
    const tell = failing(job.type)
    if (tell === null) return
    const whenBroken = (problem: unknown) => {
      if (!context.signal.aborted) onError(problem, job)
    }
    try {
      if (job.failure === null) store.setFailure(job.seq, error)
    } catch (problem) {
      whenBroken(problem) // a full disk; whoever waits is told all the same
    }
    await tell(context, error).catch(whenBroken)
  }

  /**
   * Writes how a run ended; while the disk is full that has to be tried again, or the job would stay `running` for
   * ever.
   */
  async function end(
    job: StoredJob,
    to: 'succeeded' | 'failed' | 'waiting' | 'queued',
    outcome: NonNullable<Parameters<JobStore['transition']>[3]>,
  ): Promise<void> {
    for (;;) {
      try {
        store.transition(job, ['running'], to, outcome)
        return
      } catch (error) {
        onError(error, job)
        if (stopping) return // it is found running at the next start
        await new Promise(resolve => setTimeout(resolve, WRITE_RETRY_MS))
      }
    }
  }

  async function stopOnce(): Promise<void> {
    stopping = true
    const runs = [...running.values()]
    for (const { controller } of runs) controller.abort()
    await Promise.race([
      Promise.allSettled(runs.map(({ settled }) => settled)),
      new Promise(resolve => setTimeout(resolve, STOP_GRACE_MS).unref()),
    ])
  }

  return {
    start(): void {
      started = true
      schedule()
    },
    schedule,
    isStopping: (): boolean => stopping,
    /** Ends the run of a job, if it has one, and what that started. */
    abort: (id: string): void => {
      running.get(id)?.controller.abort()
    },
    /** Resolves when no body of the job runs any more. */
    settled: (id: string): Promise<void> | undefined => running.get(id)?.settled,
    runs: (): number => running.size,
    /** The step that a job is in; null when none of it runs. */
    stepOf: (id: string): string | null => running.get(id)?.state.step ?? null,
    /** How many of the queued jobs will start before this one. */
    positionOf(seq: number): number {
      const version = store.queueVersion()
      if (forecast?.version !== version) {
        forecast = { version, positions: turns.forecast(store.queued(), running.values(), concurrency) }
      }
      return forecast.positions.get(seq) ?? 0 // it has just been started
    },
    /** Seconds until a place in a full queue is free, by how long jobs took lately. */
    retryAfterS: (): number => Math.min(MAX_RETRY_AFTER_S, Math.max(1, Math.ceil(meanMs / concurrency / 1000))),
    /** Running jobs go back into the queue. */
    stop(): Promise<void> {
      stopped ??= stopOnce()
      return stopped
    },
  }
}
