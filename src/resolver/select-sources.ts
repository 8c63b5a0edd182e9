import type { Chunk, Hit } from '../core/chunk.ts'
import type { MappedFrame, ParsedException, ParsedTrace } from '../core/frame.ts'
import type { SourceReason } from '../core/resolution.ts'
import { lineCount } from '../core/source-text.ts'
import type { CodeReader } from './code-reader.ts'
import { baseName } from './file-index.ts'
import { framePath } from './frame-path.ts'
import { chunkKey, compareChunks, fuse, type RankedList } from './fusion.ts'
import { functionName } from './function-name.ts'
import type { RankedFrame } from './rank-frames.ts'
import { plainText, type CleanText } from './stack-trace/clean.ts'

/** A chunk that belongs into the context, and why. */
export interface Selected {
  chunk: Chunk
  /** Lines of the trace in this chunk, the most telling first. */
  highlightedLines: number[]
  reason: SourceReason
  why: string
  score: number
}

/** The embedding of a query, or null when the index cannot be searched by vectors. Rejects when the embedder is down. */
export type EmbedQuery = (text: string) => Promise<Float32Array | null>

const HITS_PER_FILE = 3
const HITS_BY_WORDS = 5
const MAX_UNMATCHED_FILES = 5
const MAX_QUERY_CHARS = 2000
const DENSE_WEIGHT = 0.5
const SCORE_STEP = 0.01
const MIN_FRAME_SCORE = 0.55
const FOUND_SCORE = 0.5 // what was searched for ranks below what the trace names

/** Chunks of the frames' files around their lines, scored by their distance from the failure (1.0 for the failing frame). */
export function selectFrames (ranked: readonly RankedFrame[], reader: Pick<CodeReader, 'chunksOf' | 'fileText'>): Selected[] {
  const selected = new Map<string, Selected>()
  for (const { frame, rank, why } of ranked) {
    if (frame.repository === null || frame.path === null) continue
    const chunks = reader.chunksOf(frame.repository, frame.path)
    const place = placeOf(frame, reader)
    const known = chunks.find(chunk => selected.has(chunkKey(chunk)) && contains(chunk, place.line))
    const chunk = known ?? mostCentral(chunks, place.line)
    if (chunk === null) continue
    const entry = selected.get(chunkKey(chunk))
    if (entry === undefined) {
      selected.set(chunkKey(chunk), { chunk, highlightedLines: place.highlight ? [place.line] : [], reason: 'frame', why: why + place.note, score: frameScore(frame, rank) })
    } else if (place.highlight && !entry.highlightedLines.includes(place.line)) {
      entry.highlightedLines.push(place.line)
    }
  }
  return [...selected.values()]
}

function frameScore (frame: MappedFrame, rank: number): number {
  const certainty = frame.match === 'basename' ? 0.9 : 1
  return rounded(Math.max(MIN_FRAME_SCORE, 1 - rank * SCORE_STEP) * certainty)
}

/** Where a frame's code is; where that is unknown, its printed line. */
function placeOf (frame: MappedFrame, reader: Pick<CodeReader, 'fileText'>): { line: number, highlight: boolean, note: string } {
  if (frame.codeLine !== null) return { line: frame.codeLine, highlight: true, note: '' }
  const count = lineCount(reader.fileText(frame.repository ?? '', frame.path ?? '') ?? '')
  const isCompiled = frame.match === 'source_map' || (frame.match === 'symbol' && frame.file !== null) // its line is one of the output
  if (!isCompiled && frame.line !== null && frame.line >= 1 && frame.line <= count) return { line: frame.line, highlight: true, note: '; the printed code is not at this line' }
  return { line: 1, highlight: false, note: '; its line is unknown' }
}

const contains = (chunk: Chunk, line: number): boolean => chunk.startLine <= line && line <= chunk.endLine

/** Of overlapping chunks the one with the most code on both sides of the line. */
function mostCentral (chunks: readonly Chunk[], line: number): Chunk | null {
  let best: Chunk | null = null
  for (const chunk of chunks) {
    if (contains(chunk, line) && (best === null || margin(chunk, line) > margin(best, line))) best = chunk
  }
  return best
}

const margin = ({ startLine, endLine }: Chunk, line: number): number => Math.min(line - startLine, endLine - line)

/**
 * Chunks found by searching: for each file of the trace that matched none (three hits each), or, when no frame gives
 * anything, by the words of the text. Full text alone when the embedder is down, and `why` says so.
 */
