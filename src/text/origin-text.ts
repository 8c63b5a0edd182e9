import type { ResolutionAnswer } from '../contract/resolution.ts'
import { printableLine } from './terminal-text.ts'

const ORIGINS = new Map([
  ['introduced', 'Introduced by the change.'],
  ['existing', 'It was there before the change.'],
  ['flaky', 'Flaky: runs of one commit differ.'],
  ['infrastructure', 'The machine failed, not the code.'],
  ['unknown', 'Where it comes from is not known.'],
])

/** Where a fault of a CI run comes from and why, on one line; null where nobody looked. */
export function originText({ origin, origin_why: why = '' }: Pick<ResolutionAnswer, 'origin' | 'origin_why'>) {
  if (origin === undefined) return null
  return printableLine(`${ORIGINS.get(origin) ?? origin} ${why}`.trim())
}
