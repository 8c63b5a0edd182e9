import type { Chunk } from '../../core/chunk.ts'
import { lineStarts } from '../../core/source-text.ts'
import type { IndexedFile } from '../code/file-index.ts'
import { fileKey, type Lines } from '../ranking/rankers/hits.ts'
import type { FoundFile } from './fuse.ts'
import type { SearchReader } from './lists.ts'
import { findText, type FindText, type TextMatch } from './text-pattern.ts'

/** A chunk that contains the quoted texts. */
interface LiteralMatch {
  file: { repository: string; path: string }
  /** The file's rank by words of the query; null where no list has it. */
  ranked: FoundFile | null
  chunk: Chunk
  /** Lines of the chunk that contain the quoted text, including those where it goes on. */
  lines: Lines[]
}

/** Characters of files that are searched for one query: about 0.2 s. */
const MAX_CHARS = 48 * 1_048_576
const MAX_PLACES = 500

/** Files that contain every word of the texts; all files where the texts have no word to search by. */
function candidates(literals: readonly string[], reader: SearchReader): IndexedFile[] {
  let files: readonly IndexedFile[] = reader.files()
  for (const literal of literals) {
    const holding = reader.filesHolding(literal)
    if (holding === null) continue
    const keys = new Set(holding.map(fileKey))
    files = files.filter(file => keys.has(fileKey(file)))
  }
  return [...files]
}

/** The 1-based line of an offset. */
function lineAt(starts: readonly number[], offset: number): number {
  let low = 0
  let high = starts.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((starts[middle] ?? 0) <= offset) low = middle + 1
    else high = middle
  }
  return low
}

/** The lines of each pattern's matches; null when one has none. */
function placesIn(text: string, patterns: readonly FindText[]): Lines[][] | null {
  const found: TextMatch[][] = []
  for (const find of patterns) {
    const matches = find(text, MAX_PLACES)
    if (matches.length === 0) return null
    found.push(matches)
  }
  const starts = lineStarts(text)
  return found.map(matches =>
    matches.map(({ start, end }) => ({ startLine: lineAt(starts, start), endLine: lineAt(starts, end - 1) })),
  )
}

/** The chunks with these places; of overlapping chunks the first. */
function chunksWith(places: readonly Lines[][], chunks: readonly Chunk[]): Array<{ chunk: Chunk; lines: Lines[] }> {
  let after = 0
  return chunks.flatMap(chunk => {
    const from = Math.max(after + 1, chunk.startLine)
    after = Math.max(after, chunk.endLine)
    const own = places.map(of => of.filter(({ startLine }) => from <= startLine && startLine <= chunk.endLine))
    return own.every(lines => lines.length > 0) ? [{ chunk, lines: own.flat() }] : []
  })
}

/**
 * The chunks in which each quoted text begins. Case counts when the quoted text has a capital letter. Files that words
 * lead to come first; the others by path.
 *
 * @returns At most as many files as wanted; `complete` is false when the project is too large to search all files that
 * may contain the texts.
 */
export function findLiterals(
  literals: readonly string[],
  { ranked, files }: { ranked: readonly FoundFile[]; files: number },
  reader: SearchReader,
): { matches: LiteralMatch[]; complete: boolean } {
  const patterns = literals.map(literal => findText(literal, { ignoresCase: !/\p{Lu}/u.test(literal) }))
  const matches: LiteralMatch[] = []
  const byKey = new Map(ranked.map(file => [fileKey(file), file]))
  const holding = candidates(literals, reader)
  const first = holding.filter(file => byKey.has(fileKey(file)))
  const order = new Map(ranked.map((file, position) => [fileKey(file), position]))
  first.sort((a, b) => (order.get(fileKey(a)) ?? 0) - (order.get(fileKey(b)) ?? 0))
  let left = MAX_CHARS
  let found = 0
  for (const file of [...first, ...holding.filter(file => !byKey.has(fileKey(file)))]) {
    if (found >= files) break
    const text = reader.fileText(file.repository, file.path) ?? ''
    left -= text.length
    if (left < 0) return { matches, complete: false }
    const places = placesIn(text, patterns)
    if (places === null) continue
    const here = chunksWith(places, reader.chunksOf(file.repository, file.path))
    if (here.length > 0) found++
    for (const match of here) matches.push({ file, ranked: byKey.get(fileKey(file)) ?? null, ...match })
  }
  return { matches, complete: true }
}
