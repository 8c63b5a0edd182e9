import type { Config } from '../config.ts'

/** What threads that make or read indexes know of the configuration. */
export const workerDataOf = ({ vectorStoreDir, clonedReposDir, embedding, chunker }: Config) => ({
  vectorStoreDir,
  clonedReposDir,
  embedding,
  chunker,
})
