import { replyProblem, type ReadReply, type Region, type Reply } from '../edit.ts'
import type { Block } from './block.ts'
import { readFence } from './fence-lines.ts'
import { readFenced } from './read-fenced.ts'
import { readProse } from './read-prose.ts'
import { readFileBlock } from './file-block.ts'
import { proseOf } from './prose.ts'
import { emptyReply, Reading } from './reading.ts'
import { remarksIn } from './remarks.ts'
import { replyLines, type ReplyLines } from './reply-lines.ts'
import { meaningsOf, type Meaning, type UnnamedBlock } from './unnamed-block.ts'

/** Languages of fences that may hold a whole reply. */
const WRAPPERS: ReadonlySet<string> = new Set(['', 'markdown', 'md', 'text', 'txt', 'plaintext', 'xml'])
const MAX_DEPTH = 3
const MAX_LINES_SHOWN = 40

/** The problem of a reply that has fences but no file and no diff. */
export const NO_EDIT =
  'The reply has fences or marks of diffs, but no edit. Put the name of the file alone on the line above a fence ' +
  'that holds all of the file, or send a unified diff with "--- a/path" and "+++ b/path".'
const CUT_THOUGHT = 'The reply ends inside of a thought, before any edit after it.'
const DOUBTFUL_THOUGHT =
  'A thought ends (</think>) after a diff, and nothing says where it began. Send the edits again, without thoughts.'

const isEmpty = ({ files, diffs, problems }: Reply): boolean => files.length + diffs.length + problems.length === 0

/** The reading of a reply, or of a fence that holds a whole reply, and what its blocks without a name mean. */
class ReplyReader {
  readonly #reading: Reading

  constructor(source: ReplyLines, depth: number, isCut = false) {
    this.#reading = new Reading(source, depth, isCut)
  }

  /** Reads the lines in one pass. */
  read(): ReadReply {
    const reading = this.#reading
    while (reading.at < reading.lines.length) {
      const line = reading.lines[reading.at] ?? ''
      const fence = line === '' ? null : readFence(line)
      if (line === '') reading.at++
      else if (fence === null) readProse(reading, line)
      else readFenced(reading, fence)
    }
    const reply = isEmpty(reading.reply) && !this.#hasJsonFiles() ? this.#readWrappers() : this.#placed()
    reply.regions.sort((a, b) => a.from - b.from)
    return reply
  }

  /** Whether a block without a name gives files in JSON: it is no wrapper then. */
  #hasJsonFiles(): boolean {
    return meaningsOf(this.#reading.unnamed, []).some(meaning => 'edits' in meaning)
  }

  /** The reply with what its blocks without a name mean beside its edits. */
  #placed(unnamed: readonly UnnamedBlock[] = this.#reading.unnamed): ReadReply {
    const reading = this.#reading
    const meanings = meaningsOf(unnamed, reading.reply.files)
    for (const [i, own] of unnamed.entries()) this.#takeMeaning(own, meanings[i] ?? { as: 'unplaced' })
    for (const region of reading.loose) {
      reading.leaveUnplaced(region, reading.lines.slice(region.from, region.to + 1))
    }
    return reading.reply
  }

  #takeMeaning(own: UnnamedBlock, meaning: Meaning): void {
    const reading = this.#reading
    const { block, lines } = own
    const region = { from: block.from - 1, to: block.to }
    const { left = [], deletions = [] } = meaning
    reading.takeDeletions(deletions)
    if ('edits' in meaning) {
      reading.takeEdits(region, meaning.edits)
      if (left.length > 0) reading.reply.unplaced.push({ line: region.from, lines: left })
    } else if (left.length > 0 || !this.#takesPerhaps(own, meaning.as)) {
      if (meaning.as === 'unplaced') reading.leaveUnplaced(region, left.length > 0 ? left : lines)
      else reading.note({ ...region, as: meaning.as })
    }
  }

  /** Takes a block below a bare word, which is an edit where a file is called so; false for any other. */
  #takesPerhaps({ block, lines, bare }: UnnamedBlock, as: Region['as']): boolean {
    if (bare === null) return false
    const read = readFileBlock(this.#reading.source, block, { ...bare, named: 'line' })
    if ('problem' in read) return false
    const [from, isScript] = [block.from - 1, lines[0]?.startsWith('#!') === true]
    this.#reading.leavePerhaps(
      { from, to: block.to, as },
      {
        file: read.file,
        isDoubtful: !isScript && (bare.isDoubtful || as !== 'unplaced'),
        otherwise: as === 'unplaced' || as === 'problem' ? { line: from, lines } : null,
      },
    )
    return true
  }

  /** Reads what fences without a name enclose as replies of their own. */
  #readWrappers(): ReadReply {
    const { unnamed, depth, reply } = this.#reading
    const inner = unnamed.map(({ block }) => {
      const mayWrap = depth < MAX_DEPTH && WRAPPERS.has(block.language)
      return mayWrap ? this.#readWithin(block) : emptyReply()
    })
    if (inner.every(isEmpty)) return this.#withoutEdit()
    for (const [i, { block }] of unnamed.entries()) {
      const own = inner[i]
      if (own === undefined || isEmpty(own)) continue
      this.#reading.note({ from: block.from - 1, to: block.to, as: 'edit' })
      for (const file of own.files) reply.files.push(file)
      for (const unplaced of own.unplaced) reply.unplaced.push(unplaced)
      this.#reading.takeDeletions(own.deletions)
      for (const perhaps of own.perhaps) reply.perhaps.push(perhaps)
      this.#reading.take(own)
    }
    return this.#placed(unnamed.filter((_, i) => isEmpty(inner[i] ?? emptyReply())))
  }

  /** The reply as a problem, where it looks like an edit and holds none. */
  #withoutEdit(): ReadReply {
    const { unnamed, loose, lines, hasMarks, depth, reply } = this.#reading
    const shown = unnamed
      .filter(own => !this.#takesPerhaps(own, 'problem'))
      .map(({ block }) => ({ from: block.from - 1, to: block.to }))
    for (const { from, to } of [...shown, ...loose]) this.#reading.note({ from, to, as: 'problem' })
    if (hasMarks && depth === 0 && reply.unplaced.length + reply.perhaps.length === 0) {
      const text = lines.slice(0, MAX_LINES_SHOWN).join('\n')
      reply.problems.push(replyProblem('malformed', NO_EDIT, { text }))
    }
    return reply
  }

  #readWithin({ from, to }: Block): ReadReply {
    const { source, lines, depth } = this.#reading
    const inner: ReplyLines = {
      ...source,
      lines: lines.slice(from, to),
      hasCr: line => source.hasCr(from + line),
    }
    const reply = new ReplyReader(inner, depth + 1).read()
    const perhaps = reply.perhaps.flatMap(({ file, otherwise }) => [file, ...(otherwise === null ? [] : [otherwise])])
    for (const edit of [...reply.files, ...reply.diffs, ...reply.unplaced, ...perhaps]) edit.line += from
    return reply
  }
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
  const { deletions, ...remarks } = remarksIn(source.lines, reply.regions)
  Object.assign(reply, remarks, { prose: proseOf(source.lines, reply.regions) })
  reply.deletions = [...reply.deletions, ...deletions]
  if (source.thoughtProblem === 'cut') reply.problems.push(replyProblem('truncated', CUT_THOUGHT))
  return reply
}
