import type { Region, Removal, ToldDeletion } from '../edit.ts'
import { deletionsIn, isDeletionList } from './told-deletions.ts'

/** A line that says of a block which nobody could place that it is for no file. */
const NOT_A_FILE = /^[^\p{L}]{0,8}not a file[^\p{L}]{0,8}$/iu
/** A line that says what is left out of a file on purpose: `REMOVED src/app.js: app.listen(3000)`. */
const REMOVED = /^[\s*>`-]{0,8}REMOVED\s+(?:from\s+)?`?([^\s:`]{1,300})`?:\s+(\S.{0,400})$/
/** An entry of a list: a file, and perhaps a remark about it. */
const LISTED =
  /^\s{0,8}(?:[-*+]|\d{1,3}[.)])\s+[`*_]{0,3}([\w@.+-][\w@.+/-]{0,299})[`*_]{0,3}(?:\s*(?:[-–—:(].{0,300})?)$/
/** A line that says of a file which seemed to be said to go that it stays: `KEPT src/app.js`. */
const KEPT = /^[\s*>`-]{0,8}KEPT\s+`?([^\s:`]{1,300}?)`?\.?[\s*]{0,8}$/
const MAX_REMARKS = 200
/** A shorter line says neither. */
const MIN_CHARS = 'KEPT x'.length

/** What lines outside of blocks and edits say about these. */
interface Remarks {
  notFiles: number
  removals: Removal[]
  deletions: ToldDeletion[]
  kept: string[]
}

/** What a line says to be left out of a file on purpose; null where it says nothing of the kind. */
function removalIn(line: string): Removal | null {
  if (!line.includes('REMOVED')) return null
  const [, path, what] = REMOVED.exec(line) ?? []
  return path === undefined || what === undefined ? null : { path, what: what.trim() }
}

/** Takes what one line says but for deletions. */
function takeLine(line: string, remarks: Remarks): void {
  if (NOT_A_FILE.test(line)) remarks.notFiles++
  const kept = KEPT.exec(line)?.[1]
  if (kept !== undefined && remarks.kept.length < MAX_REMARKS) remarks.kept.push(kept)
  const removal = removalIn(line)
  if (removal !== null && remarks.removals.length < MAX_REMARKS) remarks.removals.push(removal)
}

/** The remarks of a reply; the same words within a block are its content. */
export function remarksIn(lines: readonly string[], regions: readonly Region[]): Remarks {
  const isWithin = new Uint8Array(lines.length)
  for (const { from, to } of regions) isWithin.fill(1, from, to + 1)
  const remarks: Remarks = { notFiles: 0, removals: [], deletions: [], kept: [] }
  let isList = false
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? ''
    if (line.length < MIN_CHARS || isWithin[at] !== 0) continue
    takeLine(line, remarks)
    const listed: string | undefined = isList ? LISTED.exec(line)?.[1] : undefined
    isList = listed !== undefined || isDeletionList(line)
    for (const path of listed === undefined ? deletionsIn(line) : [listed]) remarks.deletions.push({ path, text: line })
  }
  return remarks
}
