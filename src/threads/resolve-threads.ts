import { LARGE_CHUNKS } from '../core/project.ts'
import type { ThreadOptions, ThreadPool } from './pool.ts'

interface ResolveThreadsOptions {
  common: ThreadPool
  /** One thread. */
  large: Pick<ThreadPool, 'run' | 'close'>
  /** In the published index; 0 where there is none. */
  chunksOf: (project: string) => Promise<number>
}

/** Threads that answer from indexes, each of which keeps those open that it was asked about. */
export interface ResolveThreads extends Pick<ThreadPool, 'run' | 'warmUp' | 'close'> {
  /**
   * As `run`, for what reads the index of a project. A large one is open in one thread only, where its requests take
   * turns to work: memory is bounded by the index, not by a multiple of it.
   */
  runFor<T>(project: string, name: string, task: object, options?: ThreadOptions): Promise<T>
}

export function createResolveThreads({ common, large, chunksOf }: ResolveThreadsOptions): ResolveThreads {
  return {
    run: common.run,
    runFor: async (project, name, task, options) =>
      await ((await chunksOf(project)) < LARGE_CHUNKS ? common : large).run(name, task, options),
    warmUp: common.warmUp,
    close: async () => {
      await Promise.all([common.close(), large.close()])
    },
  }
}
