/** Contiguous lines of one file: the unit that is embedded and searched. Lines are 1-based and inclusive. */
export interface Chunk {
  repository: string
  path: string
  /** Position among the chunks of its file, 0-based. */
  chunkIndex: number
  totalChunks: number
  startLine: number
  endLine: number
  text: string
}
