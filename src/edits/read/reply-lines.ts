import { readFence, type Fence } from './fence-lines.ts'
import { unwrapLines } from './unwrapped-lines.ts'

/** The lines of a reply. */
export interface ReplyLines {
  /** The lines without their ends. */
  lines: string[]
  /**
   * Whether a line ended in `\r\n`. False for all lines where every line does: these ends come from the transport and
   * say nothing about a file.
   */
  hasCr: (line: number) => boolean
  /** `cut`: the reply ends in a thought; `doubtful`: nothing says where a thought begins. */
  thoughtProblem: 'cut' | 'doubtful' | null
}

const THOUGHT_BEGINS = /^ {0,3}<(?:think(?:ing)?|reasoning|scratchpad|thoughts?|reflection|draft|antThinking)>/i
const THOUGHT_ENDS = /<\/(?:think(?:ing)?|reasoning|scratchpad|thoughts?|reflection|draft|antThinking)>/i
const ENDS_FIRST_THOUGHT = /^<\/think(?:ing)?>|<\/(?:think(?:ing)?|reasoning)>\s*$/i
/** A line with a sign that is no item of a list, and no rule. */
const CHANGE = /^\+|^-(?! |-{2,}\s*$)/

const hasMark = (line: string | undefined): boolean => line?.startsWith('\uFEFF') === true

function findEnd(lines: readonly string[], from: number): number {
  for (let i = from; i < lines.length; i++) {
    if (THOUGHT_ENDS.test(lines[i] ?? '')) return i
  }
  return -1
}

/** Blanks the lines of thoughts, so that the others keep their numbers. One pass over the reply. */
class ThoughtEraser {
  readonly #lines: string[]
  /** The fence that is open. */
  #opener: Fence | null = null
  #isInHunk = false
  #hadDiff = false
  #hadFencedHunk = false
  #hadThought = false

  constructor(lines: string[]) {
    this.#lines = lines
  }

  /**
   * A thought begins a line outside of fences and hunks, which may hold the tags as content; some servers leave out
   * where the first one begins.
   */
  erase(): ReplyLines['thoughtProblem'] {
    for (let i = 0; i < this.#lines.length; i++) {
      const line = this.#lines[i] ?? ''
      if (this.#isContent(line)) continue
      if (THOUGHT_BEGINS.test(line)) {
        const end = findEnd(this.#lines, i)
        if (end < 0) {
          this.#lines.fill('', i)
          return 'cut'
        }
        this.#end(i, end)
        i = end - 1 // the rest of that line may begin another one
      } else if (!this.#hadThought && ENDS_FIRST_THOUGHT.test(line)) {
        if (this.#hadDiff) return 'doubtful' // of the thought, or the edit itself with such a line in it
        this.#end(0, i)
      }
    }
    return null
  }

  /** Whether a line is of a fence or of a hunk. Notes where these begin and end. */
  #isContent(line: string): boolean {
    const fence = this.#isInHunk && /^[ \t]/.test(line) ? null : readFence(line)
    if (this.#opener !== null) {
      this.#hadFencedHunk ||= line.startsWith('@@')
      if (fence !== null && this.#closes(fence, this.#opener)) this.#opener = null
      return true
    }
    this.#opener = fence
    this.#isInHunk = fence === null && line !== '' && (this.#isInHunk || line.startsWith('@@'))
    // A line of a hunk may have looked like the end of its fence.
    this.#hadDiff ||= this.#isInHunk || (this.#hadFencedHunk && CHANGE.test(line))
    return this.#isInHunk || fence !== null
  }

  #closes(fence: Fence, opener: Fence): boolean {
    return fence.info === '' && fence.mark.startsWith(opener.mark) && fence.indent <= opener.indent
  }

  /** Blanks a thought, whose last line may go on after the tag. */
  #end(from: number, at: number): void {
    const line = this.#lines[at] ?? ''
    const tag = THOUGHT_ENDS.exec(line)
    this.#lines.fill('', from, at)
    this.#lines[at] = tag === null ? '' : line.slice(tag.index + tag[0].length)
    this.#hadThought = true
  }
}

function withoutThoughts(lines: string[], mayThink: boolean): Pick<ReplyLines, 'lines' | 'thoughtProblem'> {
  const thoughtProblem = mayThink ? new ThoughtEraser(lines).erase() : null
  unwrapLines(lines)
  return { lines, thoughtProblem }
}

/** Splits a reply into its lines, those of the model's thoughts blank. */
export function replyLines(text: string): ReplyLines {
  const raw = text.split('\n')
  const isEnded = raw.at(-1) === ''
  if (isEnded) raw.pop()
  if (hasMark(raw[0])) raw[0] = (raw[0] ?? '').slice(1)
  const mayThink = /<\/?(?:think|reasoning|scratchpad|thought|reflection|draft|antThinking)/i.test(text)
  if (!text.includes('\r')) {
    return { ...withoutThoughts(raw, mayThink), hasCr: () => false }
  }
  const isTransport =
    raw.length > 1 && raw.every((line, i) => line.endsWith('\r') || (!isEnded && i === raw.length - 1))
  const ends = raw.map(line => line.endsWith('\r'))
  const lines = raw.map((line, i) => (ends[i] === true ? line.slice(0, -1) : line))
  return { ...withoutThoughts(lines, mayThink), hasCr: isTransport ? () => false : line => ends[line] === true }
}
