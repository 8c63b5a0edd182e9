import { FaultlineError } from '../../core/errors.ts'
import { needUsedClone, type ProjectClone, type UsedClone } from '../clone/clone-user.ts'
import { openLocalGit, type LocalGit } from '../clone/local-git.ts'
import { isCommitId } from '../clone/refs.ts'
import type { CloneContext } from '../clone/sync.ts'
import { fetchPast } from '../remote/fetch-past.ts'
import type { UrlPolicy } from '../remote/repository-url.ts'
import { noSuchCommit } from './commit-reader.ts'
import { conflictsOf } from './merge-branch.ts'

/** A commit, and those that it may conflict with. */
export interface ConflictRequest extends ProjectClone {
  commit: string
  with: ReadonlyArray<{ branch: string; commit: string }>
}

/** What a commit conflicts with, and what it could not be compared with. */
export interface FoundConflicts {
  conflicts: Array<{ branch: string; paths: string[] }>
  /** Branches whose commit the clone does not have, or that have no past in common with it. */
  notCompared: string[]
}

/** How many ends of a past are gone on from. */
const MAX_ENDS = 4

/** A commit in its clone. */
interface Compared {
  used: UsedClone
  git: LocalGit
  commit: string
  signal: AbortSignal
}

/** Whether two commits have a past in common, which a shallow clone fetches. */
async function areRelated(
  context: CloneContext & UrlPolicy,
  { used, git, commit, signal }: Compared,
  { other, canFetch }: { other: string; canFetch: boolean },
): Promise<boolean> {
  const isEnough = async (): Promise<boolean> => (await git.run(['merge-base', commit, other])).exitCode === 0
  if (await isEnough()) return true
  if (!canFetch) return false
  /** The commits in which the past of one ends, as far as the clone knows it: they came from the remote. */
  const endsOf = async (one: string): Promise<string[]> => {
    const { stdout } = await git.run(['rev-list', '--max-parents=0', `--max-count=${MAX_ENDS}`, one])
    return stdout.toString().split('\n').filter(isCommitId)
  }
  const before = [...(await endsOf(other)), ...(await endsOf(commit))]
  return await fetchPast(context, used, { git, before, isEnough }, signal)
}

async function compareAll(
  context: CloneContext & UrlPolicy,
  compared: Compared,
  others: ConflictRequest['with'],
): Promise<FoundConflicts> {
  const { git, commit, signal } = compared
  const found: FoundConflicts = { conflicts: [], notCompared: [] }
  let canFetch = true
  for (const { branch, commit: other } of others) {
    const isThere = isCommitId(other) && (await git.commitOf(other)) !== null
    const isRelated =
      isThere &&
      (await areRelated(context, compared, { other, canFetch }).catch((error: unknown) => {
        signal.throwIfAborted()
        if (!(error instanceof FaultlineError) || error.code === 'DISK_FULL') throw error
        canFetch = false // a remote that does not answer now is not asked for each of them
        return false
      }))
    if (!isRelated) {
      found.notCompared.push(branch)
      continue
    }
    const { paths } = await conflictsOf(git, other, commit)
    if (paths.length > 0) found.conflicts.push({ branch, paths })
  }
  return found
}

/**
 * Tries to merge a commit with each of the others, without a work tree; nothing is written but objects that no ref
 * holds. Where a clone is so shallow that no common past is known, what was before is fetched, as long as the remote
 * answers.
 *
 * @throws {FaultlineError} NOT_FOUND: no such clone or commit. GIT_NOT_FOUND: git is older than 2.38.
 */
export async function findConflicts(
  context: CloneContext & UrlPolicy,
  { commit, with: others, ...of }: ConflictRequest,
  signal: AbortSignal,
): Promise<FoundConflicts> {
  await needUsedClone(context, of) // before its name is waited for, which may be none of a clone
  if (!isCommitId(commit)) throw noSuchCommit(of.repository, commit)
  const compare = async (): Promise<FoundConflicts> => {
    const used = await needUsedClone(context, of)
    const git = openLocalGit(used.gitDir, { ...context, signal })
    if ((await git.commitOf(commit)) === null) throw noSuchCommit(of.repository, commit)
    return compareAll(context, { used, git, commit, signal }, others)
  }
  return await context.mutexes.run(of.repository.toLowerCase(), compare, signal)
}
