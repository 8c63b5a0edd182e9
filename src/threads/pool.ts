import { startDeadlines, type TaskLimits } from './deadline.ts'
import { WORKER_THREADS, type ThreadStarter } from './entry.ts'
import { createLoading, untilLoaded } from './loading.ts'
import { resultOf } from './task.ts'

/** What may end a task before it has come to its end. */
export interface ThreadOptions<Progress = unknown> extends TaskLimits<Progress> {
  signal?: AbortSignal
}

/** Threads that run the functions of one module. */
export interface ThreadPool {
  /**
   * Calls an exported function of the thread's module with the task and a `port`, on which the function posts its
   * `TaskState`. Aborting ends the thread at once, whatever it does but load its module, and so does too much work.
   *
   * @throws {FaultlineError} RESOLVE_TIMED_OUT, OVERLOADED, and what the function answers as an error.
   */
  run<T, Progress = unknown>(name: string, task: object, options?: ThreadOptions<Progress>): Promise<T>
  /** Loads the module into a first thread, which takes half a second that the first caller would wait for. */
  warmUp(): Promise<void>
  /**
   * Ends the threads, unless one has work: what they hold goes back. New work starts new ones; a warm-up under way may
   * reject.
   */
  endIdle(): Promise<void>
  close(): Promise<void>
}

/** How long a thread without work keeps what it has opened. */
export const IDLE_MS = 600_000

interface ThreadPoolOptions {
  threads: number
  idleMs?: number
  workerData: object
  starter?: ThreadStarter
}

/**
 * Threads that run one module, named as for `ThreadStarter.pool`, so that parsing, indexing and searching never hold up
 * HTTP.
 */
export function createThreadPool(
  module: string,
  { threads, idleMs = IDLE_MS, workerData, starter = WORKER_THREADS }: ThreadPoolOptions,
): ThreadPool {
  const loading = createLoading()
  const start = () => starter.pool(module, { threads, idleMs, workerData: { ...workerData, ...loading } })
  let pool = start()
  /** Tasks; a warm-up keeps no thread from being ended. */
  let running = 0
  return {
    warmUp: () => pool.run({}, { name: 'warmUp' }),
    async run<T, Progress>(
      name: string,
      task: object,
      { signal, ...limits }: ThreadOptions<Progress> = {},
    ): Promise<T> {
      signal?.throwIfAborted()
      const deadlines = startDeadlines(limits)
      const ended = AbortSignal.any(
        [signal, deadlines.waitedTooLong, deadlines.workedTooLong].filter(one => one !== undefined),
      )
      const kill = new AbortController()
      ended.addEventListener('abort', () => {
        untilLoaded(loading).then(
          () => kill.abort(ended.reason),
          () => {},
        )
      })
      running++
      try {
        return resultOf<T>(
          await pool.run(
            { ...task, port: deadlines.port },
            { name, signal: kill.signal, transferList: [deadlines.port] },
          ),
        )
      } catch (error) {
        ended.throwIfAborted()
        throw error
      } finally {
        running--
        deadlines.close()
      }
    },
    async endIdle() {
      if (running > 0) return
      const ended = pool
      pool = start()
      await untilLoaded(loading)
      await ended.destroy()
    },
    async close() {
      await untilLoaded(loading)
      await pool.destroy()
    },
  }
}
