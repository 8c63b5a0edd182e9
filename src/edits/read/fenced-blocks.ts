import { findFenceEnd } from './fence-end.ts'
import { contentOf, readFence } from './fence-lines.ts'
import { replyLines } from './reply-lines.ts'

/** The contents of the fences of a reply, whatever they are called. Lines end in `\n`; an open fence is left out. */
export function fencedBlocks(text: string): string[] {
  const { lines } = replyLines(text)
  const blocks: string[] = []
  for (let i = 0; i < lines.length; i++) {
    const opener = readFence(lines[i] ?? '')
    if (opener === null) continue
    const end = findFenceEnd(lines, i, { opener, content: 'other', startsBlock: () => false })
    if (!('at' in end)) break
    blocks.push(
      contentOf(lines, i + 1, { to: end.at, indent: opener.indent })
        .map(line => `${line}\n`)
        .join(''),
    )
    i = end.at
  }
  return blocks
}
