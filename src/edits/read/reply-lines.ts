import { readFence, type Fence } from './fence-lines.ts'

export interface ReplyLines {
  /** Without their ends. */
  lines: string[]
  /**
   * Whether a line ended `\r\n`; all false where every line does: then the ends are of the transport and say nothing
   * about a file.
   */
  hasCr: (line: number) => boolean
  /** Why the thoughts in it cannot be told from the rest; null where they can. */
  thoughtProblem: 'cut' | 'doubtful' | null
}

const THOUGHT_BEGINS = /^ {0,3}<think(?:ing)?>/i
const THOUGHT_ENDS = /<\/think(?:ing)?>/i

const hasMark = (line: string | undefined): boolean => line?.startsWith('\uFEFF') === true

function findEnd(lines: readonly string[], from: number): number {
  for (let i = from; i < lines.length; i++) {
    if (THOUGHT_ENDS.test(lines[i] ?? '')) return i
  }
  return -1
}

function endThought(lines: string[], { from, at }: { from: number; at: number }): void {
  const line = lines[at] ?? ''
  const tag = THOUGHT_ENDS.exec(line)
  lines.fill('', from, at)
  lines[at] = tag === null ? '' : line.slice(tag.index + tag[0].length)
}

/**
 * Blanks the lines of thoughts, so that lines keep their numbers. A thought begins a line outside of fences and hunks,
 * which may hold the tags as content; some servers leave out where the first one begins.
 */
function blankThoughts(lines: string[]): ReplyLines['thoughtProblem'] {
  let opener: Fence | null = null
  let isInHunk = false
  let hadDiff = false
  let hadFencedHunk = false
  let hadThought = false
  for (let i = 0; i < lines.length; i++) {
    const line = lines[i] ?? ''
    const fence: Fence | null = isInHunk && /^[ \t]/.test(line) ? null : readFence(line)
    if (opener !== null) {
      hadFencedHunk ||= line.startsWith('@@')
      if (fence?.info === '' && fence.mark.startsWith(opener.mark) && fence.indent <= opener.indent) opener = null
      continue
    }
    opener = fence
    isInHunk = fence === null && line !== '' && (isInHunk || line.startsWith('@@'))
    // A line of a hunk may have looked like the end of its fence.
    hadDiff ||= isInHunk || (hadFencedHunk && /^\+|^-(?! |-{2,}\s*$)/.test(line))
    if (isInHunk || fence !== null) continue
    if (THOUGHT_BEGINS.test(line)) {
      const end = findEnd(lines, i)
      if (end < 0) {
        lines.fill('', i)
        return 'cut'
      }
      endThought(lines, { from: i, at: end })
      hadThought = true
      i = end - 1 // the rest of that line may begin another one
    } else if (!hadThought && /^<\/think(?:ing)?>|<\/think(?:ing)?>\s*$/i.test(line)) {
      if (hadDiff) return 'doubtful' // of the thought, or the edit itself with such a line in it
      endThought(lines, { from: 0, at: i })
      hadThought = true
    }
  }
  return null
}

/** The lines of a reply without the model's thoughts. One pass. */
export function replyLines(text: string): ReplyLines {
  const raw = text.split('\n')
  const isEnded = raw.at(-1) === ''
  if (isEnded) raw.pop()
  if (hasMark(raw[0])) raw[0] = (raw[0] ?? '').slice(1)
  const mayThink = /<\/?think/i.test(text)
  if (!text.includes('\r')) {
    return { lines: raw, hasCr: () => false, thoughtProblem: mayThink ? blankThoughts(raw) : null }
  }
  const isTransport =
    raw.length > 1 && raw.every((line, i) => line.endsWith('\r') || (!isEnded && i === raw.length - 1))
  const ends = raw.map(line => line.endsWith('\r'))
  const lines = raw.map((line, i) => (ends[i] === true ? line.slice(0, -1) : line))
  return {
    lines,
    hasCr: isTransport ? () => false : line => ends[line] === true,
    thoughtProblem: mayThink ? blankThoughts(lines) : null,
  }
}
