import { safePath } from '../../core/safe-path.ts'
import { replyProblem } from '../edit.ts'
import { nameAbove } from './block.ts'
import { CUT_BLOCK, withoutCutHunk, withoutLastDiff } from './cut-off.ts'
import { beginsDiff } from './diff/diff-lines.ts'
import { readDiffs } from './diff/read-diff.ts'
import { readFence } from './fence-lines.ts'
import { readFileBlock } from './file-block.ts'
import { isHeading } from './plain-name.ts'
import { readEnvelope } from './read-envelope.ts'
import { readUnfenced } from './read-unfenced.ts'
import { takeSearchReplace } from './read-search-text.ts'
import type { Reading } from './reading.ts'
import { beginsSearchReplace, searchReplaceEnd } from './search-replace.ts'
import { jsonEnd, looksLikeCall, readJsonEdits } from './json-edits.ts'
import { readTaggedEdit } from './tagged-edit.ts'
import { readTaggedFile, type TaggedFile } from './tagged-file.ts'

const MAX_LINES_SHOWN = 40

const HALF_OF_DIFF = /^(?:@@(?: |$)|--- a\/\S|\+\+\+ b\/\S)/
const TAG_WITH_FILE = /^<[A-Za-z][\w:-]{0,30}\s[^<>]{0,200}?(?:path|name|file)="([^"]{1,300})"/i

/** Whether a line belongs to an edit that is not read as one: half of a diff, or a tag that names a file. */
function isLooseMark(line: string): boolean {
  if (HALF_OF_DIFF.test(line)) return true
  if (!line.startsWith('<')) return false
  const file = TAG_WITH_FILE.exec(line)?.[1] ?? ''
  return /[./]/.test(file)
}

/** Reads a file between tags; false where a fence inside of them has it. */
function readTagged(reading: Reading, { path: spelled, from, to, end }: TaggedFile): boolean {
  const { lines } = reading
  const inside = lines.slice(from, to)
  const first = inside.find(line => line.trim() !== '')
  if (first !== undefined && readFence(first) !== null) return false
  const block = { from, to, fence: { indent: 0, mark: '', info: '' }, language: '', name: null }
  const read = readFileBlock(reading.source, { ...block, content: 'other' }, { path: spelled, named: 'line' })
  const region = { from: reading.at, to: end }
  if ('file' in read && end < reading.cutLine) {
    reading.reply.files.push(read.file)
    reading.note({ ...region, as: 'edit' })
  } else {
    const cut = replyProblem('truncated', CUT_BLOCK, { path: safePath(spelled) })
    reading.reply.problems.push('problem' in read ? read.problem : cut)
    reading.note({ ...region, as: 'problem' })
  }
  reading.goOnAt(end + 1)
  return true
}

/** Notes a line of an edit that may not be read: a tag goes to where it is closed. */
function noteLoose(reading: Reading): void {
  const { lines } = reading
  reading.hasMarks = true
  const line = lines[reading.at] ?? ''
  const tag = /^<([A-Za-z][\w:-]{0,30})/.exec(line)?.[1]
  const isDiff = beginsDiff(lines, reading.at)
  if (isDiff) return // it is read as one
  const close = tag === undefined ? -1 : reading.closingTags.after(reading.at, tag)
  let below = reading.at + 1
  while (lines[below]?.trim() === '') below++
  const next = lines[below] ?? ''
  if (tag !== undefined && readFence(next) !== null) return // the block has its name from the tag
  reading.loose.push({ from: reading.at, to: Math.max(reading.at, close), as: 'unplaced' })
}

function readMarked(reading: Reading): void {
  const { at, lines } = reading
  const name = nameAbove(lines, at, { floor: reading.floor, language: '' })
  const found = searchReplaceEnd(lines, at)
  const end = found < 0 ? lines.length - 1 : found
  if (found >= reading.cutLine) {
    const text = lines.slice(at, at + MAX_LINES_SHOWN).join('\n')
    reading.reply.problems.push(replyProblem('truncated', CUT_BLOCK, { path: safePath(name?.path ?? ''), text }))
    reading.note({ from: at, to: end, as: 'problem' })
  } else {
    const text = { lines: lines.slice(at, end + 1), from: at, path: name?.path ?? reading.searchPathAbove(at) }
    takeSearchReplace(reading, text, { from: at, to: end })
  }
  reading.goOnAt(end + 1)
}

/** Reads diffs without a fence around them. */
function readBareDiff(reading: Reading, line: string): void {
  reading.hasMarks = true
  const { at, lines } = reading
  const fallback = nameAbove(lines, at, { floor: reading.floor, language: 'diff' })?.path ?? reading.lastPath
  const end = lines.length
  const text = { lines, hasCr: reading.source.hasCr, end, within: 'prose' as const }
  const read = line.startsWith('*** Begin Patch') ? readEnvelope(text, at) : readDiffs(text, at, fallback)
  if (read.next > reading.cutLine) reading.take(withoutLastDiff(read))
  else reading.take(read.next >= end ? withoutCutHunk(read) : read)
  const next = Math.max(read.next, at + 1)
  if (read.diffs.length + read.problems.length > 0) {
    reading.note({ from: at, to: next - 1, as: read.diffs.length > 0 ? 'edit' : 'problem' })
  }
  reading.goOnAt(next)
}

/** Reads a value in JSON that asks for edits; false where none begins. */
function readJson(reading: Reading): boolean {
  const { at, lines } = reading
  if (!/^\s*[[{]\s*(?:["{[]|$)/.test(lines[at] ?? '') || reading.jsonLines <= 0) return false
  const end = jsonEnd(lines, at, at + reading.jsonLines)
  let to = end
  // One that is no JSON, as its quotes or lines are not escaped, goes to the next blank line.
  if (end < 0) for (to = at; to - at < MAX_LINES_SHOWN && (lines[to + 1] ?? '').trim() !== '';) to++
  reading.jsonLines -= (end < 0 ? lines.length : end) - at
  const text = lines.slice(at, to + 1).join('\n')
  const asked = readJsonEdits(text, at)
  const call = asked === null && looksLikeCall(text) ? { unplaced: true as const } : asked
  if (call === null || to >= reading.cutLine) return false
  reading.hasMarks = true
  reading.takeCall({ from: at, to }, call)
  reading.goOnAt(to + 1)
  return true
}

/** Reads an edit between tags; false where none begins. */
function readTagsOfEdit(reading: Reading): boolean {
  const edit = readTaggedEdit(reading.lines, reading.at, reading.closingTags)
  if (edit === null || edit.to >= reading.cutLine) return false
  reading.hasMarks = true
  reading.takeCall(edit, edit.read)
  reading.goOnAt(edit.to + 1)
  return true
}

/** Reads a line outside of fences, with the edit that it begins. */
export function readProse(reading: Reading, line: string): void {
  if (isHeading(line)) reading.heading = line
  const tagged = readTaggedFile(reading.lines, reading.at, reading.closingTags)
  if (tagged !== null && readTagged(reading, tagged)) return
  if (readTagsOfEdit(reading) || readJson(reading)) return
  if (isLooseMark(line)) noteLoose(reading)
  if (beginsSearchReplace(line)) readMarked(reading)
  else if (beginsDiff(reading.lines, reading.at)) readBareDiff(reading, line)
  else if (!readUnfenced(reading)) reading.at++
}
