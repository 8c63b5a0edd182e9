import { lowerBaseName } from '../../core/path-names.ts'
import { isDeletion, isUnplaced, type AppliedEdit, type EditProblem, type ReadReply } from '../edit.ts'

/** The share of the lines of a block that nobody could place which an edit must have to be that block. */
const SHARE_SENT_AGAIN = 0.5

type Sent = Pick<ReadReply, 'files' | 'diffs' | 'perhaps' | 'notFiles' | 'kept'>

const NOTHING_SENT: Sent = { files: [], diffs: [], perhaps: [], notFiles: 0, kept: [] }

/**
 * The lines of all edits of a reply, without blanks around them; those of blocks below a bare word, where one of these
 * files is called so.
 */
function linesOf({ files, diffs, perhaps }: Sent, paths: readonly string[]): ReadonlySet<string> {
  const lines = new Set<string>()
  const meant = perhaps.flatMap(({ file }) => (paths.some(path => `/${path}`.endsWith(`/${file.path}`)) ? [file] : []))
  for (const { content } of [...files, ...meant]) for (const line of content.split('\n')) lines.add(line.trim())
  for (const { hunks } of diffs) {
    for (const hunk of hunks) for (const { text } of hunk.lines) lines.add(text.trim())
  }
  return lines
}

/** Whether a block that nobody could place came again as an edit. */
function cameAgain({ hunkText }: EditProblem, sent: ReadonlySet<string>): boolean {
  const own = hunkText
    .split('\n')
    .map(line => line.trim())
    .filter(line => line !== '')
  return own.filter(line => sent.has(line)).length >= own.length * SHARE_SENT_AGAIN
}

const partsOf = (path: string): string[] =>
  path
    .toLowerCase()
    .replace(/^(?:\.\/)+/, '')
    .split('/')

/**
 * Whether an edit may be the one that had a problem, by its path: the same, or one with more or fewer folders in front.
 * Where the folder itself was wrong, another one with the same file is what was asked for.
 */
function isSameFile({ path, reason }: EditProblem, other: string): boolean {
  if (path === null || reason === 'no_such_file' || reason === 'bad_path') return true
  const [own, named] = [partsOf(path), partsOf(other)]
  const shared = Math.min(own.length, named.length)
  return own.slice(-shared).join('/') === named.slice(-shared).join('/')
}

/**
 * The problems that are still open after a turn in which the model was asked to repeat the rejected edits: those of
 * this turn, and the earlier ones of a file beyond the number of its edits now. A problem that names no file is settled
 * by any edit; that of a block which nobody could place by one with its lines. The words NOT A FILE settle all of these
 * blocks when they stand there once for each: said less often, nothing tells of which they are said. A file that was
 * said to go stays by a line KEPT with its path.
 *
 * @param before - Problems of the turns before.
 */
export function openProblems(
  before: readonly EditProblem[],
  {
    applied,
    rejected,
    reply = NOTHING_SENT,
  }: { applied: readonly AppliedEdit[]; rejected: readonly EditProblem[]; reply?: Sent },
): EditProblem[] {
  const paths = [...applied, ...rejected].flatMap(({ path }) => (path === null ? [] : [path]))
  const sent = before.some(isUnplaced) ? linesOf(reply, paths) : new Set<string>()
  const again = new Set(rejected.filter(isUnplaced).map(({ hunkText }) => hunkText))
  const tries = Map.groupBy(paths, lowerBaseName)
  const left = before.filter(problem => {
    const { path } = problem
    if (isUnplaced(problem)) return !cameAgain(problem, sent) && !again.has(problem.hunkText)
    if (isDeletion(problem) && reply.kept.some(name => isSameFile(problem, name))) return false
    if (path === null) return applied.length + rejected.length === 0
    const named = tries.get(lowerBaseName(path)) ?? []
    const at = named.findIndex(other => isSameFile(problem, other))
    if (at !== -1) named.splice(at, 1)
    return at === -1
  })
  const open = [...left, ...rejected]
  const unplaced = open.filter(isUnplaced).length
  return reply.notFiles < unplaced ? open : open.filter(problem => !isUnplaced(problem))
}
