import type { CodeFile } from './code-file.ts'
import { scopesAround } from './scopes.ts'
import type { Scope } from '../../core/outline.ts'

/** The smallest part of a file that is shown or not: some lines of one scope. Units of a file do not overlap. */
export interface Unit {
  file: CodeFile
  from: number
  to: number
  /** The scopes around it, the innermost first. */
  chain: readonly number[]
}

/** Looks for its scopes when it is asked for them: few units of many are. */
class CutUnit implements Unit {
  readonly file: CodeFile
  readonly from: number
  readonly to: number

  constructor(file: CodeFile, from: number, to: number) {
    this.file = file
    this.from = from
    this.to = to
  }

  get chain(): readonly number[] {
    return scopesAround(this.file.scopes, Math.floor((this.from + this.to) / 2))
  }
}

/** How finely definitions are cut. */
export interface UnitSize {
  /** Lines of a piece of a long definition, about. */
  pieceLines: number
  /** Lines of a definition that is not cut. */
  wholeLines: number
}

const USUAL_SIZE: UnitSize = { pieceLines: 12, wholeLines: 24 }
const LEAST_LINES = 3
const REACH = 400 // lines beyond which nothing is near

const MAX_MARKS = 200
const HEAD_LINES = 30

/** The lines to cut into units, without overlaps, in order. */
function partsOf({ marks, ranked, lineCount }: CodeFile): Part[] {
  const wanted: Part[] = marks.slice(0, MAX_MARKS).map(line => ({ from: line - REACH, to: line + REACH }))
  for (const { startLine, endLine } of ranked.ranges) {
    wanted.push({ from: startLine, to: Math.min(endLine, startLine + REACH) })
  }
  if (lineCount <= REACH || wanted.length === 0) wanted.push({ from: 1, to: REACH })
  wanted.push({ from: 1, to: HEAD_LINES })
  const parts: Part[] = []
  for (const { from, to } of wanted.sort((a, b) => a.from - b.from)) {
    const [first, last] = [Math.max(1, from), Math.min(lineCount, to)]
    const previous = parts.at(-1)
    if (previous !== undefined && first <= previous.to + LEAST_LINES) previous.to = Math.max(previous.to, last)
    else if (first <= last) parts.push({ from: first, to: last })
  }
  return parts
}

const boundsByScopes = new WeakMap<readonly Scope[], Uint32Array>()

/** The lines at which scopes begin, and those behind their ends, in order; the same for all answers about a file. */
function boundsOf(scopes: readonly Scope[]): Uint32Array {
  const known = boundsByScopes.get(scopes)
  if (known !== undefined) return known
  const bounds = new Uint32Array(2 * scopes.length)
  for (const [i, { leadLine, endLine }] of scopes.entries()) {
    bounds[2 * i] = leadLine
    bounds[2 * i + 1] = endLine + 1
  }
  boundsByScopes.set(scopes, bounds.sort())
  return bounds
}

/** Index of the first of some sorted lines that is above `line`. */
function firstAbove(sorted: Uint32Array, line: number): number {
  let low = 0
  let high = sorted.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((sorted[middle] ?? 0) <= line) low = middle + 1
    else high = middle
  }
  return low
}

/** Where units begin, and the line behind the last. */
function cutsIn({ scopes }: CodeFile, from: number, to: number): number[] {
  const bounds = boundsOf(scopes)
  const cuts = [from]
  let last = from
  for (let at = firstAbove(bounds, from); at < bounds.length; at++) {
    const bound = bounds[at] ?? 0
    if (bound > to) break
    if (bound - last < LEAST_LINES) continue
    cuts.push(bound)
    last = bound
  }
  if (cuts.length > 1 && to + 1 - last < LEAST_LINES) cuts.pop()
  cuts.push(to + 1)
  return cuts
}

/**
 * Cuts what may be shown of a file along its definitions, and large definitions into pieces: all of a short file, else
 * what is near to lines of the trace and what the evidence points to.
 */
export function unitsOf(file: CodeFile, { pieceLines, wholeLines }: UnitSize = USUAL_SIZE): Unit[] {
  const units: Unit[] = []
  for (const { from, to } of partsOf(file)) {
    const cuts = cutsIn(file, from, to)
    for (let at = 0; at + 1 < cuts.length; at++) {
      const [start = from, end = to] = [cuts[at], (cuts[at + 1] ?? to + 1) - 1]
      const pieces = end - start < wholeLines ? 1 : Math.round((end - start + 1) / pieceLines)
      for (let piece = 0; piece < pieces; piece++) {
        const first = start + Math.floor(((end - start + 1) * piece) / pieces)
        const last = start + Math.floor(((end - start + 1) * (piece + 1)) / pieces) - 1
        if (last >= first) units.push(new CutUnit(file, first, last))
      }
    }
  }
  return units
}

interface Part {
  from: number
  to: number
}
