import { safePath } from '../../core/safe-path.ts'
import { replyProblem, type EditProblem, type Reply } from '../edit.ts'
import { nameAbove, openBlock, type Block, type OpenBlock } from './block.ts'
import { CUT_BLOCK, withoutCutHunk, withoutLastDiff } from './cut-off.ts'
import { readDiffBlock } from './diff-block.ts'
import { beginsDiff } from './diff/diff-lines.ts'
import { findFenceEnd, type FenceEnd } from './fence-end.ts'
import { readFence, type Fence } from './fence-lines.ts'
import { readFileBlock } from './file-block.ts'
import { readDiffs } from './diff/read-diff.ts'
import { readEnvelope } from './read-envelope.ts'
import { replyLines, type ReplyLines } from './reply-lines.ts'
import { bareSearchReplaceProblem, beginsSearchReplace, searchReplaceEnd } from './search-replace.ts'

/** Languages of fences that may hold a whole reply. */
const WRAPPERS: ReadonlySet<string> = new Set(['', 'markdown', 'md', 'text', 'txt', 'plaintext', 'xml'])
const MAX_DEPTH = 3
const MAX_LINES_SHOWN = 40

/** The problem of a reply that has fences but no file and no diff. */
export const NO_EDIT =
  'The reply has fences or marks of diffs, but no edit. Put the name of the file alone on the line above a fence ' +
  'that holds all of the file, or send a unified diff with "--- a/path" and "+++ b/path".'
const NOT_CLOSED =
  'This block is not closed: the reply was cut off, or a closing fence is missing. Send it again, whole.'
const CUT_THOUGHT = 'The reply ends inside of a thought, before any edit after it.'
const DOUBTFUL_THOUGHT =
  'A thought ends (</think>) after a diff, and nothing says where it began. Send the edits again, without thoughts.'

const HALF_OF_DIFF = /^(?:@@(?: |$)|--- a\/\S|\+\+\+ b\/\S)/
const TAG_WITH_FILE = /^<[A-Za-z][\w:-]{0,30}\s[^<>]{0,200}?(?:path|name|file)="([^"]{1,300})"/i

/** Whether a line belongs to an edit that is not read as one: half of a diff, or a tag that names a file. */
function isLooseMark(line: string): boolean {
  if (HALF_OF_DIFF.test(line)) return true
  if (!line.startsWith('<')) return false
  const file = TAG_WITH_FILE.exec(line)?.[1] ?? ''
  return /[./]/.test(file)
}

const emptyReply = (): Reply => ({ files: [], diffs: [], problems: [] })

const isEmpty = ({ files, diffs, problems }: Reply): boolean => files.length + diffs.length + problems.length === 0

/** One pass over the lines of a reply, or of a fence that holds a whole reply. */
class ReplyReader {
  readonly #source: ReplyLines
  readonly #lines: readonly string[]
  /** In how many fences the lines stand. */
  readonly #depth: number
  /** The last line that is not blank, of a reply that was cut there: what reaches it is not used. */
  readonly #cutLine: number
  readonly #reply = emptyReply()
  /** Fences without a name, which may hold a whole reply. */
  readonly #wrappers: Block[] = []
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
    this.#cutLine = isCut ? source.lines.findLastIndex(line => line.trim() !== '') : Infinity
  }

  read(): Reply {
    while (this.#at < this.#lines.length) {
      const line = this.#lines[this.#at] ?? ''
      const fence = readFence(line)
      if (fence === null) this.#readProse(line)
      else this.#readFenced(fence)
    }
    return isEmpty(this.#reply) ? this.#readWrappers() : this.#reply
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
    if (isLooseMark(line)) this.#hasMarks = true
    if (beginsSearchReplace(line)) this.#readSearchReplace()
    else if (beginsDiff(this.#lines, this.#at)) this.#readBareDiff(line)
    else this.#at++
  }

  #readSearchReplace(): void {
    const at = this.#at
    const name = nameAbove(this.#lines, at, { floor: this.#floor, language: '' })
    const end = searchReplaceEnd(this.#lines, at, this.#lines.length)
    const problem = bareSearchReplaceProblem(this.#lines, { at, end, path: name?.path ?? null })
    this.#reply.problems.push(problem)
    this.#goOnAt(end + 1)
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
    this.#goOnAt(Math.max(read.next, at + 1))
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
    if (block.to >= this.#cutLine) {
      const text = this.#lines.slice(block.from - 1, block.from + MAX_LINES_SHOWN).join('\n')
      const path = safePath(block.name?.path ?? '')
      this.#reply.problems.push(replyProblem('truncated', CUT_BLOCK, { path, text }))
    } else if (block.content === 'diff') {
      this.#take(readDiffBlock(this.#source, block, this.#lastPath))
    } else if (block.name !== null) {
      const read = readFileBlock(this.#source, block, block.name)
      if ('file' in read) this.#reply.files.push(read.file)
      else this.#reply.problems.push(read.problem)
    } else if (WRAPPERS.has(block.language)) {
      this.#wrappers.push(block)
    }
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
  #readWrappers(): Reply {
    const inner = this.#depth < MAX_DEPTH ? this.#wrappers.map(block => this.#readWithin(block)) : []
    const reply: Reply = {
      files: inner.flatMap(({ files }) => files),
      diffs: inner.flatMap(({ diffs }) => diffs),
      problems: inner.flatMap(({ problems }) => problems),
    }
    if (isEmpty(reply) && this.#hasMarks && this.#depth === 0) {
      reply.problems.push(
        replyProblem('malformed', NO_EDIT, { text: this.#lines.slice(0, MAX_LINES_SHOWN).join('\n') }),
      )
    }
    return reply
  }

  #readWithin({ from, to }: Block): Reply {
    const inner: ReplyLines = {
      ...this.#source,
      lines: this.#lines.slice(from, to),
      hasCr: line => this.#source.hasCr(from + line),
    }
    const reply = new ReplyReader(inner, this.#depth + 1).read()
    for (const edit of [...reply.files, ...reply.diffs]) edit.line += from
    return reply
  }
}

/**
 * Reads the files and diffs out of a model's reply, in one pass over its lines. What looks like an edit and is none
 * comes back as a problem, worded for the model. A reply of prose only holds neither.
 *
 * @param isCut - The reply was cut off at its end: its last block or diff, which may lack lines, is not used.
 */
export function readReply(text: string, { isCut = false } = {}): Reply {
  const source = replyLines(text)
  if (source.thoughtProblem === 'doubtful') {
    return { ...emptyReply(), problems: [replyProblem('malformed', DOUBTFUL_THOUGHT)] }
  }
  const reply = new ReplyReader(source, 0, isCut).read()
  if (source.thoughtProblem === 'cut') reply.problems.push(replyProblem('truncated', CUT_THOUGHT))
  return reply
}
