import {
  replyProblem,
  unplacedProblem,
  type AppliedEdit,
  type EditMemory,
  type EditProblem,
  type FileBlock,
  type FileDiff,
  type ReadReply,
  type Reply,
} from '../edit.ts'
import { PartReader } from '../parts/part-reader.ts'
import { NO_RULES, type PartRules } from '../parts/read-part.ts'
import { applyBlock } from './apply-block.ts'
import { applyDiff } from './apply-diff.ts'
import { TooMuchWork } from './line-index.ts'
import type { Outcome } from './outcome.ts'
import type { Redact } from './placeholders.ts'
import { meantReply } from './meant-reply.ts'
import { openDeletions } from './open-deletions.ts'
import { isQuoted } from './quoted.ts'
import { withRecipeTabs } from './recipe-tabs.ts'
import { Workspace } from './workspace.ts'

/** The files after a reply, and what became of each of its edits. */
interface EditOutcome {
  /** Files that were made or that differ now; a renamed one under its new path. */
  changed: Map<string, string>
  /** Files that are gone, renamed ones among them. */
  deleted: string[]
  applied: AppliedEdit[]
  /** The edits that were not applied, those that could not be read among them. */
  rejected: EditProblem[]
  /** For the next turn. */
  memory: EditMemory
}

/**
 * The comparisons of lines that a reply may need for each line of it and of its files. One that needs more repeats
 * itself without end.
 */
const WORK_PER_LINE = 200
const WORK_AT_LEAST = 5_000_000
const CHARS_PER_LINE = 20

const TOO_MUCH_WORK =
  'The edits of this reply take too much looking through, as if they repeated. ' +
  'Send fewer of them, with more context.'

const inOrder = ({ files, diffs }: Reply): Array<FileBlock | FileDiff> =>
  [...files, ...diffs].sort((a, b) => a.line - b.line)

/** The number of edits of each file in a reply. Blocks that say they are a part of the file do not count. */
function editedPaths({ files, diffs }: Reply): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const path of [
    ...new Set(diffs.map(({ oldPath, newPath }) => newPath ?? oldPath ?? '')),
    ...files.filter(({ named }) => named !== 'part').map(({ path }) => path),
  ]) {
    counts.set(path, (counts.get(path) ?? 0) + 1)
  }
  return counts
}

/** A rough number of lines in the files that the edits name exactly. */
function linesOfFiles(files: ReadonlyMap<string, string>, { files: blocks, diffs }: Reply): number {
  const paths = new Set([
    ...diffs.map(({ oldPath, newPath }) => oldPath ?? newPath ?? ''),
    ...blocks.map(({ path }) => path),
  ])
  let lines = 0
  for (const path of paths) lines += (files.get(path)?.length ?? 0) / CHARS_PER_LINE
  return lines
}

/** The number of lines in hunks, and a rough one of those in blocks. */
function linesOfEdits({ files, diffs }: Reply): number {
  let lines = 0
  for (const { content } of files) lines += content.length / CHARS_PER_LINE
  for (const { hunks } of diffs) for (const hunk of hunks) lines += hunk.lines.length
  return lines
}

function pathOf(edit: FileBlock | FileDiff): string | null {
  if ('content' in edit) return edit.path
  return edit.newPath ?? edit.oldPath
}

/** Puts tabs before the commands of Makefiles. */
function putTabs(changed: Map<string, string>, files: ReadonlyMap<string, string>): void {
  for (const [path, text] of changed) changed.set(path, withRecipeTabs(path, text, files.get(path)))
}

/**
 * Applies a reply to files in the order of its text. Pure: nothing is read or written but what is given. Each hunk and
 * each file is applied whole or rejected with its reason; none stops the others. Blocks that nobody can place are
 * rejected, too, unless they quote one of the files.
 *
 * @param memory - What the turn before returned, so that edits that are sent again are not applied again.
 * @param rules - How a block that is a part of its file is told from one that is all of it.
 * @param paths - All that is there, where `files` are not all of it.
 * @param redact - How the model was shown the files: without their secrets, which are put back.
 */
export function applyEdits(
  files: ReadonlyMap<string, string>,
  sent: Reply & Partial<Pick<ReadReply, 'unplaced' | 'perhaps' | 'removals' | 'deletions' | 'kept'>>,
  { memory = { hunks: [], deleted: [] }, rules = NO_RULES, redact, paths }: ApplyOptions = {},
): EditOutcome {
  const all = { ...sent, files: [...sent.files, ...(sent.perhaps ?? []).map(({ file }) => file)] }
  const work = { left: WORK_AT_LEAST + WORK_PER_LINE * (linesOfEdits(all) + linesOfFiles(files, all)) }
  const reply = meantReply(sent, { files, paths, work })
  const workspace = new Workspace(files, { memory, work, redact })
  const applied: AppliedEdit[] = []
  const rejected: EditProblem[] = [...reply.problems]
  const { removals } = sent
  const parts = new PartReader({ files, reply, rules, work, removals, redact })
  const context = { edited: editedPaths(reply), parts }
  const excerpts: Array<NonNullable<Outcome['excerpt']>> = reply.unplaced.map(unplaced => ({
    lines: unplaced.lines,
    problem: unplacedProblem(unplaced),
  }))
  let previous: FileDiff | null = null
  for (const edit of inOrder(reply)) {
    try {
      const outcome = 'content' in edit ? applyBlock(edit, workspace, context) : applyDiff(edit, workspace, previous)
      for (const own of outcome.applied) applied.push(own)
      for (const problem of outcome.problems) rejected.push(problem)
      if (outcome.excerpt !== undefined) excerpts.push(outcome.excerpt)
    } catch (error) {
      if (!(error instanceof TooMuchWork)) throw error
      rejected.push(replyProblem('malformed', TOO_MUCH_WORK, { path: pathOf(edit) }))
    }
    if ('hunks' in edit) previous = edit
  }
  const { changed, deleted } = workspace.changes()
  putTabs(changed, files)
  const texts = [...changed.values(), ...files.values()]
  for (const { lines, problem } of excerpts) if (!isQuoted(lines, texts)) rejected.push(problem)
  rejected.push(...openDeletions(sent, { files, reply, deleted }))
  return { changed, deleted, applied, rejected, memory: workspace.memory(deleted) }
}

interface ApplyOptions {
  memory?: EditMemory
  rules?: PartRules
  redact?: Redact
  paths?: Iterable<string>
}
