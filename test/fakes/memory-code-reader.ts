import type { Chunk } from '../../src/core/chunk.ts'
import type { Chunker } from '../../src/indexer/chunker.ts'
import { lineStarts, splitLines } from '../../src/core/source-text.ts'
import { languageOf } from '../../src/indexer/languages.ts'
import type { ChunkHit, CodeReader } from '../../src/resolver/code/code-reader.ts'
import { indexedCodeReader, prepareProject } from './indexed-code-reader.ts'

export const COMMIT = 'c'.repeat(40)

interface MemoryOptions {
  repository?: string
  /** Lines of a chunk, and how many of them the next one repeats. */
  size?: number
  overlap?: number
  vectorHits?: ChunkHit[]
}

export function chunkLines(
  text: string,
  { repository, path, size = 500, overlap = 50 }: { repository: string; path: string; size?: number; overlap?: number },
): Chunk[] {
  const lines = splitLines(text)
  const starts: number[] = []
  for (let start = 0; start === 0 || start + overlap < lines.length; start += size - overlap) starts.push(start)
  return starts.map((start, chunkIndex) => {
    const part = lines.slice(start, start + size)
    return {
      repository,
      path,
      chunkIndex,
      totalChunks: starts.length,
      startLine: start + 1,
      endLine: start + part.length,
      text: part.join('\n'),
    }
  })
}

/** A project held in memory that answers as an index of windows does; vectors answer with the given hits. */
export function memoryCodeReader(
  files: Record<string, string>,
  { repository = 'shop', size = 500, overlap = 50, vectorHits = [] }: MemoryOptions = {},
): CodeReader {
  const chunker: Chunker = {
    name: `windows-${size}-${overlap}`,
    chunk(text) {
      const starts = lineStarts(text)
      return chunkLines(text, { repository, path: '', size, overlap })
        .filter(({ text }) => text !== '')
        .map(({ startLine, endLine }) => ({
          startLine,
          endLine,
          startOffset: starts[startLine - 1] ?? 0,
          endOffset: starts[endLine] ?? text.length,
        }))
    },
  }
  const texts = Object.entries(files)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([path, text]) => ({ path, text, language: languageOf(path) ?? 'text' }))
  return {
    ...indexedCodeReader(prepareProject(texts, { repository, chunker })),
    searchVectors: (_query, k) => vectorHits.slice(0, k),
  }
}

/** A file of numbered lines: `line 1`, `line 2` … */
export const numberedFile = (count: number, word = 'line'): string =>
  Array.from({ length: count }, (_, index) => `${word} ${index + 1}\n`).join('')
