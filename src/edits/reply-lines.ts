export interface ReplyLines {
  /** Without their ends. */
  lines: string[]
  /** Whether a line ended `\r\n`; all false where every line does: then the ends are of the transport and say nothing about a file. */
  hasCr: (line: number) => boolean
  /** A thought begins and does not end. */
  cutInThought: boolean
}

const THOUGHT_BEGINS = /^\s*<(think|thinking)>/i

const hasMark = (line: string | undefined): boolean => line?.startsWith('\uFEFF') === true

/** The lines of a reply without the model's thoughts. One pass. */
export function replyLines (text: string): ReplyLines {
  const raw = text.split('\n')
  const last = raw.length - 1
  if (hasMark(raw[0])) raw[0] = (raw[0] ?? '').slice(1)
  if (!text.includes('\r')) return { lines: raw, hasCr: () => false, cutInThought: /<\/?think/i.test(text) && blankThoughts(raw) }
  const isTransport = raw.length > 1 && raw.every((line, i) => line.endsWith('\r') || (i === last && line === ''))
  const ends = raw.map(line => line.endsWith('\r'))
  const lines = raw.map((line, i) => ends[i] === true ? line.slice(0, -1) : line)
  const cutInThought = blankThoughts(lines)
  return { lines, hasCr: isTransport ? () => false : line => ends[line] === true, cutInThought }
}

/** Blanks the lines of thoughts, so that lines keep their numbers. A thought begins a reply or a line outside of fences; some servers leave out where it begins. */
function blankThoughts (lines: string[]): boolean {
  const first = lines.findIndex(line => line.trim() !== '')
  if (first < 0) return false
  const orphan = THOUGHT_BEGINS.test(lines[first] ?? '') ? -1 : lines.findIndex(line => /^\s*<\/think(?:ing)?>/i.test(line))
  if (orphan >= 0 && !lines.slice(0, orphan).some(line => /<think(?:ing)?>/i.test(line))) endThought(lines, { from: 0, at: orphan })
  let fence: string | null = null
  for (let i = 0; i < lines.length; i++) {
    const line = lines[i] ?? ''
    const mark = /^\s*(`{3,}|~{3,})/.exec(line)?.[1]
    if (mark !== undefined) fence = fence === null ? mark : mark.startsWith(fence) && line.trim() === mark ? null : fence
    if (fence !== null || !THOUGHT_BEGINS.test(line)) continue
    const end = findEnd(lines, i)
    if (end < 0) {
      lines.fill('', i)
      return true
    }
    endThought(lines, { from: i, at: end })
    i = end - 1 // the rest of that line may begin another one
  }
  return false
}

function findEnd (lines: readonly string[], from: number): number {
  for (let i = from; i < lines.length; i++) {
    if (/<\/think(?:ing)?>/i.test(lines[i] ?? '')) return i
  }
  return -1
}

function endThought (lines: string[], { from, at }: { from: number, at: number }): void {
  const line = lines[at] ?? ''
  const tag = /<\/think(?:ing)?>/i.exec(line)
  lines.fill('', from, at)
  lines[at] = tag === null ? '' : line.slice(tag.index + tag[0].length)
}
