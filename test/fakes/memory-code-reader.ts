import type { Chunk, Hit } from '../../src/core/chunk.ts'
import type { CodeReader } from '../../src/resolver/code-reader.ts'
import { compareChunks } from '../../src/resolver/fusion.ts'
import { splitLines } from '../../src/core/source-text.ts'

export const COMMIT = 'c'.repeat(40)

export interface MemoryOptions {
  repository?: string
  /** Lines of a chunk, and how many of them the next one repeats. */
  size?: number
  overlap?: number
  vectorHits?: Hit[]
}

/** A project held in memory: full text is the number of shared words, vectors answer with the given hits. */
export function memoryCodeReader (files: Record<string, string>, { repository = 'shop', size = 500, overlap = 50, vectorHits = [] }: MemoryOptions = {}): CodeReader {
  const texts = new Map(Object.entries(files))
  const list = [...texts.keys()].sort().map(path => ({ repository, path }))
  const chunksOf = (path: string): Chunk[] => chunkLines(texts.get(path) ?? '', { repository, path, size, overlap })
  return {
    manifest: {
      formatVersion: 1,
      generation: 1,
      publishedAt: '2026-11-21T00:00:00.000Z',
      embedding: { provider: 'local', model: 'fake', dimensions: 2, fitId: 'fake' },
      chunker: 'lines-500-50',
      repositories: [{ repository, url: 'https://example.com/shop.git', branch: 'main', commit: COMMIT, indexedAt: '2026-11-21T00:00:00.000Z', filesIndexed: list.length, filesSkipped: {}, include: [], exclude: [] }],
      filesIndexed: list.length,
      chunksTotal: list.length,
      languages: {},
    },
    files: () => list,
    fileText: (name, path) => name === repository ? texts.get(path) ?? null : null,
    chunksOf: (name, path) => name === repository ? chunksOf(path) : [],
    searchVectors: (_query, k) => vectorHits.slice(0, k),
    searchText (query, k) {
      const words = new Set(query.toLowerCase().match(/[a-z_]{3,}/g) ?? [])
      return list.flatMap(({ path }) => chunksOf(path)).map((chunk) => {
        const own = new Set(`${chunk.path} ${chunk.text}`.toLowerCase().match(/[a-z_]{3,}/g) ?? [])
        return { chunk, score: [...words].filter(word => own.has(word)).length / (words.size + 1) }
      }).filter(({ score }) => score > 0).sort((a, b) => b.score - a.score || compareChunks(a.chunk, b.chunk)).slice(0, k)
    },
  }
}

export function chunkLines (text: string, { repository, path, size = 500, overlap = 50 }: { repository: string, path: string, size?: number, overlap?: number }): Chunk[] {
  const lines = splitLines(text)
  const starts: number[] = []
  for (let start = 0; start === 0 || start + overlap < lines.length; start += size - overlap) starts.push(start)
  return starts.map((start, chunkIndex) => {
    const part = lines.slice(start, start + size)
    return { repository, path, chunkIndex, totalChunks: starts.length, startLine: start + 1, endLine: start + part.length, text: part.join('\n') }
  })
}

/** A file of numbered lines: `line 1`, `line 2` … */
export const numberedFile = (count: number, word = 'line'): string => Array.from({ length: count }, (_, index) => `${word} ${index + 1}\n`).join('')
