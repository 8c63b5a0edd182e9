import type { Clues } from './clues.ts'

/**
 * How likely a unit has to change if its file has to: logistic regression over the files that the fixes of 177 crashes
 * changed. Weights that depend on which crashes are left out by more than their size are not here: whether a unit
 * shares a type with a frame, calls a frame's function, is called by it, or holds the imports told nothing that
 * nearness does not.
 */
const WEIGHTS: Readonly<Record<keyof Clues, number>> = {
  failing: 0.7,
  sameFunction: 0.3,
  nearFailing: 2,
  near: 0.6,
  pointed: 0.9,
  size: 0.6,
  fileSize: -0.6,
  hasMarks: -1.05,
}
const BIAS = -0.7

const KEYS = Object.keys(WEIGHTS) as Array<keyof Clues>

export function chanceOf(clues: Clues): number {
  let sum = BIAS
  for (const key of KEYS) sum += WEIGHTS[key] * clues[key]
  return 1 / (1 + Math.exp(-sum))
}
