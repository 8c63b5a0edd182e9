import { tokenize } from '../../src/core/tokenize.ts'
import { LexicalSegmentWriter, type LexicalChunk } from '../../src/vecstore/lexical/lexical-segment-writer.ts'
import { LexicalSegment } from '../../src/vecstore/lexical/lexical-segment.ts'

export function segmentBytes(chunks: readonly LexicalChunk[]): Uint8Array {
  const writer = new LexicalSegmentWriter()
  for (const chunk of chunks) writer.add(chunk)
  return writer.toBytes()
}

export const segmentOf = (chunks: readonly LexicalChunk[]): LexicalSegment => new LexicalSegment(segmentBytes(chunks))

function add(counts: Map<string, number>, text: string, weight: number): Map<string, number> {
  for (const term of tokenize(text)) counts.set(term, (counts.get(term) ?? 0) + weight)
  return counts
}

/** The terms of a chunk as an index counts them: those of the path three times. */
export const termsOfChunk = ({ path, text }: LexicalChunk): Map<string, number> => add(add(new Map(), path, 3), text, 1)

/** BM25 as it is written down, over all documents; best first, ties by id. */
export function naiveBm25(
  documents: ReadonlyMap<number, ReadonlyMap<string, number>>,
  query: ReadonlyMap<string, number>,
): Array<{ id: number; score: number }> {
  const lengths = new Map(
    [...documents].map(([id, terms]) => [id, [...terms.values()].reduce((sum, count) => sum + count, 0)]),
  )
  const average = [...lengths.values()].reduce((sum, length) => sum + length, 0) / documents.size
  const idf = new Map(
    [...query.keys()].map(term => {
      const holding = [...documents.values()].filter(terms => terms.has(term)).length
      return [term, Math.log(1 + (documents.size - holding + 0.5) / (holding + 0.5))]
    }),
  )
  const scored = [...documents].map(([id, terms]) => {
    let score = 0
    for (const [term, weight] of query) {
      const count = terms.get(term) ?? 0
      score +=
        (weight * (idf.get(term) ?? 0) * count * 2.2) /
        (count + 1.2 * (0.25 + (0.75 * (lengths.get(id) ?? 0)) / average))
    }
    return { id, score }
  })
  return scored.filter(({ score }) => score > 0).sort((a, b) => b.score - a.score || a.id - b.id)
}

/** Chunks as documents, and files as the sums of theirs. */
export function chunkDocuments(chunks: readonly LexicalChunk[]): Map<number, Map<string, number>> {
  return new Map(chunks.map(chunk => [chunk.chunkId, termsOfChunk(chunk)]))
}

export function fileDocuments(chunks: readonly LexicalChunk[]): Map<number, Map<string, number>> {
  const files = new Map<number, Map<string, number>>()
  for (const { fileId, path, text } of chunks) {
    files.set(fileId, add(add(files.get(fileId) ?? new Map(), path, 3), text, 1))
  }
  return files
}

/** The same code-like chunks in every run: few words are frequent and many are rare, in files of some chunks. */
export function pseudoCode(count: number, vocabulary: number): LexicalChunk[] {
  let state = 12_345
  const next = (): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    return state / 2 ** 32
  }
  return Array.from({ length: count }, (_, i) => {
    const words = Array.from({ length: 10 + Math.floor(next() * 60) }, () => `word${Math.floor(vocabulary ** next())}`)
    const fileId = 1 + Math.floor(i / 5)
    return { chunkId: i + 1, fileId, path: `src/word${fileId % 50}/file${fileId}.py`, text: words.join(' ') }
  })
}
