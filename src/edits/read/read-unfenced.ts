import { nameAbove, type Block } from './block.ts'
import { isCodeLine, looksLikeCode } from './code-like.ts'
import { readDiffs } from './diff/read-diff.ts'
import { readFence } from './fence-lines.ts'
import { readFileBlock } from './file-block.ts'
import { nameFromLine, type FileName } from './file-name.ts'
import { indentOf } from '../text/indentation.ts'
import type { Reading } from './reading.ts'
import { endsSection, nameInLabel, nameInRules } from './section-mark.ts'

const BULLET = /^\s*(?:[-*+•]|\(?\d{1,3}[.)])\s/
/** The lines below a name that tell whether code stands there. */
const FIRST_LINES = 3
const SIGNED = /^[+-]/
const INDENTED = /^(?: {4}|\t)/
/** Lines with which an edit of another kind begins: signs, tags, JSON, marks of a diff. */
const OTHER_EDIT = /^(?:[-+<{[*>=]|@@)/
const MAX_NAME_LINE = 200

const isBlank = (line: string): boolean => line.trim() === ''

const nameOfSection = (line: string): string | null => nameInRules(line) ?? nameInLabel(line)

/** Takes lines as all of a file. */
function takeFile(
  reading: Reading,
  name: FileName,
  { from, to, indent, first, last }: { from: number; to: number; indent: number; first: number; last: number },
): void {
  const block: Block = { from, to, fence: { indent, mark: '', info: '' }, language: '', name, content: 'other' }
  const read = readFileBlock(reading.source, block, name)
  if ('file' in read) reading.reply.files.push(read.file)
  else reading.reply.problems.push(read.problem)
  reading.note({ from: first, to: last, as: 'file' in read ? 'edit' : 'problem' })
}

const lineAt = (lines: readonly string[], at: number): string => lines[at] ?? ''

const endsHere = (line: string): boolean =>
  nameOfSection(line) !== null || endsSection(line) || readFence(line) !== null

/** Whether another edit begins behind a blank line: a name alone on a line, or a value in JSON. */
const beginsOther = (lines: readonly string[], at: number): boolean =>
  isBlank(lineAt(lines, at - 1)) &&
  (/^[[{]\s*["{[]/.test(lineAt(lines, at)) || nameFromLine(lineAt(lines, at), '')?.named === 'line')

/** The line that ends what stands below a name: one that says so, the next name, or what is about the next fence. */
function endOfSection(lines: readonly string[], at: number): number {
  let to = at + 1
  while (to < lines.length && !endsHere(lineAt(lines, to)) && !beginsOther(lines, to)) to++
  if (readFence(lineAt(lines, to)) === null) return to
  while (to > at + 1 && isBlank(lineAt(lines, to - 1))) to--
  let from = to
  while (from > at + 1 && !isBlank(lineAt(lines, from - 1)) && !isCodeLine(lineAt(lines, from - 1))) from--
  return from
}

/** The next line from here on that is not blank. */
function filledFrom(lines: readonly string[], from: number): string {
  let at = from
  while (at < lines.length && isBlank(lineAt(lines, at))) at++
  return lineAt(lines, at)
}

/** The name that stands alone on a line, where code follows it that no other reader takes; null for none. */
function nameAboveCode(lines: readonly string[], at: number): string | null {
  const line = lineAt(lines, at)
  if (!/[./]\w/.test(line) || line.length > MAX_NAME_LINE || !isBlank(lineAt(lines, at - 1))) return null
  const first = filledFrom(lines, at + 1)
  if (!isCodeLine(first) || OTHER_EDIT.test(first) || INDENTED.test(first)) return null
  const name = nameFromLine(line, '')
  return name?.named === 'line' && name.isOfLines !== true ? name.path : null
}

/** Reads code below `=== a.py ===`, `FILE: a.py` or `a.py:`; only a line that ends it says where it does. */
function readSection(reading: Reading): boolean {
  const { at, lines } = reading
  const path = nameOfSection(lineAt(lines, at)) ?? nameAboveCode(lines, at)
  if (path === null) return false
  let to = endOfSection(lines, at)
  // Prose may follow: the first lines tell.
  const first = lines.slice(at + 1, to).filter(line => !isBlank(line))
  if (!looksLikeCode(first.slice(0, FIRST_LINES))) return false
  reading.hasMarks = true
  if (endsSection(lines[to] ?? '') && to < reading.cutLine) {
    takeFile(reading, { path, named: 'line' }, { from: at + 1, to, indent: 0, first: at, last: to })
    reading.goOnAt(to + 1)
    return true
  }
  while (isBlank(lines[to - 1] ?? '')) to--
  reading.leaveUnplaced({ from: at, to: to - 1 }, lines.slice(at, to))
  reading.goOnAt(to)
  return true
}

/** The first line behind indented ones. */
function endOfIndented(lines: readonly string[], from: number): number {
  let to = from
  while (to < lines.length && (isBlank(lineAt(lines, to)) || INDENTED.test(lineAt(lines, to)))) to++
  while (isBlank(lineAt(lines, to - 1))) to--
  return to
}

/** Reads code that is indented, as Markdown has it, below a line that is nothing but a name. */
function readIndented(reading: Reading): boolean {
  const { at, lines } = reading
  const isBegin = INDENTED.test(lineAt(lines, at)) && isBlank(lineAt(lines, at - 1))
  if (!isBegin || isBlank(lineAt(lines, at)) || BULLET.test(lineAt(lines, at - 2))) return false
  const name = nameAbove(lines, at, { floor: reading.floor, language: '' })
  if (name?.named !== 'line') return false
  const to = endOfIndented(lines, at)
  const own = lines.slice(at, to)
  const indent = Math.min(...own.filter(line => !isBlank(line)).map(line => indentOf(line).length))
  if (!looksLikeCode(own.map(line => line.slice(indent))) || to > reading.cutLine) {
    reading.at = to
    return true
  }
  reading.hasMarks = true
  takeFile(reading, name, {
    from: at,
    to,
    indent: lines[at]?.startsWith('\t') === true ? 1 : 4,
    first: at,
    last: to - 1,
  })
  reading.goOnAt(to)
  return true
}

/** Whether lines with signs are changes of code, and no items of a list. */
function areChanges(lines: readonly string[]): boolean {
  const texts = lines.filter(line => SIGNED.test(line)).map(line => line.slice(1).replace(/^ (?! )/, ''))
  return lines.some(line => line.startsWith('+')) && texts.every(isCodeLine)
}

/** Reads lines with `-` and `+` that no fence and no header stand around. */
function readSigned(reading: Reading): boolean {
  const { at, lines } = reading
  if (!SIGNED.test(lineAt(lines, at)) || SIGNED.test(lineAt(lines, at - 1))) return false
  let to = at
  while (/^[+\- ]/.test(lineAt(lines, to))) to++
  const own = lines.slice(at, to)
  const name = nameAbove(lines, at, { floor: reading.floor, language: 'diff' })
  // Right behind another edit they are what of it could not be read, and said to be.
  const isRest = name === null && reading.floor > 0 && reading.textAbove(at) === ''
  if (isRest || to > reading.cutLine || !areChanges(own)) {
    reading.at = to
    return true
  }
  reading.hasMarks = true
  const text = { lines: own, hasCr: (line: number) => reading.source.hasCr(at + line), end: own.length }
  const { diffs, problems } = readDiffs({ ...text, within: 'fence' }, 0, name === null ? null : name.path)
  const region = { from: at, to: to - 1 }
  if (name === null || diffs.length === 0) reading.leaveUnplaced(region, own)
  else reading.takeEdits(region, { files: [], diffs: diffs.map(diff => ({ ...diff, line: at })), problems })
  reading.goOnAt(to)
  return true
}

/** Reads code that begins at this line without a fence; false where none does. */
export const readUnfenced = (reading: Reading): boolean =>
  readSection(reading) || readIndented(reading) || readSigned(reading)
