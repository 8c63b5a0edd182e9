import { eachIdentifier } from '../../core/tokenize.ts'
import type { LexicalSegment } from './lexical-segment.ts'

/** An identifier of a text that is looked for; an open end may go on in the code. */
interface Piece {
  text: string
  opensBefore: boolean
  opensAfter: boolean
}

interface Part {
  segment: LexicalSegment
  vocabulary: Buffer
  /** The file of each chunk; `fileCount` for chunks that are gone. */
  fileOfChunk: Uint32Array
}

/** Shorter pieces with an open end are in nearly everything. */
const MIN_OPEN = 3
/** Shorter identifiers have no term of their own. */
const MIN_WHOLE = 2
const MAX_PIECES = 50

function piecesOf(text: string): Piece[] {
  const pieces: Piece[] = []
  let from = 0
  eachIdentifier(text, identifier => {
    const start = text.indexOf(identifier, from)
    from = start + identifier.length
    const opensBefore = start === 0
    const opensAfter = from === text.length
    if (identifier.length >= (opensBefore || opensAfter ? MIN_OPEN : MIN_WHOLE) && pieces.length < MAX_PIECES) {
      pieces.push({ text: identifier.toLowerCase(), opensBefore, opensAfter })
    }
  })
  return pieces
}

function firstEndingBehind(
  offset: number,
  termStarts: Uint32Array,
  { from, to }: { from: number; to: number },
): number {
  let low = from
  let high = to
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((termStarts[middle + 1] ?? 0) <= offset) low = middle + 1
    else high = middle
  }
  return low
}

/** The terms that hold a text. */
function idsWith({ termCount, views: { termStarts } }: LexicalSegment, vocabulary: Buffer, text: string): number[] {
  const ids: number[] = []
  const length = Buffer.byteLength(text)
  let id = 0
  for (let at = vocabulary.indexOf(text); at >= 0; at = vocabulary.indexOf(text, at)) {
    id = firstEndingBehind(at, termStarts, { from: id, to: termCount })
    const end = termStarts[id + 1] ?? 0
    if (at + length <= end) {
      ids.push(id)
      at = end
    } else at++ // it begins in one term and ends in the next
  }
  return ids
}

function termsWith({ segment, vocabulary }: Part, { text, opensBefore, opensAfter }: Piece): number[] {
  if (!opensBefore && !opensAfter) {
    const id = segment.idOf(text)
    return id < 0 ? [] : [id]
  }
  return idsWith(segment, vocabulary, text).filter(id => {
    const term = segment.termAt(id)
    return (opensBefore || term.startsWith(text)) && (opensAfter || term.endsWith(text))
  })
}

/** Tells by the words of an index which files may hold a text as it is, without reading any. */
export class LiteralFiles {
  readonly #parts: Part[]
  readonly #fileCount: number

  /**
   * @param fileOf - The number of a chunk's file, below `fileCount`; null for a chunk that is gone. Asked once for each
   * chunk.
   */
  constructor(segments: readonly LexicalSegment[], fileCount: number, fileOf: (chunkId: number) => number | null) {
    this.#fileCount = fileCount
    this.#parts = segments.map(segment => {
      const { chunkIds, vocabulary } = segment.views
      return {
        segment,
        vocabulary: Buffer.from(vocabulary.buffer, vocabulary.byteOffset, vocabulary.byteLength),
        fileOfChunk: chunkIds.map(id => fileOf(id) ?? fileCount),
      }
    })
  }

  /**
   * Files that hold every identifier of a text, those at its ends as parts of longer ones: all that hold the text, and
   * some more. Not found is what lies inside of runs of more than a hundred letters, which have no terms. About 1 ms a
   * megabyte of vocabulary and 1 ms for a million postings of what matches.
   *
   * @returns Numbers of files, ascending; null when the text has no identifier to go by.
   */
  holding(text: string): number[] | null {
    const pieces = piecesOf(text)
    const counts = new Uint8Array(this.#fileCount)
    for (const piece of pieces) {
      const found = this.#filesWith(piece)
      for (let file = 0; file < counts.length; file++) counts[file] = (counts[file] ?? 0) + (found[file] ?? 0)
    }
    if (pieces.length === 0) return null
    const files: number[] = []
    for (let file = 0; file < counts.length; file++) if (counts[file] === pieces.length) files.push(file)
    return files
  }

  #filesWith(piece: Piece): Uint8Array {
    const found = new Uint8Array(this.#fileCount + 1)
    for (const part of this.#parts) {
      const { chunks, postingStarts } = part.segment.views
      for (const id of termsWith(part, piece)) {
        const end = postingStarts[id + 1] ?? 0
        for (let i = postingStarts[id] ?? 0; i < end; i++) {
          const chunk = chunks[i] ?? 0
          found[part.fileOfChunk[chunk] ?? 0] = 1
        }
      }
    }
    return found
  }
}
