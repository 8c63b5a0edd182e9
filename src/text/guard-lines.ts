import type { Guard } from '../contract/guards.ts'
import { MAX_LISTED } from './listed.ts'
import type { Paint } from './paint.ts'
import { count } from './table.ts'
import { printableLine } from './terminal-text.ts'

/** What of a change looks like a fix of the symptom; a server of another release may not say. */
export function guardLines(guards: ReadonlyArray<Partial<Guard>> | undefined, paint: Paint): string[] {
  if (guards === undefined || guards.length === 0) return []
  return [
    paint('yellow', `It may only hide the failure (${count(guards.length, 'place')}):`),
    ...guards
      .slice(0, MAX_LISTED)
      .map(({ path = '', line = 0, detail = '' }) => `  ${printableLine(`${path}:${line}: ${detail}`)}`),
    ...(guards.length > MAX_LISTED ? [`  and ${guards.length - MAX_LISTED} more`] : []),
  ]
}
