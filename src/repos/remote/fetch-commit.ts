import { access } from 'node:fs/promises'
import { join } from 'node:path'
import { FaultlineError } from '../../core/errors.ts'
import type { FetchPlan } from './fetch-plan.ts'
import type { LocalGit } from '../clone/local-git.ts'
import { isCommitId } from '../clone/refs.ts'
import { refNotFound } from './remote-refs.ts'
import type { GitProgress, RemoteSession } from './remote-session.ts'

/** A depth without limit; `--unshallow` would fail where nothing is missing. */
const ALL = 2_147_483_647
const SEARCH_DEPTHS = [100, 1_000, ALL]

interface FetchCommitOptions {
  /** Whether the clone already has history, which another fetch with a depth would cut off. */
  deep: boolean
  /** Commits that are known to be present with everything that belongs to them. */
  held: ReadonlySet<string>
  signal: AbortSignal
  onProgress: (progress: GitProgress) => void
}

interface FetchedCommit {
  commit: string
  source: string
  target: string
}

/**
 * Deletes tracking refs that cannot exist beside a new one: `a` and `a/b`. The commits in use have refs of their own.
 */
export async function dropConflicts(git: LocalGit, target: string): Promise<void> {
  if ((await git.readRef(target)) !== null) return
  const prefix = target
    .split('/')
    .slice(0, target.startsWith('refs/remotes/') ? 3 : 2)
    .join('/')
  const conflicts = (await git.refNames(prefix)).filter(
    name => name.startsWith(`${target}/`) || target.startsWith(`${name}/`),
  )
  await git.updateRefs(conflicts.map(ref => ({ ref, commit: null })))
}

/**
 * Fetches more and more of the branch's history (of every branch, when none was named) until it contains the commit.
 */
async function searchHistory(
  session: RemoteSession,
  git: LocalGit,
  plan: FetchPlan,
  { deep, signal, onProgress }: FetchCommitOptions,
): Promise<FetchedCommit> {
  const wanted = plan.wantedId ?? ''
  const name = plan.branch ?? '*'
  const source = `refs/heads/${name}`
  const target = `refs/remotes/origin/${name}`
  if (plan.branch !== null) await dropConflicts(git, target)
  for (const depth of deep ? [null, ALL] : SEARCH_DEPTHS) {
    const found = await git.commitOf(wanted)
    if (found !== null && (await git.isHeld(found))) return { commit: found, source, target }
    await session.fetch({
      gitDir: git.gitDir,
      refspecs: [`+${source}:${target}`],
      depth,
      prune: plan.branch === null,
      signal,
      onProgress,
    })
  }
  const found = await git.commitOf(wanted)
  if (found === null) throw refNotFound(session.remote, wanted)
  return { commit: found, source, target }
}

/**
 * Brings the planned commit into a clone, at depth 1 unless the clone has more. What is present is not fetched again.
 *
 * @throws {FaultlineError} REF_NOT_FOUND, BRANCH_NOT_FOUND (it was deleted meanwhile), and what a fetch throws.
 */
export async function fetchCommit(
  session: RemoteSession,
  git: LocalGit,
  plan: FetchPlan,
  options: FetchCommitOptions,
): Promise<FetchedCommit> {
  const { source, target } = plan
  await dropConflicts(git, target)
  // What a name stands for is asked for anyway where no project holds it: git takes only what it lacks.
  if (
    plan.commit !== null &&
    (options.held.has(plan.commit) || (plan.wantedId !== null && (await git.isHeld(plan.commit))))
  ) {
    if ((await git.readRef(target)) !== plan.commit) await git.updateRefs([{ ref: target, commit: plan.commit }])
    return { commit: plan.commit, source, target }
  }
  if (plan.wantedId !== null && !isCommitId(plan.wantedId)) return await searchHistory(session, git, plan, options)

  const outcome = await session.fetch({
    gitDir: git.gitDir,
    refspecs: [`+${source}:${target}`],
    depth: options.deep ? null : 1,
    ...options,
  })
  if (outcome === 'not-allowed') return await searchHistory(session, git, plan, options)
  if (outcome === 'missing') {
    if (plan.wantedId !== null) throw refNotFound(session.remote, plan.wantedId)
    throw new FaultlineError(
      'BRANCH_NOT_FOUND',
      `"${source}" of "${session.remote.url}" went away while it was fetched.`,
      'Retry the job.',
    )
  }
  const commit = await git.commitOf(target)
  if (commit !== null) return { commit, source, target }
  await git.updateRefs([{ ref: target, commit: null }])
  throw refNotFound(session.remote, plan.wantedId ?? source, 'has something other than a commit at')
}

/** Whether this clone has commits whose parents were not fetched. */
export async function isShallow(gitDir: string): Promise<boolean> {
  return await access(join(gitDir, 'shallow')).then(
    () => true,
    () => false,
  )
}
