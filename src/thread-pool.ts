import { setTimeout as wait } from 'node:timers/promises'
import { MessageChannel } from 'node:worker_threads'
import { Tinypool } from 'tinypool'
import { FaultlineError, fromPlainError, type PlainError } from './core/errors.ts'
import { createLoading, isLoading, type Loading } from './thread-loading.ts'

export interface ThreadOptions<Progress = unknown> {
  signal?: AbortSignal
  onProgress?: (progress: Progress) => void
  /** Milliseconds of work after which the thread is ended. */
  timeoutMs?: number
  /** Milliseconds to wait for a free thread. */
  queueMs?: number
}

/** What a thread's functions answer: classes do not survive the way between threads. */
export type ThreadReply<T> = { ok: true, result: T } | { ok: false, error: PlainError }

export interface ThreadPool {
  /**
   * Calls an exported function of the thread's module with the task and a `port`, on which the function first posts `{started: true}`; doing so again begins the time for its work anew. Aborting
   * ends the thread at once, whatever it does but load its module.
   *
   * @throws {FaultlineError} RESOLVE_TIMED_OUT, OVERLOADED, and what the function answers as an error.
   */
  run<T, Progress = unknown> (name: string, task: object, options?: ThreadOptions<Progress>): Promise<T>
  /** Loads the module into a first thread, which takes half a second that the first caller would wait for. */
  warmUp (): Promise<void>
  /** Ends the threads, unless one has work: what they hold goes back. New work starts new ones. */
  endIdle (): Promise<void>
  close (): Promise<void>
}

const OVERLOADED = new FaultlineError('OVERLOADED', 'All threads are busy.', 'Send the request again in a few seconds.')
const tooLong = (ms: number) => new FaultlineError('RESOLVE_TIMED_OUT', `Working on this text took more than ${ms / 1000} s.`, 'Send a shorter part of it.')

const LOADING_POLL_MS = 5
/** It takes half a second, on a machine that has other work some seconds. */
const MAX_LOADING_MS = 20_000

// `tsc` rewrites the suffix of imports, not of URLs: the sources run as .ts, the package as .js.
const SUFFIX = import.meta.url.endsWith('.ts') ? 'ts' : 'js'

/** Threads that run one module, named from this folder and without its suffix, so that parsing, indexing and searching never hold up HTTP. */
export function createThreadPool (module: string, { threads, idleMs = 600_000, workerData }: { threads: number, idleMs?: number, workerData: object }): ThreadPool {
  const loading = createLoading()
  const start = () => new Tinypool({
    filename: new URL(`./${module}.${SUFFIX}`, import.meta.url).href,
    minThreads: 0,
    maxThreads: threads,
    idleTimeout: idleMs,
    useAtomics: false, // the threads also wait for git and sockets
    workerData: { ...workerData, ...loading },
  })
  let pool = start()
  let running = 0
  async function counted<T> (task: object, options: Parameters<typeof pool.run>[1]): Promise<T> {
    running++
    try {
      return await pool.run(task, options)
    } finally {
      running--
    }
  }
  return {
    warmUp: () => counted({}, { name: 'warmUp' }),
    async run<T, Progress> (name: string, task: object, { signal, onProgress, timeoutMs, queueMs }: ThreadOptions<Progress> = {}): Promise<T> {
      signal?.throwIfAborted()
      const { port1, port2 } = new MessageChannel()
      const limit = new AbortController()
      let timer = queueMs === undefined ? undefined : setTimeout(() => limit.abort(OVERLOADED), queueMs)
      port1.on('message', (message: { started: true } | { progress: Progress }) => {
        if ('progress' in message) { onProgress?.(message.progress); return }
        clearTimeout(timer) // the wait is over, the work begins
        timer = timeoutMs === undefined ? undefined : setTimeout(() => limit.abort(tooLong(timeoutMs)), timeoutMs)
      })
      const ended = AbortSignal.any([signal, limit.signal].filter(one => one !== undefined))
      const kill = new AbortController()
      ended.addEventListener('abort', () => { untilLoaded(loading).then(() => kill.abort(ended.reason), () => {}) })
      try {
        const reply = await counted<ThreadReply<T>>({ ...task, port: port2 }, { name, signal: kill.signal, transferList: [port2] })
        if (reply.ok) return reply.result
        throw fromPlainError(reply.error)
      } catch (error) {
        signal?.throwIfAborted()
        limit.signal.throwIfAborted()
        throw error
      } finally {
        clearTimeout(timer)
        port1.close()
      }
    },
    async endIdle () {
      if (running > 0) return
      const ended = pool
      pool = start()
      await untilLoaded(loading)
      await ended.destroy()
    },
    async close () {
      await untilLoaded(loading)
      await pool.destroy()
    },
  }
}

async function untilLoaded (loading: Loading): Promise<void> {
  for (let waited = 0; isLoading(loading) && waited < MAX_LOADING_MS; waited += LOADING_POLL_MS) await wait(LOADING_POLL_MS)
}
