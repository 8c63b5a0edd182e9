import type { Region, Removal, ToldDeletion } from '../edit.ts'
import { deletionsIn } from './told-deletions.ts'

/** A line that says of a block which nobody could place that it is for no file. */
const NOT_A_FILE = /^[^\p{L}]{0,8}not a file[^\p{L}]{0,8}$/iu
/** A line that says what is left out of a file on purpose: `REMOVED src/app.js: app.listen(3000)`. */
const REMOVED = /^[\s*>`-]{0,8}REMOVED\s+(?:from\s+)?`?([^\s:`]{1,300})`?:\s+(\S.{0,400})$/
const MAX_REMOVALS = 200
/** A shorter line says neither. */
const MIN_CHARS = 'not a file'.length

/** What lines outside of blocks and edits say about these. */
interface Remarks {
  notFiles: number
  removals: Removal[]
  deletions: ToldDeletion[]
}

/** The remarks of a reply; the same words within a block are its content. */
export function remarksIn(lines: readonly string[], regions: readonly Region[]): Remarks {
  const isWithin = new Uint8Array(lines.length)
  for (const { from, to } of regions) isWithin.fill(1, from, to + 1)
  const remarks: Remarks = { notFiles: 0, removals: [], deletions: [] }
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? ''
    if (line.length < MIN_CHARS || isWithin[at] !== 0) continue
    if (NOT_A_FILE.test(line)) remarks.notFiles++
    for (const path of deletionsIn(line)) remarks.deletions.push({ path, text: line })
    const said = line.includes('REMOVED') ? REMOVED.exec(line) : null
    if (said === null) continue
    const [, path, what] = said
    if (path === undefined || what === undefined || remarks.removals.length >= MAX_REMOVALS) continue
    remarks.removals.push({ path, what: what.trim() })
  }
  return remarks
}
