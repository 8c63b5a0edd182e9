import { LARGE_CHUNKS } from '../core/project.ts'
import type { ThreadOptions, ThreadPool } from '../threads/pool.ts'
import type * as worker from '../threads/resolve-worker.ts'
import type { RequestOf, ResultOf } from '../threads/task.ts'

type Tasks = Pick<typeof worker, 'locate' | 'search' | 'prepare' | 'parse' | 'diagnose'>
type TaskName = keyof Tasks
/** Tasks that read the index of a project. */
type IndexTaskName = 'locate' | 'search' | 'prepare'

interface ResolveThreadsOptions {
  common: ThreadPool
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

export function createResolveThreads({ common, large, chunksOf }: ResolveThreadsOptions): ResolveThreads {
  return {
    run: (name, request, options) => common.run(name, request, options),
    async runFor(project, name, request, options) {
      const pool = (await chunksOf(project)) < LARGE_CHUNKS ? common : large
      return await pool.run(name, request, options)
    },
    warmUp: common.warmUp,
    close: async () => {
      await Promise.all([common.close(), large.close()])
    },
  }
}
