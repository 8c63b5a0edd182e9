import type { DroppedSource, Source } from '../core/resolution.ts'
import { isWholeChunk, renderBlock, type BlockSource, type Range } from './code-block.ts'
import { splitLines } from '../core/source-text.ts'
import type { Selected } from './select-sources.ts'

interface Context {
  context: string
  contextTokens: number
  sources: Source[]
  dropped: DroppedSource[]
}

const PREVIEW_LINES = 100
const FIRST_RADII = [6, 2, 0] // lines on each side of a frame that every frame gets before any gets more
const SAME_EXTRACT_LINES = 12
const MAX_CHARS_PER_TOKEN = 10
const USUAL_CHARS_PER_TOKEN = 3.5
const NUMBERING_TOKENS = 4
const MAX_COUNTED_CHARS = 500
const MAX_COUNTED_DROPS = 100 // counting the tokens of what nobody sees takes longer than all the rest; beyond, they are estimated
const SEPARATOR = '\n\n'

/** A range of one file that should be shown, and how much of it is. Pieces never overlap. */
interface Piece extends BlockSource {
  selected: Selected
  wanted: Range
  /** The line to keep when not all of it fits; null when it is all or nothing. */
  anchor: number | null
  shown: Range | null
}

/**
 * Puts the selected chunks into one text within a budget: all of them when they fit; else every frame gets its
 * surroundings first, then the frames grow to their whole chunks, nearest to the failure first, and what was found by
 * search comes last. No line stands there twice.
 *
 * @param selected - Best first.
 * @param maxTokens - Bound of `contextTokens`, which is the count of the whole text.
 */
export function buildContext (selected: readonly Selected[], maxTokens: number, countTokens: (text: string) => number): Context {
  const highlights = highlightsOf(selected)
  const cost = costOf(highlights, countTokens)
  let pieces = disjointPieces(selected)
  if (!showAll(pieces, cost, maxTokens)) {
    pieces = pieces.flatMap(piece => splitAtAnchors(piece, highlights))
    fill(pieces, cost, maxTokens)
  }
  const text = trimmedToFit(pieces, highlights, { maxTokens, countTokens })
  return { ...text, sources: sourcesOf(pieces, highlights, cost), dropped: droppedOf(pieces, cost) }
}

type Cost = (piece: Piece, range: Range) => number
type Highlights = ReadonlyMap<string, readonly number[]>

const fileKey = ({ chunk }: Pick<Piece, 'chunk'>): string => JSON.stringify([chunk.repository, chunk.path])

function highlightsOf (selected: readonly Selected[]): Highlights {
  const lines = new Map<string, Set<number>>()
  for (const entry of selected) {
    const known = lines.get(fileKey(entry)) ?? new Set<number>()
    for (const line of entry.highlightedLines) known.add(line)
    lines.set(fileKey(entry), known)
  }
  return new Map([...lines].map(([key, set]) => [key, [...set].sort((a, b) => a - b)]))
}

const highlightedIn = (piece: Piece, { from, to }: Range, highlights: Highlights): number[] =>
  (highlights.get(fileKey(piece)) ?? []).filter(line => from <= line && line <= to)

function costOf (highlights: Highlights, countTokens: (text: string) => number): Cost {
  const known = new Map<string, number>()
  return (piece, range) => {
    const key = `${fileKey(piece)} ${piece.chunk.chunkIndex} ${range.from} ${range.to}`
    const cached = known.get(key)
    if (cached !== undefined) return cached
    const tokens = countTokens(renderBlock(piece, range, highlightedIn(piece, range, highlights)) + SEPARATOR)
    known.set(key, tokens)
    return tokens
  }
}

function disjointPieces (selected: readonly Selected[]): Piece[] {
  const pieces: Piece[] = []
  const takenOf = new Map<string, Range[]>()
  for (const entry of selected) {
    const lines = splitLines(entry.chunk.text)
    const taken = takenOf.get(fileKey(entry)) ?? []
    takenOf.set(fileKey(entry), taken)
    for (const wanted of subtract(wantedRange(entry, lines.length), [...taken])) {
      taken.push(wanted)
      const anchor = entry.reason === 'frame' ? entry.highlightedLines.find(line => wanted.from <= line && line <= wanted.to) ?? wanted.from : null
      pieces.push({ selected: entry, chunk: entry.chunk, lines, reason: entry.reason, why: entry.why, wanted, anchor, shown: null })
    }
  }
  return pieces
}

/** A whole chunk; of a whole file that was found by search only its beginning. */
function wantedRange ({ chunk, reason }: Selected, lineCount: number): Range {
  const isPreview = reason !== 'frame' && chunk.totalChunks === 1 && lineCount > PREVIEW_LINES
  return { from: chunk.startLine, to: isPreview ? chunk.startLine + PREVIEW_LINES - 1 : chunk.endLine }
}

function subtract (range: Range, taken: readonly Range[]): Range[] {
  let left = [range]
  for (const { from, to } of taken) {
    left = left.flatMap(part => [{ from: part.from, to: Math.min(part.to, from - 1) }, { from: Math.max(part.from, to + 1), to: part.to }]
      .filter((rest, index) => rest.from <= rest.to && (index === 0 ? rest.from < from : rest.to > to)))
  }
  return left
}

function showAll (pieces: readonly Piece[], cost: Cost, maxTokens: number): boolean {
  let total = 0
  for (const piece of pieces) {
    total += cost(piece, piece.wanted)
    if (total > maxTokens) return false
  }
  for (const piece of pieces) piece.shown = piece.wanted
  return true
}

