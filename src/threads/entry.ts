import { Worker } from 'node:worker_threads'
import { Tinypool } from 'tinypool'

// `tsc` rewrites the suffix of imports, not of URLs: the sources run as .ts, the package as .js.
const SUFFIX = import.meta.url.endsWith('.ts') ? 'ts' : 'js'

/** The file of a thread's module, which is named from this folder and without its suffix. */
const entryUrl = (module: string): URL => new URL(`./${module}.${SUFFIX}`, import.meta.url)

/** What the caller of a thread needs of it. */
export type Thread = Pick<Worker, 'on' | 'once' | 'postMessage' | 'ref' | 'unref' | 'terminate'>

/** What the caller of a pool needs of it. */
export type TaskPool = Pick<Tinypool, 'run' | 'destroy' | 'threads'>

/** How many threads a pool has, and what each of them gets. */
export interface PoolOptions {
  threads: number
  /** At once in each. */
  tasksPerThread?: number
  idleMs: number
  workerData: object
}

/** Starts threads. Most tests give one that runs their modules in the thread of the test. */
export interface ThreadStarter {
  /** @param module - Named from this folder and without its suffix. */
  thread(module: string, workerData: object): Thread
  /** Starts each thread of the pool with the first task for it. */
  pool(module: string, options: PoolOptions): TaskPool
}

/** Starts real threads. */
export const WORKER_THREADS: ThreadStarter = {
  thread: (module, workerData) => new Worker(entryUrl(module), { workerData }),
  pool: (module, { threads, tasksPerThread = 1, idleMs, workerData }) =>
    new Tinypool({
      filename: entryUrl(module).href,
      minThreads: 0,
      maxThreads: threads,
      concurrentTasksPerWorker: tasksPerThread,
      idleTimeout: idleMs,
      useAtomics: false, // the threads also wait for git and sockets
      workerData,
    }),
}
