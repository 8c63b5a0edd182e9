import { safePath } from '../../core/safe-path.ts'
import {
  badPathProblem,
  replyProblem,
  type EditProblem,
  type FileBlock,
  type ReadReply,
  type Region,
  type Reply,
} from '../edit.ts'
import { announcesOld, shownBy } from './aside.ts'
import { linesOf, nameAbove, openBlock, type Block, type OpenBlock } from './block.ts'
import { CUT_BLOCK, withoutCutHunk, withoutLastDiff } from './cut-off.ts'
import { readDiffBlock } from './diff-block.ts'
import { beginsDiff } from './diff/diff-lines.ts'
import { findFenceEnd, type FenceEnd } from './fence-end.ts'
import { readFence, type Fence } from './fence-lines.ts'
import { readFileBlock } from './file-block.ts'
import type { FileName } from './file-name.ts'
import { agreesWith } from './name-words.ts'
import { isHeading } from './plain-name.ts'
import { ClosingTags } from './closing-tags.ts'
import { readTaggedFile, type TaggedFile } from './tagged-file.ts'
import { meaningsOf, type UnnamedBlock } from './unnamed-block.ts'
import { readDiffs } from './diff/read-diff.ts'
import { readEnvelope } from './read-envelope.ts'
import { replyLines, type ReplyLines } from './reply-lines.ts'
import { beginsSearchReplace, holdsSearchReplace, readSearchReplace, searchReplaceEnd } from './search-replace.ts'

/** Languages of fences that may hold a whole reply. */
const WRAPPERS: ReadonlySet<string> = new Set(['', 'markdown', 'md', 'text', 'txt', 'plaintext', 'xml'])
const MAX_DEPTH = 3
const MAX_LINES_SHOWN = 40
const MAX_CHARS_SHOWN = 2000

/** The problem of a reply that has fences but no file and no diff. */
export const NO_EDIT =
  'The reply has fences or marks of diffs, but no edit. Put the name of the file alone on the line above a fence ' +
  'that holds all of the file, or send a unified diff with "--- a/path" and "+++ b/path".'
const NOT_CLOSED =
  'This block is not closed: the reply was cut off, or a closing fence is missing. Send it again, whole.'
const CUT_THOUGHT = 'The reply ends inside of a thought, before any edit after it.'
const DOUBTFUL_THOUGHT =
  'A thought ends (</think>) after a diff, and nothing says where it began. Send the edits again, without thoughts.'

/** A line that says of a block which nobody could place that it is for no file. */
const DISOWNS = /^[^\p{L}]{0,8}not a file[^\p{L}]{0,8}$/iu
const HALF_OF_DIFF = /^(?:@@(?: |$)|--- a\/\S|\+\+\+ b\/\S)/
const TAG_WITH_FILE = /^<[A-Za-z][\w:-]{0,30}\s[^<>]{0,200}?(?:path|name|file)="([^"]{1,300})"/i

/** Whether a line belongs to an edit that is not read as one: half of a diff, or a tag that names a file. */
function isLooseMark(line: string): boolean {
  if (HALF_OF_DIFF.test(line)) return true
  if (!line.startsWith('<')) return false
  const file = TAG_WITH_FILE.exec(line)?.[1] ?? ''
  return /[./]/.test(file)
}

const emptyReply = (): ReadReply => ({
  files: [],
  diffs: [],
  problems: [],
  regions: [],
  unplaced: [],
  disowned: 0,
})

/**
 * Whether a block under a title or a sentence with a name is no file of that name, but a command or an output about it.
 */
const isShownBeside = ({ language }: Block, { path, named }: FileName, lines: readonly string[]): boolean =>
  named !== 'line' && language === '' && !agreesWith(path, 'bash') && shownBy(lines) !== null

const isEmpty = ({ files, diffs, problems }: Reply): boolean => files.length + diffs.length + problems.length === 0

