import type { Config } from '../config.ts'
import { littleKept } from '../config/client.ts'
import { collectGarbage } from '../core/collect-garbage.ts'
import { LARGE_CHUNKS } from '../core/project.ts'
import type { ThreadStarter } from '../threads/entry.ts'
import { ThreadPool, type ThreadOptions } from '../threads/pool.ts'
import type * as worker from '../threads/resolve-worker.ts'
import { SharedThread } from '../threads/shared-thread.ts'
import type { RequestOf, ResultOf } from '../threads/task.ts'
import type { Log } from './log.ts'
import { cacheBytesOf, workerDataOf } from './worker-data.ts'

/** Programs that the server starts, and its own thread, have the other processors. */
const THREADS = 2
/**
 * Milliseconds that a task waits before a second process starts. That one is ten times slower at first, takes as much
 * memory again, and its processor from git: it is for what would hold up all others.
 */
const PATIENCE_MS = 1_000
/** Most tasks end sooner; a process is slow at first, so none should end because one client hung up. */
const GRACE_MS = 500
/**
 * What a process has opened and kept goes back to the machine when nobody has asked for this long. The next one is slow
 * at first, and memory is to be back within a minute.
 */
const IDLE_MS = 45_000
/**
 * Megabytes for the objects of a process beside what its caches hold, twice as much as the largest text of a request
 * takes: with more room V8 only collects later.
 */
const WORKING_HEAP_MB = 256
const MIB = 1_048_576
/** Threads that ask an embedding server mostly wait for it. */
const THREADS_WITH_API = 6

type Tasks = Pick<
  typeof worker,
  IndexTaskName | 'parse' | 'diagnose' | 'withoutSecrets' | 'pageOfHistory' | 'cutToTokens'
>
type TaskName = keyof Tasks
/** Tasks that read the index of a project. */
type IndexTaskName = 'locate' | 'search' | 'prepare' | 'rehearse' | 'pinCode' | 'askCode' | 'placeOfHistory'

interface ResolveThreadsOptions {
  common: Pick<ThreadPool, keyof ThreadPool>
  /** One thread. */
  large: Pick<ThreadPool, 'run' | 'close'>
  /** In the published index; 0 where there is none. */
  chunksOf: (project: string) => Promise<number>
}

/** Threads that answer from indexes, each of which keeps those open that it was asked about. */
export interface ResolveThreads extends Pick<ThreadPool, 'warmUp' | 'close'> {
  run<Name extends TaskName>(
    name: Name,
    request: RequestOf<Tasks[Name]>,
    options?: ThreadOptions,
  ): Promise<ResultOf<Tasks[Name]>>
  /**
   * As `run`, for what reads the index of a project. A large one is open in one thread only, where its requests take
   * turns to work: memory is bounded by the index, not by a multiple of it.
   */
  runFor<Name extends IndexTaskName>(
    project: string,
    name: Name,
    request: RequestOf<Tasks[Name]>,
    options?: ThreadOptions,
  ): Promise<ResultOf<Tasks[Name]>>
}

/** Gives each task to the threads that have, or may open, the index it reads. */
export function createResolveThreads({ common, large, chunksOf }: ResolveThreadsOptions): ResolveThreads {
  return {
    run: (name, request, options) => common.run(name, request, options),
    async runFor(project, name, request, options) {
      const pool = (await chunksOf(project)) < LARGE_CHUNKS ? common : large
      return await pool.run(name, request, options)
    },
    warmUp: () => common.warmUp(),
    close: async () => {
      await Promise.all([common.close(), large.close()])
    },
  }
}

/** Starts the threads of a server, with their first tasks. */
export function startResolveThreads(
  config: Config,
  { chunksOf, log, starter }: Pick<ResolveThreadsOptions, 'chunksOf'> & { log: Log; starter?: ThreadStarter },
): ResolveThreads {
  const workerData = workerDataOf(config)
  const env = littleKept()
  const threads = config.embedding === null ? THREADS : THREADS_WITH_API
  const cacheBytes = cacheBytesOf(config, 'resolving', threads)
  const onLost = (reason: unknown): void =>
    log.warn({ err: reason }, 'a process that answers was lost; what it was asked is asked once more, in another one')
  return createResolveThreads({
    common: new ThreadPool('resolve-worker', {
      threads,
      // those that mostly wait for another service start at once
      patienceMs: config.embedding === null ? PATIENCE_MS : undefined,
      graceMs: GRACE_MS,
      idleMs: IDLE_MS,
      onIdle: collectGarbage,
      onLost,
      starter,
      env,
      // what stands in a cache may be there twice, packed and unpacked
      heapMb: WORKING_HEAP_MB + Math.ceil((2 * cacheBytes) / MIB),
      workerData: { ...workerData, cacheBytes },
    }),
    // Begins with the first large index. Without another service to wait for, a second task in it would only wait for
    // the first.
    large: new SharedThread({
      tasks: config.embedding === null ? 1 : THREADS_WITH_API,
      onLost,
      workerData,
      env,
      starter,
    }),
    chunksOf,
  })
}
