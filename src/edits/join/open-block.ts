import { nameAbove, openBlock, type OpenBlock } from '../read/block.ts'
import { findFenceEnd } from '../read/fence-end.ts'
import { readFence } from '../read/fence-lines.ts'
import { replyLines } from '../read/reply-lines.ts'

/** How the last fence of a text stands at its end: closed (or there is none), open, or nobody can tell. */
type LastFence = { closed: true } | { open: OpenBlock & { at: number } } | { doubtful: true }

/** Walks over the blocks of a reply to the one that is still open at its end, with the line of its fence. */
export function lastFenceOf(text: string): LastFence {
  const { lines } = replyLines(text)
  let floor = 0
  for (let at = 0; at < lines.length; at++) {
    const fence = readFence(lines[at] ?? '')
    if (fence === null) continue
    const opened = openBlock(lines, at, { fence, floor })
    const inside = at + 1
    const end = findFenceEnd(lines, at, {
      opener: fence,
      content: opened.content,
      startsBlock: line => nameAbove(lines, line, { floor: inside, language: '' })?.named === 'line',
    })
    if ('doubtful' in end) return { doubtful: true }
    if ('unclosed' in end) return { open: { ...opened, at } }
    at = end.at
    floor = at + 1
  }
  return { closed: true }
}
