import { safePath } from '../../core/safe-path.ts'
import { replyProblem, type EditProblem } from '../edit.ts'

const BEGIN = /^<{5,9}(?: |$)/
const MIDDLE = /^={5,9}\s*$/
const END = /^>{5,9}(?: |$)/
/** The beginning of such a block where no fence is around it. */
const BEGIN_IN_PROSE = /^<{5,9} ?(?:SEARCH|ORIGINAL|HEAD)\b/
const MAX_LINES_SHOWN = 40

/** Whether a line outside of fences begins a block of SEARCH and REPLACE. */
export const beginsSearchReplace = (line: string): boolean => BEGIN_IN_PROSE.test(line)

/** The line at which the block that begins here ends; the last one before `to` where it does not. */
export function searchReplaceEnd(lines: readonly string[], at: number, to: number): number {
  let end = at
  while (end < to - 1 && !END.test(lines[end] ?? '')) end++
  return end
}

/** The problem of lines that hold a block of SEARCH and REPLACE or the marks of a conflict; null for any others. */
export function searchReplaceProblem(lines: readonly string[], path: string | null): EditProblem | null {
  const at = lines.findIndex(line => BEGIN.test(line))
  if (at < 0) return null
  const rest = lines.slice(at + 1)
  if (!rest.some(line => MIDDLE.test(line)) || !rest.some(line => END.test(line))) return null
  return replyProblem(
    'malformed',
    'Blocks of SEARCH and REPLACE, and marks of a conflict, are not read. Send a unified diff, or all of the file.',
    { path: path === null ? null : safePath(path), text: lines.slice(at, at + MAX_LINES_SHOWN).join('\n') },
  )
}

/** The problem of a block of SEARCH and REPLACE outside of fences. */
export function bareSearchReplaceProblem(
  lines: readonly string[],
  { at, end, path }: { at: number; end: number; path: string | null },
): EditProblem {
  const problem = searchReplaceProblem(lines.slice(at, end + 1), path)
  if (problem !== null) return problem
  return replyProblem(
    'truncated',
    'This block of SEARCH and REPLACE does not end, and such blocks are not read. ' +
      'Send a unified diff, or all of the file.',
    { text: lines.slice(at, at + MAX_LINES_SHOWN).join('\n') },
  )
}
