import { lowerBaseName } from '../../../core/path-names.ts'
import { applyEdits } from '../../../edits/apply/apply-edits.ts'
import { replyProblem, type EditMemory, type EditProblem, type ReadReply } from '../../../edits/edit.ts'
import { readAsked } from '../../../edits/parts/asked.ts'
import type { OutlineFile } from '../../../edits/parts/units/units-of.ts'
import { openProblems } from '../../../edits/write/open-problems.ts'
import type { JobContext } from '../../../jobs/job-context.ts'
import { addChanges, currentFiles, type BaseFiles, type Changes } from '../base/base-files.ts'
import type { AskModel } from './ask-model.ts'
import { blockedPaths, refusals, withoutEdits } from './refused-edits.ts'

/** What a turn came to, as its step keeps it. */
export type Turn = {
  changes: Changes
  touched: string[]
  memory: EditMemory
  open: EditProblem[]
  refused: EditProblem[]
  /** What the replies say in words, so far. */
  said: string[]
}

/** How a reply is applied. */
interface ApplyOptions extends Pick<AskModel, 'redact'> {
  base: BaseFiles
  /** Paths that the model was shown, in this order. */
  shown: readonly string[]
  /** Why a file may not be changed; null for one that may. */
  refusal: (path: string) => Promise<string | null>
  /** What a file defines: a block that lacks some of it is no whole file. */
  outline: OutlineFile
  /** The words of a person who may have asked to remove something; '' where nobody could. */
  asked: string
  /** Files of which nothing has to stay; default: none. */
  anew?: readonly string[]
  before: Turn
  /** Whether a reply without any edit is a problem. */
  isFirst: boolean
}

const NOTHING = 'The reply holds no edit: no unified diff, and no file with its name above its content.'

/** What there is before the first reply. */
export const firstTurn = (changes: Changes): Turn => ({
  changes,
  touched: [],
  memory: { hunks: [], deleted: [] },
  open: [],
  refused: [],
  said: [],
})

/** The files that a reply may mean: those shown, and whatever bears one of its names. */
function namedFiles(
  { files, diffs, perhaps, deletions }: ReadReply,
  { shown, all }: { shown: readonly string[]; all: readonly string[] },
): Set<string> {
  const names = new Set(
    [
      ...[...files, ...perhaps.map(({ file }) => file)].map(({ path }) => path),
      ...deletions.map(({ path }) => path),
      ...diffs.flatMap(({ oldPath, newPath }) => [oldPath, newPath].filter(path => path !== null)),
    ].map(lowerBaseName),
  )
  return new Set([...shown, ...all.filter(path => names.has(lowerBaseName(path)))])
}

/** Files that edits were for which could not be made: where nobody may change them, no other edit would help. */
const pathsOf = (problems: readonly EditProblem[]): string[] =>
  problems.flatMap(({ path }) => (path === null ? [] : [path]))

/**
 * Applies a reply to the files as they are now: what fits is put among the job's files, what does not is named with its
 * reason. For a step, whose output it is.
 */
export async function applyReply(
  job: Pick<JobContext, 'files'>,
  reply: ReadReply,
  { base, shown, refusal, outline, asked, anew = [], redact, before, isFirst }: ApplyOptions,
): Promise<Turn> {
  const current = currentFiles(job, base, before.changes)
  const paths = await current.paths()
  const files = await current.readAll(namedFiles(reply, { shown, all: paths }))
  const rules = { outline, asked: readAsked(asked), anew: new Set(anew) }
  const options = { memory: before.memory, rules, redact, paths }
  const all = applyEdits(files, reply, options)
  const refused = new Map([
    ...blockedPaths(paths, all),
    ...(await refusals([...all.changed.keys(), ...all.deleted, ...pathsOf(all.rejected)], refusal)),
  ])
  const { changed, deleted, applied, rejected, memory } =
    refused.size === 0 ? all : applyEdits(files, withoutEdits(reply, { of: refused, known: files }), options)
  for (const path of refused.keys()) changed.delete(path)
  const gone = deleted.filter(path => !refused.has(path))
  const nothing =
    isFirst && refused.size + applied.length + rejected.length === 0 ? [replyProblem('malformed', NOTHING)] : []
  await job.files.put(new Map<string, string | null>([...changed, ...gone.map(path => [path, null] as const)]))
  const refusedBefore = before.refused.filter(({ path }) => path === null || !refused.has(path))
  return {
    changes: addChanges(before.changes, { changed: [...changed.keys()], deleted: gone }),
    touched: [...new Set([...before.touched, ...changed.keys(), ...gone])],
    memory,
    open: openProblems(before.open, { applied, rejected: [...rejected, ...nothing], reply }),
    refused: [...refusedBefore, ...Array.from(refused, ([path, reason]) => replyProblem('bad_path', reason, { path }))],
    said: reply.prose === '' ? before.said : [...before.said, reply.prose],
  }
}
