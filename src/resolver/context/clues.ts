import type { CodeFile } from './code-file.ts'
import { functionOf, scopesAround } from './scopes.ts'
import type { Unit } from './units.ts'

/** The features that speak for or against a unit. */
export interface Clues {
  /** 1: it contains the line of the trace that is nearest to the failure. */
  failing: number
  /** 1: it is in the function of the failing line. */
  sameFunction: number
  /** 1 at the failing line, falling with the distance from it. */
  nearFailing: number
  /** 1 at any line of the trace, falling with the distance from it. */
  near: number
  /** 1 where the strongest evidence points, less for weaker evidence, 0 where there is none. */
  pointed: number
  /** Logarithm of the unit's number of lines. */
  size: number
  /** Logarithm of the file's number of lines. */
  fileSize: number
  /** 1: the trace names lines of the file. */
  hasMarks: number
}

const NEAR_LINES = 12
const POINTED_DECAY = 0.5

const nearness = (distance: number): number => 1 / (1 + distance / NEAR_LINES)

/** Lines between a range and the nearest of some sorted lines; 0 when it contains one. */
function distanceTo(sorted: readonly number[], from: number, to: number): number {
  let low = 0
  let high = sorted.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((sorted[middle] ?? Infinity) < from) low = middle + 1
    else high = middle
  }
  return Math.max(0, Math.min((sorted[low] ?? Infinity) - to, from - (sorted[low - 1] ?? -Infinity)))
}

/**
 * Hands over the features of each unit of a file, in an object that is filled anew for the next: an answer looks at a
 * thousand units and keeps none.
 */
export function eachClues(file: CodeFile, units: readonly Unit[], visit: (clues: Clues, index: number) => void): void {
  const [first] = file.marks
  const failing = first === undefined ? null : functionOf(file.scopes, scopesAround(file.scopes, first))
  const sorted = [...file.marks].sort((a, b) => a - b)
  const clues: Clues = {
    failing: 0,
    sameFunction: 0,
    nearFailing: 0,
    near: 0,
    pointed: 0,
    size: 0,
    fileSize: Math.log(file.lineCount),
    hasMarks: file.marks.length > 0 ? 1 : 0,
  }
  for (const [index, unit] of units.entries()) {
    const { from, to } = unit
    const range = file.ranked.ranges.findIndex(({ startLine, endLine }) => startLine <= to && endLine >= from)
    const distance = first === undefined ? Infinity : Math.max(0, first - to, from - first)
    clues.failing = distance === 0 ? 1 : 0
    clues.sameFunction = failing !== null && unit.chain.includes(failing) ? 1 : 0
    clues.nearFailing = nearness(distance)
    clues.near = sorted.length === 0 ? 0 : nearness(distanceTo(sorted, from, to))
    clues.pointed = range < 0 ? 0 : 1 / (1 + POINTED_DECAY * range)
    clues.size = Math.log(to - from + 1)
    visit(clues, index)
  }
}

/** The features of each unit of a file. */
export function cluesOf(file: CodeFile, units: readonly Unit[]): Clues[] {
  const all: Clues[] = []
  eachClues(file, units, clues => all.push({ ...clues }))
  return all
}
