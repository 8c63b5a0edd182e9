import type { PrefixedLines } from './prefixes.ts'
import { lineAt } from '../lines.ts'

/** Lines of several writers that stand in turns, each writer's together; `origins` are their old positions. */
interface Grouped {
  lines: string[]
  stamped: Uint8Array
  origins: Uint32Array
}

/**
 * Puts the lines of each container or process together when several wrote into one log at the same time; null when they
 * did not. Lines without a name stay with the last one. Linear.
 */
export function groupByWriter({ lines, stamped, writers }: PrefixedLines): Grouped | null {
  const groups = new Map<string, number[]>()
  let current = ''
  let turns = 0
  for (let at = 0; at < lines.length; at++) {
    const writer = writers[at] ?? current
    if (writer !== current) turns++
    current = writer
    const group = groups.get(writer)
    if (group === undefined) groups.set(writer, [at])
    else group.push(at)
  }
  if (groups.size < 2 || turns < groups.size + (groups.has('') ? 0 : 1)) return null
  const origins = Uint32Array.from([...groups.values()].flat())
  const grouped = { lines: new Array<string>(lines.length), stamped: new Uint8Array(lines.length), origins }
  origins.forEach((origin, at) => {
    grouped.lines[at] = lineAt(lines, origin)
    grouped.stamped[at] = stamped[origin] ?? 0
  })
  // What one writer left unfinished does not go on in the next one's text.
  let first = 0
  for (const group of groups.values()) {
    grouped.stamped[first] = 1
    first += group.length
  }
  return grouped
}
