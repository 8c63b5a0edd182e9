import { UNIT_CHANCE } from '../ranking/learned-weights.ts'
import type { Clues } from './clues.ts'

const { bias, failing, sameFunction, nearFailing, near, pointed, size, fileSize, hasMarks } = UNIT_CHANCE

/** The probability, in (0, 1), that a unit has to change if its file has to. */
export function chanceOf(clues: Clues): number {
  const sum =
    bias +
    failing * clues.failing +
    sameFunction * clues.sameFunction +
    nearFailing * clues.nearFailing +
    near * clues.near +
    pointed * clues.pointed +
    size * clues.size +
    fileSize * clues.fileSize +
    hasMarks * clues.hasMarks
  return 1 / (1 + Math.exp(-sum))
}
