import { FaultlineError } from '../core/errors.ts'
import { rejectedBy } from '../core/rejected-by.ts'
import { Semaphore } from '../core/semaphore.ts'
import { startDeadlines, type Deadlines } from './deadline.ts'
import { WORKER_THREADS, type TaskPool, type ThreadStarter } from './entry.ts'
import { IDLE_MS, type ThreadOptions, type ThreadPool } from './pool.ts'
import { resultOf, type TaskReply } from './task.ts'

interface SharedThreadOptions {
  /** At once in the thread. They take turns to work: one does while the others wait for another service. */
  tasks: number
  /** As in `PoolOptions`. */
  onLost?: (reason: unknown) => void
  workerData: object
  env?: NodeJS.ProcessEnv
  starter?: ThreadStarter
}

/**
 * One thread that answers from what takes long to open. Unlike a thread of a pool it outlives a client that hangs up,
 * whose call rejects at once while its task comes to its end. A task that works too long ends the thread, and the
 * others that were in it begin anew in the next one. It begins with its first task and lives until it is closed.
 */
export class SharedThread implements Pick<ThreadPool, 'run' | 'close'> {
  readonly #permits: Semaphore
  readonly #closing = new AbortController()
  readonly #start: () => TaskPool
  #thread: TaskPool

  constructor({ tasks, onLost, workerData, env, starter = WORKER_THREADS }: SharedThreadOptions) {
    this.#permits = new Semaphore(tasks)
    this.#start = () =>
      starter.pool('resolve-worker', {
        threads: 1,
        tasksPerThread: tasks,
        idleMs: IDLE_MS,
        onLost,
        workerData,
        env,
      })
    this.#thread = this.#start()
  }

  /** As `ThreadPool.run`. @throws {FaultlineError} SHUTTING_DOWN, too, after `close`. */
  async run<T, Progress = unknown>(name: string, task: object, options: ThreadOptions<Progress> = {}): Promise<T> {
    options.signal?.throwIfAborted()
    const deadlines = startDeadlines(options)
    const left = AbortSignal.any(
      [this.#closing.signal, options.signal, deadlines.waitedTooLong, deadlines.workedTooLong].filter(
        one => one !== undefined,
      ),
    )
    try {
      await this.#permits.acquire(left)
    } catch (error) {
      deadlines.close()
      throw error
    }
    const reply = await Promise.race([this.#runIn<T>(this.#thread, { name, task, deadlines }), rejectedBy(left)])
    return reply === 'interrupted' ? await this.run<T, Progress>(name, task, options) : resultOf(reply)
  }

  async close(): Promise<void> {
    this.#closing.abort(new FaultlineError('SHUTTING_DOWN', 'The server is shutting down.'))
    await this.#thread.destroy()
  }

  /** Ends it whatever it does, unless that was done before. */
  #end(ended: TaskPool): void {
    if (this.#thread !== ended) return
    this.#thread = this.#start()
    ended.destroy().catch(() => {}) // nobody has it any more
  }

  async #runIn<T>(
    own: TaskPool,
    { name, task, deadlines }: { name: string; task: object; deadlines: Deadlines },
  ): Promise<TaskReply<T> | 'interrupted'> {
    try {
      deadlines.workedTooLong.addEventListener('abort', () => this.#end(own))
      return (await own.run({ ...task, port: deadlines.port }, { name })) as TaskReply<T>
    } catch (error) {
      if (this.#thread !== own) return 'interrupted'
      throw error
    } finally {
      deadlines.close()
      this.#permits.release()
    }
  }
}
