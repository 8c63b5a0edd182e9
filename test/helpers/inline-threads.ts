import { EventEmitter } from 'node:events'
import { MessageChannel, type MessagePort } from 'node:worker_threads'
import { Semaphore } from '../../src/core/semaphore.ts'
import { WORKER_THREADS, type PoolOptions, type TaskPool, type ThreadStarter } from '../../src/threads/entry.ts'
import type { Peer } from '../../src/threads/rpc.ts'
import { giveTaskSettings } from '../../src/threads/task.ts'
import { serveIndexing, type IndexWorkerData } from '../../src/threads/index-worker.ts'
import { serveGit, type GitWorkerData } from '../../src/threads/git-worker.ts'
import { serveSandbox, type SandboxWorkerData } from '../../src/threads/sandbox-worker.ts'

type Functions = Record<string, (task: object) => Promise<unknown>>

/** What a process serves, in this thread: messages are copied as between processes. What is ended goes on unheard. */
class InlinePeer extends EventEmitter implements Peer {
  readonly #port: MessagePort

  constructor(serve: (port: MessagePort) => void) {
    super()
    const { port1, port2 } = new MessageChannel()
    this.#port = port1
    serve(port2)
    port2.unref()
    port1.on('message', message => this.emit('message', message))
  }

  postMessage(message: unknown): void {
    this.#port.postMessage(message)
  }

  ref(): void {
    this.#port.ref()
  }

  unref(): void {
    this.#port.unref()
  }

  async terminate(): Promise<void> {
    this.#port.close()
    this.emit('exit', 0)
  }
}

let instances = 0

/** The functions of a pool's module, which reads its settings when it is loaded. */
async function loadModule(module: string, workerData: object): Promise<Functions> {
  giveTaskSettings(workerData)
  return (await import(`../../src/threads/${module}.ts?instance=${instances++}`)) as Functions
}

/** One module is loaded after the other, with its first task: each finds its own settings. */
let loading: Promise<unknown> = Promise.resolve()

function aborted(signal: AbortSignal): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>()
  signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  return promise
}

/** One module in this thread, with the bounds of a pool. What is aborted goes on unheard. */
class InlinePool implements TaskPool {
  readonly #load: () => Promise<Functions>
  #functions: Promise<Functions> | undefined
  readonly #permits: Semaphore
  readonly #running = new Set<Promise<unknown>>()

  constructor(module: string, { threads, tasksPerThread = 1, workerData }: PoolOptions) {
    this.#load = () => loading.then(() => loadModule(module, workerData))
    this.#permits = new Semaphore(threads * tasksPerThread)
  }

  async run(task: object, { name, signal }: { name: string; signal?: AbortSignal }): Promise<never> {
    if (name === 'warmUp') return undefined as never // what is not used need not be loaded
    const running = this.#call(name, task, signal)
    this.#running.add(running)
    try {
      return (await running) as never
    } finally {
      this.#running.delete(running)
    }
  }

  async destroy(): Promise<void> {
    await Promise.allSettled(this.#running)
  }

  async #call(name: string, task: object, signal: AbortSignal | undefined): Promise<unknown> {
    await this.#permits.acquire(signal)
    try {
      signal?.throwIfAborted()
      if (this.#functions === undefined) loading = this.#functions = this.#load()
      const { [name]: work } = await this.#functions
      if (work === undefined) throw new TypeError(`This module has no ${name}.`)
      const working = work(task)
      return await Promise.race([working, ...(signal === undefined ? [] : [aborted(signal)])])
    } finally {
      this.#permits.release()
    }
  }
}

/**
 * Spares a test the start of threads and of a process. Nothing here can be ended at work, and nothing works side by
 * side.
 */
export const INLINE_THREADS: ThreadStarter = {
  process: (module, data) =>
    new InlinePeer(port =>
      module === 'git-worker' ? serveGit(port, data as GitWorkerData) : serveSandbox(port, data as SandboxWorkerData),
    ),
  indexing: data => new InlinePeer(port => serveIndexing(port, data as IndexWorkerData)),
  pool: (module, options) => new InlinePool(module, options),
}

/** The same, but what is indexed can be killed at any moment of it, and while HTTP goes on. */
export const INLINE_BUT_INDEXING: ThreadStarter = { ...INLINE_THREADS, indexing: WORKER_THREADS.indexing }
