import { safePath } from '../../core/safe-path.ts'
import { replyProblem, type EditProblem } from '../edit.ts'
import { announcesOld, shownBy, takesBack } from './aside.ts'
import { bareNameOf } from './bare-name.ts'
import { linesOf, nameAbove, openBlock, type Block, type OpenBlock } from './block.ts'
import { bundledFiles } from './bundle.ts'
import { CUT_BLOCK } from './cut-off.ts'
import { readDiffBlock } from './diff-block.ts'
import { findFenceEnd, type FenceEnd } from './fence-end.ts'
import { readFence, type Fence } from './fence-lines.ts'
import { readFileBlock } from './file-block.ts'
import type { FileName } from './file-name.ts'
import { agreesWith, COMMANDS } from './name-words.ts'
import { takeSearchReplace } from './read-search-text.ts'
import type { Reading } from './reading.ts'
import { beginsWithDocument } from './shell-block.ts'
import { holdsSearchReplace } from './search-replace.ts'

const MAX_LINES_SHOWN = 40
const NOT_CLOSED =
  'This block is not closed: the reply was cut off, or a closing fence is missing. Send it again, whole.'

/**
 * Whether a block under a title or a sentence with a name is no file of that name, but a command or an output about it.
 */
function isShownBeside({ language }: Block, { path, named }: FileName, lines: readonly string[]): boolean {
  if (agreesWith(path, 'bash')) return false
  if ((language === '' || COMMANDS.has(language)) && beginsWithDocument(lines)) return true
  return named !== 'line' && language === '' && shownBy(lines) !== null
}

function openEndProblem(reading: Reading, { name }: OpenBlock, end: Exclude<FenceEnd, { at: number }>): EditProblem {
  const where = {
    path: safePath(name?.path ?? ''),
    text: reading.lines.slice(reading.at, reading.at + MAX_LINES_SHOWN).join('\n'),
  }
  return 'doubtful' in end
    ? replyProblem('malformed', end.doubtful, where)
    : replyProblem('truncated', NOT_CLOSED, where)
}

/**
 * Takes the last file of a cut reply out, where it is Markdown and a fence without language or name is open behind
 * it: that may be one of the file.
 */
function dropCutMarkdown(reading: Reading): void {
  const last = reading.reply.files.at(-1)
  if (reading.cutLine === Infinity || last === undefined || last.line !== reading.markdownAt) return
  reading.reply.files.pop()
  reading.reply.problems.push(replyProblem('truncated', CUT_BLOCK, { path: last.path }))
}

/** Takes the block under its name, as all of a file. */
function takeNamed(reading: Reading, block: Block, name: FileName): void {
  const read = readFileBlock(reading.source, block, name)
  if ('problem' in read) {
    reading.reply.problems.push(read.problem)
    return
  }
  const isCorrection = takesBack(reading.lines.slice(reading.floor, reading.at))
  const isShown = !isCorrection && announcesOld(reading.textAbove(reading.at))
  reading.reply.files.push({ ...read.file, ...(isCorrection && { isCorrection }), ...(isShown && { isShown }) })
}

/** Reads a block that is cut off, or holds changes; false for any other. */
function readChanges(reading: Reading, block: Block, lines: readonly string[]): boolean {
  const region = { from: block.from - 1, to: block.to }
  if (block.to >= reading.cutLine) {
    const text = lines.slice(0, MAX_LINES_SHOWN).join('\n')
    reading.reply.problems.push(replyProblem('truncated', CUT_BLOCK, { path: safePath(block.name?.path ?? ''), text }))
    reading.note({ ...region, as: 'problem' })
  } else if (holdsSearchReplace(reading.lines, block)) {
    const path = block.name?.path ?? reading.searchPathAbove(region.from)
    takeSearchReplace(reading, { lines, from: block.from, path }, region)
  } else if (block.content === 'diff') {
    const read = readDiffBlock(reading.source, block, reading.lastPath)
    reading.take(read)
    reading.note({ ...region, as: read.diffs.length > 0 ? 'edit' : 'problem' })
  } else {
    return false
  }
  return true
}

function readBlock(reading: Reading, block: Block): void {
  if (block.content === 'markdown') reading.markdownAt = block.from
  const region = { from: block.from - 1, to: block.to }
  const lines = linesOf(reading.lines, block)
  if (readChanges(reading, block, lines)) return
  const bundled = bundledFiles(lines, block.language, block.name)
  if (bundled !== null) {
    for (const { name, from, to } of bundled) {
      takeNamed(reading, { ...block, from: block.from + from, to: block.from + to }, name)
    }
    reading.note({ ...region, as: 'edit' })
  } else if (block.name === null || isShownBeside(block, block.name, lines)) {
    const bare = block.name === null ? bareNameOf(reading.lines, block, reading.floor) : null
    reading.unnamed.push({ block, lines, above: reading.textAbove(region.from), heading: reading.heading, bare })
  } else {
    const before = reading.reply.files.length
    takeNamed(reading, block, block.name)
    reading.note({ ...region, as: reading.reply.files.length > before ? 'edit' : 'problem' })
  }
}

/**
 * Whether a closing fence is one too many: with nothing but blank lines since the last block, and nothing to come, or
 * a block that opens itself.
 */
function isStray(reading: Reading, fence: Fence): boolean {
  const { lines } = reading
  if (fence.info !== '' || reading.floor === 0) return false
  let above = reading.at - 1
  while (above >= reading.floor && (lines[above] ?? '').trim() === '') above--
  if (above >= reading.floor) return false
  for (let i = reading.at + 1; i < lines.length; i++) {
    const other = readFence(lines[i] ?? '')
    if (other !== null) return other.info !== ''
  }
  return true
}

/** Reads the block that a fence opens. Nothing is read behind one that does not end. */
export function readFenced(reading: Reading, fence: Fence): void {
  if (isStray(reading, fence)) {
    reading.goOnAt(reading.at + 1)
    return
  }
  reading.hasMarks = true
  const { at, lines } = reading
  const opened = openBlock(lines, at, { fence, floor: reading.floor })
  const end = findFenceEnd(lines, at, {
    opener: fence,
    content: opened.content,
    startsBlock: line => nameAbove(lines, line, { floor: at + 1, language: '' })?.named === 'line',
  })
  if ('at' in end) {
    readBlock(reading, { ...opened, from: at + 1, to: end.at })
    reading.goOnAt(end.at + 1)
  } else {
    reading.reply.problems.push(openEndProblem(reading, opened, end))
    reading.note({ from: at, to: lines.length - 1, as: 'problem' })
    if (opened.fence.info === '' && opened.name === null) dropCutMarkdown(reading)
    reading.goOnAt(lines.length)
  }
}
