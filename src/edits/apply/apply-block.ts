import type { AppliedEdit, Workspace } from './apply-edits.ts'
import { replyProblem, type EditProblem, type FileBlock } from '../edit.ts'
import { isPlaceholder } from '../text/ellipsis.ts'
import { likeFile, splitFile } from '../text/file-lines.ts'
import { CHARS_PER_WORK, spend } from './line-index.ts'
import { meantPath } from './mention.ts'

/** A block under a sentence that is smaller than this share of the file is taken for an excerpt of it. */
const WHOLE_SHARE = 0.6

/** Whether a block begins and ends as the file does, and is about as long. */
function isWhole(lines: readonly string[], before: readonly string[]): boolean {
  const isFilled = (line: string): boolean => line.trim() !== ''
  return (
    lines.length >= before.length * 0.8 &&
    lines.find(isFilled) === before.find(isFilled) &&
    lines.findLast(isFilled) === before.findLast(isFilled)
  )
}

interface Outcome {
  applied: AppliedEdit[]
  problems: EditProblem[]
}

/**
 * Writes a whole file. What may be an excerpt of a file that exists is not written: it is refused, or, where the reply
 * edits that file elsewhere, left alone as an explanation.
 *
 * @param edited - How often the reply edits each file otherwise than by a block that says it is a part.
 */
export function applyBlock(
  { path: spelled, content, named }: FileBlock,
  workspace: Workspace,
  edited: ReadonlyMap<string, number>,
): Outcome {
  const meant = meantPath(spelled, workspace)
  const path = 'path' in meant ? meant.path : spelled
  const refuse = (reason: EditProblem['reason'], detail: string): Outcome => ({
    applied: [],
    problems: [replyProblem(reason, detail, { path, text: content.slice(0, 2000) })],
  })
  if ('unclear' in meant) return refuse('no_such_file', meant.unclear)
  if (workspace.isBlocked(path)) {
    return refuse(
      'bad_path',
      `${path} cannot be a file: a folder has that name, or a file has the name of one of its folders.`,
    )
  }
  const before = workspace.read(path)
  if (before !== undefined) {
    spend(workspace.work, before.length / CHARS_PER_WORK)
    const file = splitFile(before)
    const lines = splitFile(content).lines
    const isPart =
      (named === 'part' && !isWhole(lines, file.lines)) ||
      (named === 'sentence' && lines.length < file.lines.length * WHOLE_SHARE)
    if (isPart && content !== before) {
      const isExplained = (edited.get(spelled) ?? 0) > (named === 'part' ? 0 : 1)
      return isExplained
        ? { applied: [], problems: [] }
        : refuse(
            'malformed',
            `${path} exists, and this block looks like a part of it. Send a unified diff, or the whole file with nothing but its name on the line above the fence.`,
          )
    }
    const known = new Set(file.lines)
    if (lines.some(text => isPlaceholder(text) && !known.has(text))) {
      return refuse(
        'malformed',
        `This block leaves out code of ${path} and says so in a comment. Send a unified diff, or all of the file.`,
      )
    }
  }
  workspace.write(path, before === undefined ? content : likeFile(content, splitFile(before)))
  return { applied: [{ path, hunk: null, how: 'applied' }], problems: [] }
}
