import type { OpenBlock } from '../read/block.ts'
import { readFence } from '../read/fence-lines.ts'
import { lastFenceOf } from './open-block.ts'
import { readFirstLine } from './first-line.ts'
import { behindPreamble, saysItGoesOn } from './preamble.ts'
import { joinLines, type Joined } from './repeated-lines.ts'

/** A fence that a continuation opens, though the one in which the reply was cut is open still. */
interface Reopening {
  /** The line of the fence in the continuation. */
  at: number
  /** What the model says before it. */
  preamble: string
  isBare: boolean
}

/** A reply that was cut inside of a block, and the lines of its continuation. */
interface CutInBlock {
  before: string
  /** What there is of the line in which it was cut. */
  cutLine: string
  next: readonly string[]
  /** Both as they stand one after the other, but for repeated lines. */
  plain: Joined
  open: OpenBlock & { at: number }
  isLast: boolean
}

/** The lines at the beginning of a continuation in which it may open the fence again. */
const MAX_PREAMBLE_LINES = 8
/** Lines that are not blank by which a reply is known when it begins again; two diffs of one file share three. */
const HEAD_OF_REPLY = 5
/** The same for the content of a block. */
const HEAD_OF_BLOCK = 2
/** Letters and digits that these lines have at least. */
const HEAD_CHARS = 12
/** The beginning of a line that is no language, with which the fence before it would open a block. */
const NO_LANGUAGE = /^[^`~\s]*[^`~\s\w+#-]|^\S+\s\S/
/** Languages in which a sentence may be content. */
const PROSE = /^(?:markdown|md|mdx|text|txt|plain|plaintext|rst|html)$/

const languageOf = (info: string): string => /^[\w+#.-]*/.exec(info)?.[0].toLowerCase() ?? ''

/** Whether the first fence that closes a block stands deeper than this: it is one of the file. */
function closesDeeper(lines: readonly string[], indent: number): boolean {
  const closing = lines.map(readFence).find(fence => fence?.info === '')
  return closing !== undefined && closing !== null && closing.indent > indent
}

/** Reads a fence that may be the one of the open block once more. */
function readReopening(
  fence: OpenBlock['fence'],
  opener: OpenBlock['fence'],
  where: Pick<Reopening, 'at' | 'preamble'>,
): Reopening | null {
  const isBare = fence.info === ''
  if (fence.mark[0] !== opener.mark[0]) return null
  if (where.preamble !== '') {
    const isSame = opener.info === '' || languageOf(fence.info) === languageOf(opener.info)
    return saysItGoesOn(where.preamble) || (isSame && !isBare) ? { ...where, isBare } : null
  }
  const isSame = opener.info === '' || isBare || languageOf(fence.info) === languageOf(opener.info)
  return isSame ? { ...where, isBare } : null
}

/**
 * @param begun - The blanks of the line in which the reply was cut: the first line goes on there.
 */
function findReopening(lines: readonly string[], { fence: opener }: OpenBlock, begun: string): Reopening | null {
  for (let at = 0; at < Math.min(lines.length, MAX_PREAMBLE_LINES); at++) {
    const fence = readFence(`${at === 0 ? begun : ''}${lines[at] ?? ''}`)
    if (fence === null) continue
    if (fence.indent > opener.indent && (at > 0 || closesDeeper(lines, opener.indent))) return null
    return readReopening(fence, opener, { at, preamble: lines.slice(0, at).join('\n').trim() })
  }
  return null
}

/** The first lines of a text that are not blank, where they say enough to know it by. */
function headOf(lines: readonly string[], count: number): string | null {
  const head: string[] = []
  for (const line of lines) {
    if (line.trim() !== '') head.push(line.trim())
    if (head.length === count) break
  }
  const text = head.join('\n')
  return head.length === count && text.replace(/[^\p{L}\p{N}]+/gu, '').length >= HEAD_CHARS ? text : null
}

function beginsLike(lines: readonly string[], others: readonly string[], count: number): boolean {
  const head = headOf(lines, count)
  return head !== null && head === headOf(others, count)
}

/** The content of the open block with what follows in a fence that opens it again, at its end or at its beginning. */
function joinBlock(before: string, rest: readonly string[], { at }: { at: number }): Joined {
  const joined = joinLines(before, rest.join('\n'), { isBehindFence: true })
  const lines = before.split('\n')
  if (joined.repeats || !beginsLike(lines.slice(at + 1, -1), rest, HEAD_OF_BLOCK)) return joined
  return { text: [...lines.slice(0, at + 1), ...rest].join('\n'), repeats: true }
}

const isClosed = (text: string): boolean => 'closed' in lastFenceOf(text)

/** Whether the model opened the fence again, and did not close it or open one inside of it. */
function isReopened(
  { plain, reopened }: { plain: Joined; reopened: Joined },
  { preamble, isBare }: Reopening,
  isLast: boolean,
): boolean {
  if (plain.repeats || reopened.repeats) return !plain.repeats
  if (isLast) {
    const [closesPlain, closesReopened] = [isClosed(plain.text), isClosed(reopened.text)]
    if (closesPlain !== closesReopened) return closesReopened
  }
  return preamble === '' ? !isBare : saysItGoesOn(preamble)
}

/** Joins lines of code at the place where a block was cut; null where what the first of them is stays open. */
function joinCode({
  before,
  next,
  plain,
  open,
}: Pick<CutInBlock, 'before' | 'next' | 'plain' | 'open'>): string | null {
  const first = readFirstLine(before, next, languageOf(open.fence.info))
  if ('unsure' in first) return null
  if ('repeats' in first) return before + next.slice(1).join('\n')
  if (first.indent === null) return plain.isDoubtful ? null : plain.text
  const [line = '', ...others] = next
  return [`${before}${first.indent}${line.trimStart()}`, ...others].join('\n')
}

/** Joins a reply that was cut inside of a block. */
function joinInBlock({ before, cutLine, next, plain, open, isLast }: CutInBlock): string | null {
  const reopening = findReopening(next, open, cutLine.trim() === '' ? cutLine : '')
  if (reopening !== null) {
    const inside = next.slice(reopening.at + 1)
    const reopened = joinBlock(before, inside, open)
    if (isReopened({ plain, reopened }, reopening, isLast)) {
      return reopened.repeats ? reopened.text : joinCode({ before, next: inside, plain: reopened, open })
    }
  }
  if (plain.repeats) return plain.text
  const rest = behindPreamble(next)
  if (rest === null) return joinCode({ before, next, plain, open })
  if (PROSE.test(languageOf(open.fence.info))) return null
  const joined = joinLines(before, rest.join('\n'))
  return joined.repeats ? joined.text : joinCode({ before, next: rest, plain: joined, open })
}

/**
 * Joins a reply that was cut off with what the model wrote when it was asked to go on, without doubling: the
 * continuation may begin at the very character, repeat the last lines, the line or the word in which the reply was cut,
 * open the fence again that is open still (with a sentence before it), or begin the block or the whole reply anew.
 * Where two readings are possible, the one is taken that leaves no fence open. Null where nobody can tell how they
 * belong together.
 *
 * @param isLast - Whether the continuation is complete. One that was cut, too, leaves its last fence open in any case.
 */
export function joinReply(before: string, more: string, { isLast }: { isLast: boolean }): string | null {
  if (before.trim() === '') return more
  if (more.trim() === '') return before + more
  const plain = joinLines(before, more)
  const next = more.split('\n')
  if (!plain.repeats && beginsLike(before.split('\n').slice(0, -1), next, HEAD_OF_REPLY)) {
    return isLast || more.length > before.length ? more : before
  }
  const last = lastFenceOf(before)
  const cutLine = before.slice(before.lastIndexOf('\n') + 1)
  if ('open' in last) return joinInBlock({ before, cutLine, next, plain, open: last.open, isLast })
  if (plain.repeats) return plain.text
  if ('unsure' in readFirstLine(before, next, null)) return null
  const isTextBehindFence = readFence(cutLine)?.info === '' && NO_LANGUAGE.test(next[0] ?? '')
  return isTextBehindFence ? `${before}\n${more}` : plain.text
}
