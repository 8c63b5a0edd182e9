import { UNIT_CHANCE } from '../ranking/learned-weights.ts'
import type { Clues } from './clues.ts'

const { bias: BIAS, ...WEIGHTS }: Readonly<Record<keyof Clues | 'bias', number>> = UNIT_CHANCE
const KEYS = Object.keys(WEIGHTS) as Array<keyof Clues>

/** The probability, in (0, 1), that a unit has to change if its file has to. */
export function chanceOf(clues: Clues): number {
  let sum = BIAS
  for (const key of KEYS) sum += WEIGHTS[key] * clues[key]
  return 1 / (1 + Math.exp(-sum))
}
