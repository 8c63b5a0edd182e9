import { needUsedClone, type ProjectClone } from '../clone/clone-user.ts'
import { openLocalGit } from '../clone/local-git.ts'
import { isCommitId } from '../clone/refs.ts'
import type { CloneContext } from '../clone/sync.ts'
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

/**
 * Tries to merge a commit with each of the others, without a work tree; nothing is written but objects that no ref
 * holds.
 *
 * @throws {FaultlineError} NOT_FOUND: no such clone or commit. GIT_NOT_FOUND: git is older than 2.38.
 */
export async function findConflicts(
  context: CloneContext,
  { commit, with: others, ...of }: ConflictRequest,
  signal: AbortSignal,
): Promise<FoundConflicts> {
  const { gitDir } = await needUsedClone(context, of)
  if (!isCommitId(commit)) throw noSuchCommit(of.repository, commit)
  const found: FoundConflicts = { conflicts: [], notCompared: [] }
  async function compare(): Promise<void> {
    const git = openLocalGit(gitDir, { ...context, signal })
    if ((await git.commitOf(commit)) === null) throw noSuchCommit(of.repository, commit)
    for (const { branch, commit: other } of others) {
      const isThere = isCommitId(other) && (await git.commitOf(other)) !== null
      const isRelated = isThere && (await git.run(['merge-base', commit, other])).exitCode === 0
      if (!isRelated) {
        found.notCompared.push(branch)
        continue
      }
      const { paths } = await conflictsOf(git, other, commit)
      if (paths.length > 0) found.conflicts.push({ branch, paths })
    }
  }
  await context.mutexes.run(of.repository.toLowerCase(), compare, signal)
  return found
}
