import { createHash } from 'node:crypto'
import { RecentlyUsed } from '../core/recently-used.ts'
import { createHighlightThread } from '../threads/highlight-thread.ts'
import type { CodeLines } from '../threads/highlight-worker.ts'
import type { Log } from './log.ts'

/** Some hundred pages' worth. */
const CACHE_BYTES = 4 * 1_048_576
const ENTRY_BYTES = 200

/** Lines of markup; null where the code is shown as it is. */
export type Highlighted = readonly string[] | null

/** Colours code. */
export interface Highlighting {
  /** Lines of markup for each of these pieces of files, in the same number. */
  highlight(pieces: readonly CodeLines[]): Promise<Highlighted[]>
  close(): Promise<void>
}

const keyOf = ({ path, text }: CodeLines): string =>
  createHash('sha256')
    .update(`${path.slice(path.lastIndexOf('/') + 1)}\0${text}`)
    .digest('base64')

const bytesOf = (lines: Highlighted): number =>
  ENTRY_BYTES + (lines ?? []).reduce((sum, line) => sum + 2 * line.length, 0)

/** Highlighting in a thread; what was asked for last is kept by its content. */
export function createHighlighting(log: Log): Highlighting {
  const thread = createHighlightThread({ onCrash: error => log.error({ err: error }, 'code could not be highlighted') })
  const kept = new RecentlyUsed<string, { lines: Highlighted }>(CACHE_BYTES, ({ lines }) => bytesOf(lines))
  return {
    async highlight(pieces) {
      const keys = pieces.map(keyOf)
      const found = keys.map(key => kept.find(key))
      const missing = pieces.filter((_piece, at) => found[at] === undefined)
      const made = missing.length === 0 ? [] : await thread.highlight(missing)
      let next = 0
      return keys.map((key, at) => {
        const known = found[at]
        if (known !== undefined) return known.lines
        const lines = made[next++] ?? null
        if (lines !== null) kept.set(key, { lines })
        return lines
      })
    },
    close: () => thread.close(),
  }
}
