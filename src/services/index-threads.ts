import type { Config } from '../config.ts'
import { LARGE_CHUNKS, type IndexResult } from '../core/project.ts'
import type { CloneDeps } from '../pipelines/clone/run.ts'
import type { ThreadStarter } from '../threads/entry.ts'
import { ThreadPool } from '../threads/pool.ts'
import { workerDataOf } from './worker-data.ts'

const THREADS = 1 // one of two cores stays free for HTTP and searches
/** What indexing a large repository took goes back with the thread; the next one starts while git works. */
const IDLE_MS = 120_000

/** The thread that makes indexes. */
export interface IndexThreads {
  /** Starts the thread, which takes a moment; that it could not be started is seen by whoever indexes next. */
  prepare(): void
  indexRepository: CloneDeps['indexRepository']
  close(): Promise<void>
}

/** Starts the thread that makes indexes with the first of them. */
export function startIndexThreads(config: Config, starter?: ThreadStarter): IndexThreads {
  const pool = new ThreadPool('index-worker', {
    threads: THREADS,
    idleMs: IDLE_MS,
    workerData: workerDataOf(config),
    starter,
  })
  return {
    prepare() {
      pool.warmUp().catch(() => {})
    },
    async indexRepository(request, options) {
      const result = await pool.run<IndexResult, { phase: string; done: number; total: number | null }>(
        'indexRepository',
        { request },
        options,
      )
      // before another thread opens what was made
      if (result.chunksTotal >= LARGE_CHUNKS) await pool.endIdle()
      return result
    },
    close: () => pool.close(),
  }
}
