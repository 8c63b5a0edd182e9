import { chooseBranch, refNotFound, requireRefs, type RemoteRefs } from './remote-refs.ts'
import { isCommitId, isShortCommitId } from '../clone/refs.ts'
import type { RepositoryUrl } from './repository-url.ts'

/** Where commits that are no branch or tag are fetched to, until the project's ref holds them. */
export const FETCHED_REFS = 'refs/faultline-fetch'

/** What to fetch for a project, decided from the remote's refs. */
export interface FetchPlan {
  branch: string | null
  /** Full ref name at the remote, `HEAD`, or a commit id. */
  source: string
  /** Local ref to fetch it into. */
  target: string
  /** The commit that the remote advertised; null when it has to be searched in the history. */
  commit: string | null
  /** A commit id, whole or shortened, that may not be advertised. */
  wantedId: string | null
}

const branchPlan = (branch: string, commit: string | null): FetchPlan => ({
  branch,
  source: `refs/heads/${branch}`,
  target: `refs/remotes/origin/${branch}`,
  commit,
  wantedId: null,
})

function idPlan(branch: string | null, id: string): FetchPlan {
  return { branch, source: id, target: `${FETCHED_REFS}/${id}`, commit: id, wantedId: id }
}

/**
 * Decides what to fetch. A full commit id is taken as such; any other `ref` as a tag, a branch, or the shortened id of
 * one of their commits, in that order.
 *
 * @throws {FaultlineError} EMPTY_REPOSITORY, BRANCH_NOT_FOUND, REF_NOT_FOUND.
 */
export function planFetch(
  refs: RemoteRefs,
  remote: RepositoryUrl,
  wanted: { branch?: string; ref?: string },
): FetchPlan {
  requireRefs(refs, remote)
  const { ref } = wanted
  const branch = wanted.branch === undefined ? null : chooseBranch(refs, remote, wanted.branch)
  if (ref === undefined || ref === 'HEAD') {
    const tipBranch = branch ?? chooseBranch(refs, remote)
    if (tipBranch !== null) return branchPlan(tipBranch, refs.branches.get(tipBranch) ?? null)
    return { branch: null, source: 'HEAD', target: `${FETCHED_REFS}/HEAD`, commit: refs.head, wantedId: null }
  }
  if (isCommitId(ref)) return idPlan(branch, ref)
  const tagged = refs.tags.get(ref)
  if (tagged !== undefined) {
    return { branch, source: `refs/tags/${ref}`, target: `refs/tags/${ref}`, commit: tagged, wantedId: null }
  }
  const tip = refs.branches.get(ref)
  if (tip !== undefined) return branchPlan(ref, tip)
  const id = ref.toLowerCase()
  if (!isShortCommitId(id)) throw refNotFound(remote, ref)
  const advertised = new Set(
    [refs.head, ...refs.branches.values(), ...refs.tags.values()].filter(commit => commit?.startsWith(id)),
  )
  const [only] = advertised
  if (advertised.size > 1) throw refNotFound(remote, ref, 'has several commits that begin with')
  return typeof only === 'string' ? idPlan(branch, only) : { ...idPlan(branch, id), commit: null }
}