/** One piece for each group of neighbouring trace lines, so that each can be cut to its own surroundings. */
function splitAtAnchors (piece: Piece, highlights: Highlights): Piece[] {
  if (piece.anchor === null) return [piece]
  const lines = highlightedIn(piece, piece.wanted, highlights)
  const parts: Piece[] = []
  let { from } = piece.wanted
  for (const [index, line] of lines.entries()) {
    const next = lines[index + 1]
    if (next !== undefined && next - line <= SAME_EXTRACT_LINES) continue
    const to = next === undefined ? piece.wanted.to : Math.floor((line + next) / 2)
    const anchor = piece.selected.highlightedLines.find(candidate => from <= candidate && candidate <= to) ?? line
    parts.push({ ...piece, wanted: { from, to }, anchor })
    from = to + 1
  }
  const order = piece.selected.highlightedLines
  return parts.length === 0 ? [piece] : parts.sort((a, b) => order.indexOf(a.anchor ?? 0) - order.indexOf(b.anchor ?? 0))
}

function fill (pieces: readonly Piece[], cost: Cost, maxTokens: number): void {
  let left = maxTokens
  const show = (piece: Piece, range: Range): boolean => {
    const before = piece.shown === null ? 0 : cost(piece, piece.shown)
    if (fewestTokens(piece, range) > left + before) return false // not worth counting
    const after = cost(piece, range)
    if (after - before > left) return false
    left -= after - before
    piece.shown = range
    return true
  }
  const frames = pieces.filter(piece => piece.anchor !== null)
  for (const piece of frames) FIRST_RADII.some(radius => show(piece, around(piece, radius)))
  for (const piece of frames) if (piece.shown !== null) grow(piece, show)
  for (const piece of pieces) if (piece.anchor === null) show(piece, piece.wanted)
}

/** A bound that holds for code; only a line of one repeated character has more characters in a token. */
function fewestTokens ({ lines, chunk }: Piece, { from, to }: Range): number {
  let characters = 0
  for (let line = from; line <= to; line++) characters += Math.min(lines[line - chunk.startLine]?.trim().length ?? 0, MAX_COUNTED_CHARS)
  return characters / MAX_CHARS_PER_TOKEN
}

function around ({ wanted, anchor }: Piece, radius: number): Range {
  const line = anchor ?? wanted.from
  return { from: Math.max(wanted.from, line - radius), to: Math.min(wanted.to, line + radius) }
}

/** The whole piece when it fits, else as many lines on both sides of the anchor as do. */
function grow (piece: Piece, show: (piece: Piece, range: Range) => boolean): void {
  if (show(piece, piece.wanted)) return
  let fits = 0
  let tooMany = piece.wanted.to - piece.wanted.from + 1
  while (tooMany - fits > 1) {
    const radius = Math.floor((fits + tooMany) / 2)
    const range = around(piece, radius)
    const smaller = piece.shown !== null && range.from >= piece.shown.from && range.to <= piece.shown.to
    if (smaller || show(piece, range)) fits = radius
    else tooMany = radius
  }
}

/** The text of what is shown. Tokens of parts need not add up to those of the whole, so the last parts go while it is too long. */
function trimmedToFit (pieces: readonly Piece[], highlights: Highlights, { maxTokens, countTokens }: { maxTokens: number, countTokens: (text: string) => number }): { context: string, contextTokens: number } {
  for (;;) {
    const shown = pieces.flatMap(piece => piece.shown === null ? [] : [{ piece, range: piece.shown }])
    const context = shown.map(({ piece, range }) => renderBlock(piece, range, highlightedIn(piece, range, highlights))).join(SEPARATOR)
    const contextTokens = context === '' ? 0 : countTokens(context)
    const last = shown.at(-1)
    if (contextTokens <= maxTokens || last === undefined) return { context, contextTokens }
    const { from, to } = last.range
    last.piece.shown = last.piece.anchor === null || from === to
      ? null
      : around(last.piece, Math.floor(Math.max(to - (last.piece.anchor ?? from), (last.piece.anchor ?? from) - from) / 2))
  }
}

function sourcesOf (pieces: readonly Piece[], highlights: Highlights, cost: Cost): Source[] {
  return pieces.flatMap((piece) => {
    if (piece.shown === null) return []
    const { chunk, selected, shown } = piece
    const whole = isWholeChunk(chunk, shown)
    return [{
      repository: chunk.repository,
      path: chunk.path,
      startLine: shown.from,
      endLine: shown.to,
      symbol: null,
      chunkIndex: whole ? chunk.chunkIndex : null,
      totalChunks: whole ? chunk.totalChunks : null,
      highlightedLines: highlightedIn(piece, shown, highlights),
      reason: selected.reason,
      why: selected.why,
      score: selected.score,
      tokens: cost(piece, shown),
    }]
  })
}

function droppedOf (pieces: readonly Piece[], cost: Cost): DroppedSource[] {
  return pieces.flatMap((piece, index) => subtract(piece.wanted, piece.shown === null ? [] : [piece.shown]).map(({ from, to }) => ({
    repository: piece.chunk.repository,
    path: piece.chunk.path,
    startLine: from,
    endLine: to,
    reason: piece.reason,
    score: piece.selected.score,
    tokens: index < MAX_COUNTED_DROPS ? cost(piece, { from, to }) : Math.ceil(fewestTokens(piece, { from, to }) * MAX_CHARS_PER_TOKEN / USUAL_CHARS_PER_TOKEN) + (to - from + 1) * NUMBERING_TOKENS,
  })))
}
