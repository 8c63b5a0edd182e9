import { setImmediate as nextTurn } from 'node:timers/promises'
import { FaultlineError } from '../core/errors.ts'
import type { JobError, JobType, Json } from '../core/job.ts'
import { createTurns } from './fair-turn.ts'
import type { JobContext } from './job-context.ts'
import type { JobStore, QueueHead } from './job-store.ts'
import type { StoredJob } from './rows.ts'
import type { Suspension } from './waiting.ts'

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
  contextFor: (run: Run) => JobContext & { end (): void }
  run: (type: JobType, context: JobContext) => Promise<unknown>
  announce: (id: string) => void
  onError: (error: unknown, job: { id: string, type: JobType }) => void
}

const WRITE_RETRY_MS = 1_000
const STOP_GRACE_MS = 8_000
/** How much the latest job counts in the mean duration. */
const LATEST_SHARE = 0.1
const MAX_RETRY_AFTER_S = 600

interface Running extends QueueHead { controller: AbortController, settled: Promise<void> }

/** Runs queued jobs, a limited number at once, and writes how each run ended: for good, waiting for a person, or back in the queue. */
export function createScheduler ({ store, concurrency, contextFor, run, announce, onError }: SchedulerOptions) {
  const running = new Map<string, Running>()
  const turns = createTurns()
  let meanMs = 0
  let stopping = false
  let started = false
  let stopped: Promise<void> | undefined

  /** Starts what may run now. */
  function schedule (): void {
    for (let next = nextJob(); next !== null && start(next);) next = nextJob()
  }

  function nextJob (): QueueHead | null {
    return started && !stopping && running.size < concurrency ? turns.choose(store.queueHeads(), running.values()) : null
  }

  function start (head: QueueHead): boolean {
    if (!store.transition(head, ['queued'], 'running')) return false
    turns.took(head.projectName)
    const controller = new AbortController()
    const job = store.bySeq(head.seq)
    const startedAt = performance.now()
    const settled = execute(job, controller, startedAt).catch(error => onError(error, job)).finally(() => {
      const ms = performance.now() - startedAt
      meanMs = meanMs === 0 ? ms : meanMs + LATEST_SHARE * (ms - meanMs)
      running.delete(job.id)
      announce(job.id)
      schedule()
    })
    running.set(job.id, { ...head, controller, settled })
    announce(job.id)
    return true
  }

  async function execute (job: StoredJob, controller: AbortController, startedAt: number): Promise<void> {
    const { signal } = controller
    await nextTurn() // whoever made the job is answered first: reading a body of ten megabytes takes a while
    const activeMs = () => job.activeMs + performance.now() - startedAt
    const backInQueue = () => end(job, 'queued', { note: 'the server is stopping; the job goes on after the restart', activeMs: activeMs() })
    if (signal.aborted) return stopping ? backInQueue() : undefined // cancelled before it began
    const state: { step: string | null, suspension: Suspension | null } = { step: null, suspension: null }
    const suspend = (suspension: Suspension) => {
      state.suspension ??= suspension
      controller.abort(state.suspension)
    }
    const context = contextFor({ job, signal, suspend, activeMs, entered: name => { state.step = name } })
    let result: unknown
    let failure: { error: unknown } | null = null
    try {
      result = await run(job.type, context)
    } catch (error) {
      failure = { error }
    }
    context.end()
    if (state.suspension !== null) return end(job, 'waiting', { suspension: state.suspension, activeMs: activeMs() })
    if (failure === null) return end(job, 'succeeded', { result: result as Json, activeMs: activeMs() })
    if (signal.aborted) return stopping ? backInQueue() : undefined // marked when it was cancelled
    if (!(failure.error instanceof FaultlineError)) onError(failure.error, job)
    return end(job, 'failed', { error: toJobError(failure.error, state.step), activeMs: activeMs() })
  }

  /** Writes how a run ended; while the disk is full that has to be tried again, or the job would stay `running` for ever. */
  async function end (job: StoredJob, to: 'succeeded' | 'failed' | 'waiting' | 'queued', outcome: NonNullable<Parameters<JobStore['transition']>[3]>): Promise<void> {
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

  async function stopOnce (): Promise<void> {
    stopping = true
    const runs = [...running.values()]
    for (const { controller } of runs) controller.abort()
    await Promise.race([Promise.allSettled(runs.map(({ settled }) => settled)), new Promise(resolve => setTimeout(resolve, STOP_GRACE_MS).unref())])
  }

  return {
    start (): void {
      started = true
      schedule()
    },
    schedule,
    isStopping: (): boolean => stopping,
    /** Ends the run of a job, if it has one, and what that started. */
    abort: (id: string): void => { running.get(id)?.controller.abort() },
    /** Resolves when no body of the job runs any more. */
    settled: (id: string): Promise<void> | undefined => running.get(id)?.settled,
    runs: (): number => running.size,
    /** Seconds until a place in a full queue is free, by how long jobs took lately. */
    retryAfterS: (): number => Math.min(MAX_RETRY_AFTER_S, Math.max(1, Math.ceil(meanMs / concurrency / 1000))),
    /** Running jobs go back into the queue. */
    stop (): Promise<void> {
      stopped ??= stopOnce()
      return stopped
    },
  }
}

function toJobError (error: unknown, step: string | null): JobError {
  if (error instanceof FaultlineError) return { code: error.code, message: error.message, step, ...(error.fix === undefined ? {} : { fix: error.fix }) }
  return { code: 'INTERNAL', message: 'Something broke here; the log of the server has it under this job id.', step }
}
