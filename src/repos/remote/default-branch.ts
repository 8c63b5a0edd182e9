import { chooseBranch, requireRefs, type RemoteRefs } from './remote-refs.ts'
import type { RepositoryUrl } from './repository-url.ts'

/** The branch that work begins from and goes into, and where it is fetched from. */
export interface DefaultBranch {
  branch: string
  commit: string
  /** Full name of the ref that holds it at the remote. */
  source: string
  /** What a person should know about the choice. */
  note: string | null
}

const localBranch = (branch: string, commit: string, note: string | null = null): DefaultBranch => ({
  branch,
  commit,
  source: `refs/heads/${branch}`,
  note,
})

/** The branch that `origin` of a person's repository calls its default one, where that repository lacks it. */
function trackedBranch({ origin, branches }: RemoteRefs): DefaultBranch | null {
  const name = origin.defaultBranch
  const commit = name === null ? undefined : origin.branches.get(name)
  if (name === null || commit === undefined || branches.has(name)) return null
  return {
    branch: name,
    commit,
    source: `refs/remotes/origin/${name}`,
    note: `The repository has no branch "${name}" of its own: the base is what it last fetched of origin.`,
  }
}

/**
 * The default branch of a remote: what its HEAD names, then `main`, then `master`. In a person's repository HEAD is
 * whatever is checked out: there `refs/remotes/origin/HEAD` counts, and HEAD last of all.
 *
 * @throws {FaultlineError} EMPTY_REPOSITORY, BRANCH_NOT_FOUND
 */
export function findDefaultBranch(
  refs: RemoteRefs,
  { remote, isWorkTree }: { remote: RepositoryUrl; isWorkTree: boolean },
): DefaultBranch {
  requireRefs(refs, remote)
  const tracked = isWorkTree ? trackedBranch(refs) : null
  if (tracked !== null) return tracked
  const first = isWorkTree ? refs.origin.defaultBranch : refs.defaultBranch
  for (const name of [first, 'main', 'master']) {
    const commit = refs.branches.get(name ?? '')
    if (name !== null && commit !== undefined) return localBranch(name, commit)
  }
  const wanted = refs.defaultBranch ?? 'main'
  const name = chooseBranch(refs, remote, refs.branches.size === 1 ? undefined : wanted)
  const [only = 'main'] = refs.branches.keys()
  const branch = name ?? only
  const note = `No default branch is known: neither origin/HEAD nor main nor master is there; "${branch}" is taken.`
  return localBranch(branch, refs.branches.get(branch) ?? '', isWorkTree ? note : null)
}