export async function selectBySearch (text: CleanText, trace: ParsedTrace, mapped: readonly MappedFrame[], { focus, reader, embedQuery }:
{ focus: ParsedException | null, reader: Pick<CodeReader, 'searchVectors' | 'searchText'>, embedQuery: EmbedQuery }): Promise<Selected[]> {
  const selected: Selected[] = []
  for (const frame of unmatchedFiles(mapped).slice(0, MAX_UNMATCHED_FILES)) {
    const name = baseName(framePath(frame.file ?? '').path)
    const exception = trace.exceptions[frame.exception]
    const query = [name, functionName(frame.function), exception?.message].filter(part => part != null).join(' ').slice(0, MAX_QUERY_CHARS)
    const { hits, note } = await nearest(query, reader, embedQuery)
    for (const [rank, { chunk, score }] of hits.entries()) {
      selected.push({ chunk, highlightedLines: [], reason: note === null ? 'similar' : 'lexical', score: rounded(FOUND_SCORE * (note === null ? score : 1 / (rank + 1))), why: `near to ${name} of frame ${frame.index}, which is not in the index${note ?? ''}` })
    }
  }
  const isOfFocus = ({ exception }: MappedFrame): boolean => focus === null || trace.exceptions[exception]?.chain === focus.chain
  if (selected.length === 0 && !mapped.some(frame => frame.inProject && isOfFocus(frame))) selected.push(...await selectByWords(wordsOf(text, trace, focus), reader, embedQuery))
  return selected
}

/** Frames that look like the project's and matched no file: one for each file, the innermost first. */
function unmatchedFiles (frames: readonly MappedFrame[]): MappedFrame[] {
  const byFile = new Map<string, MappedFrame>()
  for (const frame of frames.toReversed()) {
    if (frame.file !== null && frame.path === null && !byFile.has(frame.file) && framePath(frame.file).origin === 'project') byFile.set(frame.file, frame)
  }
  return [...byFile.values()]
}

/** Says of the frames whose files are not searched for that they are not. */
export function noteUnsearched (frames: readonly MappedFrame[]): MappedFrame[] {
  const unsearched = new Set(unmatchedFiles(frames).slice(MAX_UNMATCHED_FILES).map(({ file }) => file))
  return frames.map(frame => frame.path === null && unsearched.has(frame.file) ? { ...frame, why: `${frame.why}; not searched for, since ${MAX_UNMATCHED_FILES} such files are nearer to the failure` } : frame)
}

async function nearest (query: string, reader: Pick<CodeReader, 'searchVectors' | 'searchText'>, embedQuery: EmbedQuery): Promise<{ hits: Hit[], note: string | null }> {
  const { vector, note } = await embedded(query, embedQuery)
  return vector === null ? { hits: reader.searchText(query, HITS_PER_FILE), note } : { hits: reader.searchVectors(vector, HITS_PER_FILE), note: null }
}

/** The vector of a query, or null and the reason why there is none: a search goes on without. */
export async function embedded (query: string, embedQuery: EmbedQuery): Promise<{ vector: Float32Array | null, note: string }> {
  try {
    return { vector: await embedQuery(query), note: ' (full text only: the index has no vectors for it)' }
  } catch {
    // Searching goes on without vectors; the reader of the answer is told.
    return { vector: null, note: ' (full text only: the embedding service did not answer)' }
  }
}

async function selectByWords (query: string, reader: Pick<CodeReader, 'searchVectors' | 'searchText'>, embedQuery: EmbedQuery): Promise<Selected[]> {
  const { vector, note } = await embedded(query, embedQuery)
  const lists: RankedList[] = [{ reason: 'lexical', weight: 1, hits: reader.searchText(query, HITS_BY_WORDS) }]
  if (vector !== null) lists.push({ reason: 'similar', weight: DENSE_WEIGHT, hits: reader.searchVectors(vector, HITS_BY_WORDS) })
  return fuse(lists).map(({ chunk, score, reason }) => ({
    chunk,
    highlightedLines: [],
    reason,
    why: reason === 'lexical' ? `holds words of the text${vector === null ? note : ''}` : 'similar to the text',
    score: rounded(FOUND_SCORE * score),
  }))
}

/** What to search by: the error, its functions and printed code, else the text itself, both ends of a long one. */
function wordsOf (text: CleanText, trace: ParsedTrace, focus: ParsedException | null): string {
  const frames = trace.frames.filter(frame => frame.exception === focus?.index).slice(-20).reverse()
  const known = [focus?.type, focus?.message, ...frames.flatMap(frame => [functionName(frame.function), frame.sourceText])].filter(part => part != null).join(' ')
  const words = known === '' ? plainText(text) : known
  return words.length <= MAX_QUERY_CHARS ? words : `${words.slice(0, MAX_QUERY_CHARS / 2)} ${words.slice(-MAX_QUERY_CHARS / 2)}`
}

/** One list without duplicates, best first; ties by path and line. A chunk keeps its best reason. */
export function mergeSelected (...lists: ReadonlyArray<readonly Selected[]>): Selected[] {
  const merged = new Map<string, Selected>()
  for (const entry of lists.flat()) {
    const known = merged.get(chunkKey(entry.chunk))
    if (known === undefined || known.score < entry.score) merged.set(chunkKey(entry.chunk), entry)
  }
  return [...merged.values()].sort((a, b) => b.score - a.score || compareChunks(a.chunk, b.chunk))
}

const rounded = (score: number): number => Math.round(score * 1000) / 1000
