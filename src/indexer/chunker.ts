import type { Outline, Scope } from '../core/outline.ts'
import { lineStarts } from '../core/source-text.ts'
import { outlineOf } from '../outline/outline.ts'

/**
 * Contiguous whole lines of a text (1-based, inclusive) and where they stand in it: up to the next line, so that a
 * blank last line is not lost.
 */
export interface LineRange {
  startLine: number
  endLine: number
  startOffset: number
  endOffset: number
}

/** Cuts a file into the units that are embedded and searched. */
export interface Chunker {
  /**
   * Stored with an index: another name means other chunks, and so a rebuild. Change it with any change of the result.
   */
  readonly name: string
  /**
   * In order, covering every line; none for an empty text. Lines end at `\n` only (see `decodeSource`).
   *
   * @param outline - What `outlineOf` says of the text, where the caller has it already; null when there is none.
   */
  chunk(text: string, language: string, outline?: Outline | null): LineRange[]
}

const WINDOW_LINES = 500
const OVERLAP_LINES = 50

/** The whole file up to 500 lines; above that windows of 500 lines, of which each shares 50 with the one before. */
export function createLineChunker(): Chunker {
  return {
    name: `lines-${WINDOW_LINES}-${OVERLAP_LINES}-whole`,
    chunk(text) {
      const starts = lineStarts(text)
      const ranges: LineRange[] = []
      for (let first = 0; first < starts.length; first += WINDOW_LINES - OVERLAP_LINES) {
        const next = Math.min(first + WINDOW_LINES, starts.length) // index of the first line after the window
        ranges.push({
          startLine: first + 1,
          endLine: next,
          startOffset: starts[first] ?? 0,
          endOffset: starts[next] ?? text.length,
        })
        if (next === starts.length) break
      }
      return ranges
    },
  }
}

const MAX_LINES = 60
const MIN_LINES = 10
/** Neighbours are put together up to this length; more only where one of them would be too short by itself. */
const GOOD_LINES = 30
const SHARED_LINES = 10

/** Lines that belong together, 1-based and inclusive; `isFixed` when they are a window that is left as it is. */
interface Piece {
  first: number
  last: number
  isFixed: boolean
}

function windows(first: number, last: number): Piece[] {
  const pieces: Piece[] = []
  for (let from = first; ; from += MAX_LINES - SHARED_LINES) {
    const to = Math.min(from + MAX_LINES - 1, last)
    pieces.push({ first: from, last: to, isFixed: last - first >= MAX_LINES })
    if (to === last) return pieces
  }
}

/**
 * The lines of a file in pieces, none of which ends inside a definition that fits into one. A line that two definitions
 * share belongs to the second, unless that is inside of the first.
 */
function piecesOf(scopes: readonly Scope[], lines: number): Piece[] {
  const pieces: Piece[] = []
  const begins = new Set(
    scopes.filter(({ startLine, endLine }) => endLine > startLine).map(({ startLine }) => startLine),
  )
  const cut: number[] = [] // last lines of the definitions around the one in hand that are too long for a piece
  let next = 1 // the first line that is in no piece yet
  const fillTo = (last: number): void => {
    while (next <= last) {
      const piece = { first: next, last: Math.min(next + MAX_LINES - 1, last), isFixed: false }
      pieces.push(piece)
      next = piece.last + 1
    }
  }
  scopes.forEach(({ startLine, leadLine, endLine }, index) => {
    for (let end = cut.at(-1); end !== undefined && end < startLine; end = cut.at(-1)) {
      fillTo(end)
      cut.pop()
    }
    const last = endLine > startLine && begins.has(endLine) ? endLine - 1 : endLine
    if (last < next) return // inside of a piece
    const first = Math.max(next, last - leadLine < MAX_LINES ? leadLine : startLine)
    fillTo(first - 1)
    if (last - first < MAX_LINES) pieces.push({ first, last, isFixed: false })
    else if (scopes[index + 1]?.parent !== index) pieces.push(...windows(first, last))
    else {
      cut.push(last)
      return
    }
    next = last + 1
  })
  for (let end = cut.pop(); end !== undefined; end = cut.pop()) fillTo(end)
  fillTo(lines)
  return pieces
}

const lengthOf = ({ first, last }: Piece): number => last - first + 1

function fits(before: Piece, piece: Piece): boolean {
  const length = piece.last - before.first + 1
  return !before.isFixed && !piece.isFixed && length <= (lengthOf(before) < MIN_LINES ? MAX_LINES : GOOD_LINES)
}

function joinShortLast(merged: Piece[]): void {
  const [before, last] = merged.slice(-2)
  if (
    before === undefined ||
    last === undefined ||
    last.isFixed ||
    before.isFixed ||
    lengthOf(last) >= MIN_LINES ||
    last.last - before.first >= MAX_LINES
  ) {
    return
  }
  before.last = last.last
  merged.pop()
}

/** Puts small neighbours together. A piece that stays too short goes to the one before it where both fit. */
function merge(pieces: Piece[]): Piece[] {
  const merged: Piece[] = []
  for (const piece of pieces) {
    const before = merged.at(-1)
    if (before === undefined || !fits(before, piece)) {
      joinShortLast(merged)
      merged.push({ ...piece })
    } else before.last = piece.last
  }
  joinShortLast(merged)
  return merged
}

/**
 * Chunks of 10–60 lines along the definitions of a file: a definition of up to 60 lines stays whole, with the comment
 * and the decorators above it where that fits; small neighbours share a chunk; a longer one is cut at the definitions
 * inside of it, or else into windows of 60 lines that share 10. A file without an outline is cut into such windows.
 * Shorter than 10 lines is only what has no neighbour to go to.
 */
export function createScopeChunker(): Chunker {
  return {
    name: 'scopes-3',
    chunk(text, language, outline = outlineOf(text, language)) {
      const starts = lineStarts(text)
      if (starts.length === 0) return []
      const pieces =
        outline === null || outline.scopes.length === 0
          ? windows(1, starts.length)
          : merge(piecesOf(outline.scopes, starts.length))
      return pieces.map(({ first, last }) => ({
        startLine: first,
        endLine: last,
        startOffset: starts[first - 1] ?? 0,
        endOffset: starts[last] ?? text.length,
      }))
    },
  }
}
