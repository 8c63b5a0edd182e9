import { startDeadlines, type TaskLimits } from './deadline.ts'
import { WORKER_THREADS, type TaskPool, type ThreadStarter } from './entry.ts'
import { resultOf, type TaskReply } from './task.ts'

/** What may end a task before it has come to its end. */
export interface ThreadOptions<Progress = unknown> extends TaskLimits<Progress> {
  signal?: AbortSignal
}

/** How long a thread without work keeps what took long to open. */
export const IDLE_MS = 600_000

interface ThreadPoolOptions {
  threads: number
  idleMs?: number
  /** These five as in `PoolOptions`. */
  patienceMs?: number
  graceMs?: number
  onIdle?: () => void
  onLost?: (reason: unknown) => void
  heapMb?: number
  workerData: object
  env?: NodeJS.ProcessEnv
  starter?: ThreadStarter
}

/**
 * Threads that run the functions of one module, named as for `ThreadStarter.pool`, so that parsing and searching never
 * hold up HTTP.
 */
export class ThreadPool {
  readonly #pool: TaskPool

  constructor(module: string, { starter = WORKER_THREADS, idleMs = IDLE_MS, ...options }: ThreadPoolOptions) {
    this.#pool = starter.pool(module, { ...options, idleMs })
  }

  /**
   * Calls an exported function of the thread's module with the task and a `port`, on which the function posts its
   * `TaskState`. Who aborts waits no longer; the thread ends unless the task comes to its end soon, and so it does
   * after too much work.
   *
   * @throws {FaultlineError} RESOLVE_TIMED_OUT, OVERLOADED, and what the function answers as an error.
   */
  async run<T, Progress = unknown>(
    name: string,
    task: object,
    { signal, ...limits }: ThreadOptions<Progress> = {},
  ): Promise<T> {
    signal?.throwIfAborted()
    const deadlines = startDeadlines(limits)
    const ended = AbortSignal.any(
      [signal, deadlines.waitedTooLong, deadlines.workedTooLong].filter(one => one !== undefined),
    )
    try {
      return resultOf<T>(
        (await this.#pool.run({ ...task, port: deadlines.port }, { name, signal: ended })) as TaskReply<T>,
      )
    } catch (error) {
      ended.throwIfAborted()
      throw error
    } finally {
      deadlines.close()
    }
  }

  /** Loads the module into a first thread, which takes half a second that the first caller would wait for. */
  async warmUp(): Promise<void> {
    await this.#pool.run({}, { name: 'warmUp' })
  }

  async close(): Promise<void> {
    await this.#pool.destroy()
  }
}
