import { Worker } from 'node:worker_threads'
import { openInChild, openOwnChild, type ChildOptions } from './child-process.ts'
import { ProcessPool } from './process-pool.ts'
import type { Peer } from './rpc.ts'

// `tsc` rewrites the suffix of imports, not of URLs: the sources run as .ts, the package as .js.
const SUFFIX = import.meta.url.endsWith('.ts') ? 'ts' : 'js'

/** The file of a module, which is named from this folder and without its suffix. */
const entryUrl = (module: string): URL => new URL(`./${module}.${SUFFIX}`, import.meta.url)

/** What a thread makes lives short: with the usual 48 MB it only takes longer until its memory is used again. */
const YOUNG_GENERATION_MB = 12

/**
 * A thread of one's own, which ends with the thread that starts it.
 *
 * @param module - As in `ThreadStarter`.
 * @param youngMb - Megabytes for what lives short.
 */
export const startThread = (module: string, data: object, youngMb = YOUNG_GENERATION_MB): Peer =>
  new Worker(entryUrl(module), { workerData: data, resourceLimits: { maxYoungGenerationSizeMb: youngMb } })

/** What the caller of a pool needs of it. */
export type TaskPool = Pick<ProcessPool, 'run' | 'destroy'>

/** How many threads a pool has, and what each of them gets. */
export interface PoolOptions {
  threads: number
  /** At once in each. */
  tasksPerThread?: number
  /** These two as in `ProcessPool`. */
  patienceMs?: number
  graceMs?: number
  idleMs: number
  /** Called when the last one has ended because nothing was asked for so long. */
  onIdle?: () => void
  /** Called with the reason when one ended that was not to end. */
  onLost?: (reason: unknown) => void
  /** Megabytes for the objects of each; left out: what V8 allows. */
  heapMb?: number
  workerData: object
  /** Variables of the processes; left out: those of this one. */
  env?: NodeJS.ProcessEnv
}

/**
 * What makes an index leaves gigabytes of garbage, and has two threads at work already, each with such a space: with
 * more room it takes as long and more memory. It is ended at any instant.
 */
const INDEXING: ChildOptions = { semiSpaceMb: 4, v8Threads: 1, endMs: 0 }

/**
 * What it makes of one text, some 4 MB, lives short: most of it is garbage when it is gone through. V8 takes twice as
 * much for it as is said here, and rounds that up to a power of two. Several such processes are at work at once: one
 * thread beside each is enough. It is ended at any instant.
 */
const ANSWERING: ChildOptions = { semiSpaceMb: 4, v8Threads: 1, endMs: 0 }

/** Starts threads and processes. Most tests give one that runs their modules in the thread of the test. */
export interface ThreadStarter {
  /**
   * Starts what starts programs itself, in a process that these share.
   *
   * @param module - Named from this folder and without its suffix.
   */
  process(module: string, workerData: object): Peer
  /**
   * Starts what makes indexes, in a process of its own, which may be ended at any instant.
   *
   * @param env - Its variables; left out: those of this process.
   */
  indexing(workerData: object, env?: NodeJS.ProcessEnv): Peer
  /** Starts each thread of the pool with the first task for it. */
  pool(module: string, options: PoolOptions): TaskPool
}

/** Starts real threads, and one process for all that starts programs. */
export const WORKER_THREADS: ThreadStarter = {
  process: (module, workerData) => openInChild(entryUrl('child-entry'), module, workerData),
  indexing: (workerData, env) =>
    openOwnChild(entryUrl('index-entry'), 'index-worker', workerData, { ...INDEXING, env }),
  pool: (module, { threads, tasksPerThread = 1, heapMb, workerData, env, ...options }) =>
    new ProcessPool({
      ...options,
      processes: threads,
      tasksPerProcess: tasksPerThread,
      start: () =>
        openOwnChild(entryUrl('resolve-entry'), module, workerData, { ...ANSWERING, oldSpaceMb: heapMb, env }),
    }),
}
