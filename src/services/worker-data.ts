import type { Config } from '../config.ts'

/** Shares of `CACHE_MB`: of the threads that answer from indexes, together; of what works on clones; of this thread. */
const CACHE_SHARES = { resolving: 3 / 4, git: 1 / 8, main: 1 / 8 }

/** The most bytes that all caches of a thread take: its share of `CACHE_MB`. */
export const cacheBytesOf = (
  { cacheBytes }: Pick<Config, 'cacheBytes'>,
  user: keyof typeof CACHE_SHARES,
  threads = 1,
): number => Math.floor((cacheBytes * CACHE_SHARES[user]) / threads)

/** What threads that make or read indexes know of the configuration. */
export const workerDataOf = ({ vectorStoreDir, clonedReposDir, embedding, chunker, diskReserveBytes }: Config) => ({
  vectorStoreDir,
  clonedReposDir,
  embedding,
  chunker,
  minFreeBytes: diskReserveBytes,
})
