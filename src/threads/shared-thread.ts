import { FaultlineError } from '../core/errors.ts'
import { Semaphore } from '../core/semaphore.ts'
import { startDeadlines, type Deadlines } from './deadline.ts'
import { createLoading, untilLoaded } from './loading.ts'
import { WORKER_THREADS, type ThreadStarter } from './entry.ts'
import { IDLE_MS, type ThreadOptions, type ThreadPool } from './pool.ts'
import { resultOf, type TaskReply } from './task.ts'

interface SharedThreadOptions {
  /** At once in the thread. They take turns to work: one does while the others wait for another service. */
  tasks: number
  workerData: object
  starter?: ThreadStarter
}

function rejectedBy(signal: AbortSignal): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>()
  signal.addEventListener('abort', () => reject(signal.reason))
  if (signal.aborted) reject(signal.reason)
  return promise
}

/**
 * One thread that answers from what takes long to open. Unlike a thread of a pool it outlives a client that hangs up,
 * whose call rejects at once while its task comes to its end. A task that works too long ends the thread, and the
 * others that were in it begin anew in the next one.
 */
export function createSharedThread({
  tasks,
  workerData,
  starter = WORKER_THREADS,
}: SharedThreadOptions): Pick<ThreadPool, 'run' | 'close'> {
  const permits = new Semaphore(tasks)
  const closing = new AbortController()
  const loading = createLoading()
  const start = () =>
    starter.pool('resolve-worker', {
      threads: 1,
      tasksPerThread: tasks,
      idleMs: IDLE_MS,
      workerData: { ...workerData, ...loading },
    })
  let thread = start()
  let started: Promise<void> = Promise.resolve()

  /** Ends it whatever it does, unless that was done before. */
  function end(ended: typeof thread): void {
    if (thread !== ended) return
    thread = start()
    ended.destroy().catch(() => {}) // nobody has it any more
  }

  /**
   * Tinypool queues what comes while a thread starts, and then hands over one task for each that ends: nothing must
   * come to its queue.
   */
  async function untilStarted(): Promise<void> {
    if (thread.threads.length === 0) started = thread.run({}, { name: 'warmUp' })
    await started
  }

  async function runIn<T>(
    own: typeof thread,
    { name, task, deadlines }: { name: string; task: object; deadlines: Deadlines },
  ): Promise<TaskReply<T> | 'interrupted'> {
    try {
      await untilStarted()
      deadlines.workedTooLong.addEventListener('abort', () => end(own))
      return await own.run({ ...task, port: deadlines.port }, { name, transferList: [deadlines.port] })
    } catch (error) {
      if (thread !== own) return 'interrupted'
      throw error
    } finally {
      deadlines.close()
      permits.release()
    }
  }

  async function run<T, Progress>(name: string, task: object, options: ThreadOptions<Progress> = {}): Promise<T> {
    options.signal?.throwIfAborted()
    const deadlines = startDeadlines(options)
    const left = AbortSignal.any(
      [closing.signal, options.signal, deadlines.waitedTooLong, deadlines.workedTooLong].filter(
        one => one !== undefined,
      ),
    )
    try {
      await permits.acquire(left)
    } catch (error) {
      deadlines.close()
      throw error
    }
    const reply = await Promise.race([runIn<T>(thread, { name, task, deadlines }), rejectedBy(left)])
    return reply === 'interrupted' ? await run<T, Progress>(name, task, options) : resultOf(reply)
  }

  return {
    run,
    async close() {
      closing.abort(new FaultlineError('SHUTTING_DOWN', 'The server is shutting down.'))
      await untilLoaded(loading)
      await thread.destroy()
    },
  }
}
