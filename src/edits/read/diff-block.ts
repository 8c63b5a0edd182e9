import { safePath } from '../../core/safe-path.ts'
import { replyProblem, type Reply } from '../edit.ts'
import { linesOf, type Block } from './block.ts'
import { readDiffs } from './diff/read-diff.ts'
import { readEnvelope } from './read-envelope.ts'
import type { ReplyLines } from './reply-lines.ts'
import { conflictProblem } from './search-replace.ts'

const MAX_LINES_SHOWN = 40

/**
 * Reads a block of diffs.
 *
 * @param lastPath - The file that the reply named last; null for none.
 */
export function readDiffBlock(
  source: ReplyLines,
  block: Block,
  lastPath: string | null,
): Pick<Reply, 'diffs' | 'problems'> {
  const lines = linesOf(source.lines, block)
  // The comment with the name is no line of the file.
  const from = block.name?.ownLine === undefined ? 0 : 1
  const fallback = block.name?.path ?? lastPath
  const search = conflictProblem(lines, fallback)
  if (search !== null) return { diffs: [], problems: [search] }
  const text = {
    lines,
    hasCr: (line: number) => source.hasCr(block.from + line),
    end: lines.length,
    within: 'fence' as const,
  }
  const envelope = lines.findIndex(line => line.startsWith('*** Begin Patch'))
  const { diffs, problems } = envelope >= 0 ? readEnvelope(text, envelope) : readDiffs(text, from, fallback)
  if (diffs.length + problems.length === 0 && lines.some(line => line.trim() !== '')) {
    const detail = 'This diff has no hunk. A hunk begins with "@@", and its lines with "+", "-" or a blank.'
    const shown = lines.slice(0, MAX_LINES_SHOWN).join('\n')
    return { diffs, problems: [replyProblem('malformed', detail, { path: safePath(fallback ?? ''), text: shown })] }
  }
  return { diffs: diffs.map(diff => ({ ...diff, line: diff.line + block.from })), problems }
}
