import { safePath } from '../../core/safe-path.ts'
import { badPathProblem, replyProblem, type EditProblem, type FileBlock } from '../edit.ts'
import { withoutLineNumbers } from '../text/line-numbers.ts'
import { linesOf, type Block } from './block.ts'
import type { FileName } from './file-name.ts'
import type { ReplyLines } from './reply-lines.ts'
import { conflictProblem } from './search-replace.ts'

const NO_NEWLINE = '\\ No newline at end of file'
const MAX_LINES_SHOWN = 40

/** Reads a block that is a whole file, or says why it cannot be one. */
export function readFileBlock(
  source: ReplyLines,
  block: Block,
  { path: spelled, named, ownLine, isNew, isOfLines }: FileName,
): { file: FileBlock } | { problem: EditProblem } {
  const lines = linesOf(source.lines, block)
  const shown = lines.slice(0, MAX_LINES_SHOWN).join('\n')
  const path = safePath(spelled)
  if (path === null) return { problem: badPathProblem(spelled, shown) }
  const search = conflictProblem(lines, path)
  if (search !== null) return { problem: search }
  const numbers = withoutLineNumbers(lines, path)
  if (numbers === 'excerpt') {
    const detail =
      'These lines carry the numbers of an excerpt. Send the whole file without numbers, or a unified diff.'
    return { problem: replyProblem('malformed', detail, { path, text: shown }) }
  }
  const text = numbers ?? lines
  const noNewline = text.at(-1) === NO_NEWLINE
  const body = noNewline ? text.slice(0, -1) : text
  const content = body.map((line, i) => `${line}${source.hasCr(block.from + i) ? '\r' : ''}\n`).join('')
  return {
    file: {
      path,
      content: noNewline ? content.replace(/\r?\n$/, '') : content,
      named,
      line: block.from,
      ...(ownLine === undefined ? {} : { nameLine: ownLine }),
      ...(isNew === true ? { isNew } : {}),
      ...(isOfLines === true ? { isOfLines } : {}),
    },
  }
}