/** One pass over the lines of a reply, or of a fence that holds a whole reply. */
class ReplyReader {
  readonly #source: ReplyLines
  readonly #lines: readonly string[]
  /** In how many fences the lines stand. */
  readonly #depth: number
  readonly #closingTags: ClosingTags
  /** The last line that is not blank, of a reply that was cut there: what reaches it is not used. */
  readonly #cutLine: number
  readonly #reply = emptyReply()
  /** Blocks without a name, of which one may hold a whole reply. */
  readonly #unnamed: UnnamedBlock[] = []
  /** Lines outside of blocks that belong to an edit which is not read as one. */
  readonly #loose: Region[] = []
  /** The last heading. */
  #heading = ''
  #at = 0
  /** The first line that may name what follows. */
  #floor = 0
  /** The file that was edited last by a diff. */
  #lastPath: string | null = null
  /** The first line of the last block that holds Markdown. */
  #markdownAt = -1
  /** Whether anything looks like an edit. */
  #hasMarks = false

  constructor(source: ReplyLines, depth: number, isCut = false) {
    this.#source = source
    this.#lines = source.lines
    this.#depth = depth
    this.#closingTags = new ClosingTags(source.lines)
    this.#cutLine = isCut ? source.lines.findLastIndex(line => line.trim() !== '') : Infinity
  }

  read(): ReadReply {
    while (this.#at < this.#lines.length) {
      const line = this.#lines[this.#at] ?? ''
      const fence = readFence(line)
      if (fence === null) this.#readProse(line)
      else this.#readFenced(fence)
    }
    const reply = isEmpty(this.#reply) && !this.#hasJsonFiles() ? this.#readWrappers() : this.#placed()
    reply.regions.sort((a, b) => a.from - b.from)
    return reply
  }

  /** Whether a block without a name gives files in JSON: it is no wrapper then. */
  #hasJsonFiles(): boolean {
    return meaningsOf(this.#unnamed, []).some(meaning => 'files' in meaning)
  }

  /** The reply with what its blocks without a name mean beside its edits. */
  #placed(unnamed: readonly UnnamedBlock[] = this.#unnamed): ReadReply {
    const meanings = meaningsOf(unnamed, this.#reply.files)
    for (const [i, { block, lines }] of unnamed.entries()) {
      const meaning = meanings[i] ?? { as: 'unplaced' }
      if ('files' in meaning) this.#takeFiles(block, meaning.files)
      else if (meaning.as === 'unplaced') this.#leaveUnplaced({ from: block.from - 1, to: block.to }, lines)
      else this.#note({ from: block.from - 1, to: block.to, as: meaning.as })
    }
    for (const region of this.#loose) {
      this.#leaveUnplaced(region, this.#lines.slice(region.from, region.to + 1))
    }
    return this.#reply
  }

  #note(region: Region): void {
    // A section in which files stand is about them.
    if (region.as === 'edit') this.#heading = ''
    this.#reply.regions.push(region)
  }

