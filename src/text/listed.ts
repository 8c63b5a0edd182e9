import { printableLine } from './terminal-text.ts'

/** Lines and names that are listed before the rest is counted. */
export const MAX_LISTED = 20

/** Names on one line, shortened when there are many. */
export function listed(paths: readonly string[]): string {
  const shown = paths.slice(0, MAX_LISTED).map(printableLine).join(', ')
  return paths.length > MAX_LISTED ? `${shown} and ${paths.length - MAX_LISTED} more` : shown
}
