import { replyProblem, type EditProblem, type FileBlock } from '../edit.ts'
import type { PartReader } from '../parts/part-reader.ts'
import { likeFile, splitFile } from '../text/file-lines.ts'
import { makeFile } from './create-file.ts'
import { CHARS_PER_WORK, spend } from './line-index.ts'
import { meantPath } from './mention.ts'
import { done, refused, type Outcome } from './outcome.ts'
import { lostSecret } from './placeholders.ts'
import type { Workspace } from './workspace.ts'

/** A block under a sentence that is smaller than this share of the file is taken for an excerpt of it. */
const WHOLE_SHARE = 0.6
/** The least share of the file for a block that begins and ends as the file does to be all of it. */
const WHOLE_SHARE_WITH_ENDS = 0.8
const MAX_CHARS_SHOWN = 2000

const isFilled = (line: string): boolean => line.trim() !== ''

/** Whether a block begins and ends as the file does, and is about as long. */
const isWhole = (lines: readonly string[], before: readonly string[]): boolean =>
  lines.length >= before.length * WHOLE_SHARE_WITH_ENDS &&
  lines.find(isFilled) === before.find(isFilled) &&
  lines.findLast(isFilled) === before.findLast(isFilled)

/** Whether a block may be an excerpt of the file that is there, by the words above it and by its length. */
function isPart(named: FileBlock['named'], lines: readonly string[], before: readonly string[]): boolean {
  if (named === 'part') return !isWhole(lines, before)
  return named === 'sentence' && lines.length < before.length * WHOLE_SHARE
}

/** What is known of the reply that a block stands in. */
interface BlockContext {
  /** The number of edits of each file in the reply, without blocks that say they are a part of it. */
  edited: ReadonlyMap<string, number>
  parts: PartReader
}

/** The content of a block without the comment that names the file, which does not have it. */
function withoutNameLine(content: string, nameLine: string, before: string): string {
  if (before.includes(nameLine.trim())) return content
  const at = content.indexOf(nameLine)
  const end = content.indexOf('\n', at) + 1
  const rest = content.slice(end)
  return content.slice(0, at) + (/^\s/.test(before) ? rest : rest.replace(/^(?:[ \t]*\r?\n)+/, ''))
}

/**
 * Writes a whole file, or the definitions of a part of one where their places are certain. What may be an excerpt of a
 * file that exists is not written: it is refused, or, where the reply edits that file elsewhere, left alone as an
 * explanation.
 */
export function applyBlock(
  { path: spelled, content: sent, named, nameLine, isShown }: FileBlock,
  workspace: Workspace,
  { edited, parts }: BlockContext,
): Outcome {
  const meant = meantPath(spelled, workspace)
  const path = 'path' in meant ? meant.path : spelled
  const before = workspace.read(path)
  const shown = nameLine === undefined || before === undefined ? sent : withoutNameLine(sent, nameLine, before)
  const text = shown.slice(0, MAX_CHARS_SHOWN)
  const refuse = (reason: EditProblem['reason'], detail: string): Outcome =>
    refused(replyProblem(reason, detail, { path, text }))
  if ('unclear' in meant) return refuse('no_such_file', meant.unclear)
  if (before === undefined) return makeFile({ path, content: shown, text }, workspace)
  spend(workspace.work, before.length / CHARS_PER_WORK)
  const file = splitFile(before)
  const { restored: content, lost } = workspace.placeholders.inBlock(shown, before)
  const { lines } = splitFile(content)
  if (isPart(named, lines, file.lines) && content !== before) {
    const otherEdits = (edited.get(spelled) ?? 0) - (named === 'part' ? 0 : 1)
    const problem = replyProblem(
      'malformed',
      `${path} exists, and this block looks like a part of it. Send a unified diff, ` +
        'or the whole file with nothing but its name on the line above the fence.',
      { path, text },
    )
    if (otherEdits <= 0) return refused(problem)
    return isShown === true ? { applied: [], problems: [] } : { applied: [], problems: [], excerpt: { lines, problem } }
  }
  if (lost !== undefined) return refuse('malformed', lostSecret(lost))
  const part = parts.read({ path, before, content })
  if ('refused' in part) return refuse('malformed', part.refused)
  workspace.write(path, 'placed' in part ? part.placed.text : likeFile(content, file))
  return done(path)
}
