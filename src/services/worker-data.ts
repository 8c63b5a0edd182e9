import type { Config } from '../config.ts'

/** Shares of `CACHE_MB`: of the processes that answer from indexes, together; of what works on clones; of this one. */
const CACHE_SHARES = { resolving: 3 / 4, git: 1 / 8, main: 1 / 16 }

/** The most bytes that all caches of a process take: its part of a share of `CACHE_MB`. */
export const cacheBytesOf = (
  { cacheBytes }: Pick<Config, 'cacheBytes'>,
  user: keyof typeof CACHE_SHARES,
  processes = 1,
): number => Math.floor((cacheBytes * CACHE_SHARES[user]) / processes)

/** What processes that make or read indexes know of the configuration. */
export const workerDataOf = ({ vectorStoreDir, clonedReposDir, embedding, chunker, diskReserveBytes }: Config) => ({
  vectorStoreDir,
  clonedReposDir,
  embedding,
  chunker,
  minFreeBytes: diskReserveBytes,
})