  #leaveUnplaced({ from, to }: Pick<Region, 'from' | 'to'>, lines: string[]): void {
    this.#reply.unplaced.push({ line: from, lines })
    this.#note({ from, to, as: 'unplaced' })
  }

  /** Takes the files of a block that has no name above it. */
  #takeFiles({ from, to }: Block, files: ReadonlyArray<Pick<FileBlock, 'path' | 'content' | 'named'>>): void {
    const bad = files.filter(({ path }) => safePath(path) === null)
    for (const { path, content } of bad) {
      this.#reply.problems.push(badPathProblem(path, content.slice(0, MAX_CHARS_SHOWN)))
    }
    for (const { path, content, named } of files) {
      const safe = safePath(path)
      if (safe !== null) this.#reply.files.push({ path: safe, content, named, line: from })
    }
    this.#note({ from: from - 1, to, as: bad.length === files.length ? 'problem' : 'edit' })
  }

  /** Goes on at this line: nothing above it names what follows. */
  #goOnAt(line: number): void {
    this.#at = line
    this.#floor = line
  }

  #take({ diffs, problems }: Pick<Reply, 'diffs' | 'problems'>): void {
    // One by one: there may be more than one call takes as arguments.
    for (const diff of diffs) this.#reply.diffs.push(diff)
    for (const problem of problems) this.#reply.problems.push(problem)
    const last = diffs.at(-1)
    this.#lastPath = last?.newPath ?? last?.oldPath ?? this.#lastPath
  }

  /** Reads a line outside of fences, with the edit that it begins. */
  #readProse(line: string): void {
    if (isHeading(line)) this.#heading = line
    const tagged = readTaggedFile(this.#lines, this.#at, this.#closingTags)
    if (tagged !== null && this.#readTagged(tagged)) return
    if (isLooseMark(line)) this.#noteLoose()
    if (beginsSearchReplace(line)) this.#readSearchReplace()
    else if (beginsDiff(this.#lines, this.#at)) this.#readBareDiff(line)
    else this.#at++
  }

  /** Reads a file between tags; false where a fence inside of them has it. */
  #readTagged({ path: spelled, from, to, end }: TaggedFile): boolean {
    const inside = this.#lines.slice(from, to)
    const first = inside.find(line => line.trim() !== '')
    if (first !== undefined && readFence(first) !== null) return false
    const block = { from, to, fence: { indent: 0, mark: '', info: '' }, language: '', name: null }
    const read = readFileBlock(this.#source, { ...block, content: 'other' }, { path: spelled, named: 'line' })
    const region = { from: this.#at, to: end }
    if ('file' in read && end < this.#cutLine) {
      this.#reply.files.push(read.file)
      this.#note({ ...region, as: 'edit' })
    } else {
      const cut = replyProblem('truncated', CUT_BLOCK, { path: safePath(spelled) })
      this.#reply.problems.push('problem' in read ? read.problem : cut)
      this.#note({ ...region, as: 'problem' })
    }
    this.#goOnAt(end + 1)
    return true
  }

  /** Notes a line of an edit that may not be read: a tag goes to where it is closed. */
  #noteLoose(): void {
    this.#hasMarks = true
    const line = this.#lines[this.#at] ?? ''
    const tag = /^<([A-Za-z][\w:-]{0,30})/.exec(line)?.[1]
    const isDiff = beginsDiff(this.#lines, this.#at)
    if (isDiff) return // it is read as one
    const close = tag === undefined ? -1 : this.#closingTags.after(this.#at, tag)
    let below = this.#at + 1
    while (this.#lines[below]?.trim() === '') below++
    const next = this.#lines[below] ?? ''
    if (tag !== undefined && readFence(next) !== null) return // the block has its name from the tag
    this.#loose.push({ from: this.#at, to: Math.max(this.#at, close), as: 'unplaced' })
  }

  #readSearchReplace(): void {
    const at = this.#at
    const name = nameAbove(this.#lines, at, { floor: this.#floor, language: '' })
    const found = searchReplaceEnd(this.#lines, at)
    const end = found < 0 ? this.#lines.length - 1 : found
    if (found >= this.#cutLine) {
      const text = this.#lines.slice(at, at + MAX_LINES_SHOWN).join('\n')
      this.#reply.problems.push(replyProblem('truncated', CUT_BLOCK, { path: safePath(name?.path ?? ''), text }))
      this.#note({ from: at, to: end, as: 'problem' })
    } else {
      const text = { lines: this.#lines.slice(at, end + 1), from: at, path: name?.path ?? this.#lastPath }
      this.#takeSearchReplace(text, { from: at, to: end })
    }
    this.#goOnAt(end + 1)
  }

  /** @param text - The lines, the number of the first one, and the file that nothing in them names. */
  #takeSearchReplace(
    { from, ...text }: { lines: readonly string[]; from: number; path: string | null },
    region: Pick<Region, 'from' | 'to'>,
  ): void {
    const { diffs, problems } = readSearchReplace({ ...text, hasCr: line => this.#source.hasCr(from + line) })
    this.#take({ diffs: diffs.map(diff => ({ ...diff, line: diff.line + from })), problems })
    this.#note({ ...region, as: diffs.length > 0 ? 'edit' : 'problem' })
  }

  /** Reads diffs without a fence around them. */
  #readBareDiff(line: string): void {
    this.#hasMarks = true
    const at = this.#at
    const fallback = nameAbove(this.#lines, at, { floor: this.#floor, language: 'diff' })?.path ?? this.#lastPath
    const end = this.#lines.length
    const text = { lines: this.#lines, hasCr: this.#source.hasCr, end, within: 'prose' as const }
    const read = line.startsWith('*** Begin Patch') ? readEnvelope(text, at) : readDiffs(text, at, fallback)
    if (read.next > this.#cutLine) this.#take(withoutLastDiff(read))
    else this.#take(read.next >= end ? withoutCutHunk(read) : read)
    const next = Math.max(read.next, at + 1)
    if (read.diffs.length + read.problems.length > 0) {
      this.#note({ from: at, to: next - 1, as: read.diffs.length > 0 ? 'edit' : 'problem' })
    }
    this.#goOnAt(next)
  }

  /** Reads the block that a fence opens. Nothing is read behind one that does not end. */
  #readFenced(fence: Fence): void {
    if (this.#isStray(fence)) {
      this.#goOnAt(this.#at + 1)
      return
    }
    this.#hasMarks = true
    const at = this.#at
    const opened = openBlock(this.#lines, at, { fence, floor: this.#floor })
    const end = findFenceEnd(this.#lines, at, {
      opener: fence,
      content: opened.content,
      startsBlock: line => nameAbove(this.#lines, line, { floor: at + 1, language: '' })?.named === 'line',
    })
    if ('at' in end) {
      this.#readBlock({ ...opened, from: at + 1, to: end.at })
      this.#goOnAt(end.at + 1)
    } else {
      this.#reply.problems.push(this.#openEndProblem(opened, end))
      this.#note({ from: at, to: this.#lines.length - 1, as: 'problem' })
      if (opened.fence.info === '' && opened.name === null) this.#dropCutMarkdown()
      this.#goOnAt(this.#lines.length)
    }
  }

  #openEndProblem({ name }: OpenBlock, end: Exclude<FenceEnd, { at: number }>): EditProblem {
    const where = {
      path: safePath(name?.path ?? ''),
      text: this.#lines.slice(this.#at, this.#at + MAX_LINES_SHOWN).join('\n'),
    }
    return 'doubtful' in end
      ? replyProblem('malformed', end.doubtful, where)
      : replyProblem('truncated', NOT_CLOSED, where)
  }

  /**
   * Takes the last file of a cut reply out, where it is Markdown and a fence without language or name is open behind
   * it: that may be one of the file.
   */
  #dropCutMarkdown(): void {
    const last = this.#reply.files.at(-1)
    if (this.#cutLine === Infinity || last === undefined || last.line !== this.#markdownAt) return
    this.#reply.files.pop()
    this.#reply.problems.push(replyProblem('truncated', CUT_BLOCK, { path: last.path }))
  }

  #readBlock(block: Block): void {
    if (block.content === 'markdown') this.#markdownAt = block.from
    const region = { from: block.from - 1, to: block.to }
    const lines = linesOf(this.#lines, block)
    if (block.to >= this.#cutLine) {
      const text = lines.slice(0, MAX_LINES_SHOWN).join('\n')
      this.#reply.problems.push(replyProblem('truncated', CUT_BLOCK, { path: safePath(block.name?.path ?? ''), text }))
      this.#note({ ...region, as: 'problem' })
    } else if (holdsSearchReplace(this.#lines, block)) {
      this.#takeSearchReplace({ lines, from: block.from, path: block.name?.path ?? this.#lastPath }, region)
    } else if (block.content === 'diff') {
      const read = readDiffBlock(this.#source, block, this.#lastPath)
      this.#take(read)
      this.#note({ ...region, as: read.diffs.length > 0 ? 'edit' : 'problem' })
    } else if (block.name === null || isShownBeside(block, block.name, lines)) {
      this.#unnamed.push({ block, lines, above: this.#textAbove(region.from), heading: this.#heading })
    } else {
      const read = readFileBlock(this.#source, block, block.name)
      if ('problem' in read) this.#reply.problems.push(read.problem)
      else if (!announcesOld(this.#textAbove(region.from))) this.#reply.files.push(read.file)
      else this.#reply.files.push({ ...read.file, isShown: true })
      this.#note({ ...region, as: 'file' in read ? 'edit' : 'problem' })
    }
  }

  /** The nearest line of text above, since the block before. */
  #textAbove(at: number): string {
    for (let above = at - 1; above >= this.#floor; above--) {
      const line = this.#lines[above] ?? ''
      if (line.trim() !== '') return isHeading(line) ? '' : line
    }
    return ''
  }

  /**
   * Whether a closing fence is one too many: with nothing but blank lines since the last block, and nothing to come, or
   * a block that opens itself.
   */
  #isStray(fence: Fence): boolean {
    if (fence.info !== '' || this.#floor === 0) return false
    let above = this.#at - 1
    while (above >= this.#floor && (this.#lines[above] ?? '').trim() === '') above--
    if (above >= this.#floor) return false
    for (let i = this.#at + 1; i < this.#lines.length; i++) {
      const other = readFence(this.#lines[i] ?? '')
      if (other !== null) return other.info !== ''
    }
    return true
  }

  /** Reads what fences without a name enclose as replies of their own. */
  #readWrappers(): ReadReply {
    const inner = this.#unnamed.map(({ block }) => {
      const mayWrap = this.#depth < MAX_DEPTH && WRAPPERS.has(block.language)
      return mayWrap ? this.#readWithin(block) : emptyReply()
    })
    if (inner.every(isEmpty)) return this.#withoutEdit()
    for (const [i, { block }] of this.#unnamed.entries()) {
      const own = inner[i]
      if (own === undefined || isEmpty(own)) continue
      this.#note({ from: block.from - 1, to: block.to, as: 'edit' })
      for (const file of own.files) this.#reply.files.push(file)
      for (const unplaced of own.unplaced) this.#reply.unplaced.push(unplaced)
      this.#take(own)
    }
    return this.#placed(this.#unnamed.filter((_, i) => isEmpty(inner[i] ?? emptyReply())))
  }

  /** The reply as a problem, where it looks like an edit and holds none. */
  #withoutEdit(): ReadReply {
    const shown = this.#unnamed.map(({ block }) => ({ from: block.from - 1, to: block.to }))
    for (const { from, to } of [...shown, ...this.#loose]) this.#note({ from, to, as: 'problem' })
    if (this.#hasMarks && this.#depth === 0) {
      const text = this.#lines.slice(0, MAX_LINES_SHOWN).join('\n')
      this.#reply.problems.push(replyProblem('malformed', NO_EDIT, { text }))
    }
    return this.#reply
  }

  #readWithin({ from, to }: Block): ReadReply {
    const inner: ReplyLines = {
      ...this.#source,
      lines: this.#lines.slice(from, to),
      hasCr: line => this.#source.hasCr(from + line),
    }
    const reply = new ReplyReader(inner, this.#depth + 1).read()
    for (const edit of [...reply.files, ...reply.diffs, ...reply.unplaced]) edit.line += from
    return reply
  }
}

/** The lines of a reply that say NOT A FILE of a block; the same words within a block are its content. */
function disownedIn(lines: readonly string[], regions: readonly Region[]): number {
  const isWithin = new Uint8Array(lines.length)
  for (const { from, to } of regions) isWithin.fill(1, from, to + 1)
  return lines.filter((line, at) => isWithin[at] === 0 && DISOWNS.test(line)).length
}

/**
 * Reads the files and diffs out of a model's reply, in one pass over its lines. What looks like an edit and is none
 * comes back as a problem, worded for the model. A reply of prose only holds neither.
 *
 * @param isCut - The reply was cut off at its end: its last block or diff, which may lack lines, is not used.
 */
export function readReply(text: string, { isCut = false } = {}): ReadReply {
  const source = replyLines(text)
  if (source.thoughtProblem === 'doubtful') {
    return { ...emptyReply(), problems: [replyProblem('malformed', DOUBTFUL_THOUGHT)] }
  }
  const reply = new ReplyReader(source, 0, isCut).read()
  reply.disowned = disownedIn(source.lines, reply.regions)
  if (source.thoughtProblem === 'cut') reply.problems.push(replyProblem('truncated', CUT_THOUGHT))
  return reply
}
