import { chooseBranch, refNotFound, requireRefs, type RemoteRefs } from './remote-refs.ts'
import { isCommitId, isRefName, isShortCommitId } from '../clone/refs.ts'
import type { RepositoryPage } from './pasted-url.ts'
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

/** What a request names of a remote. */
export interface Wanted {
  branch?: string
  ref?: string
  /** The page of the repository that was pasted; `branch` and `ref` take precedence. */
  page?: RepositoryPage | null
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

/** Where a branch, tag or commit ends in the address of a page: the longest name that the remote has. */
function nameLength(segments: readonly string[], { branches, tags }: RemoteRefs): number {
  for (let length = segments.length; length > 0; length--) {
    const name = segments.slice(0, length).join('/')
    if (branches.has(name) || tags.has(name)) return length
  }
  return 1
}

/** A folder below the root, as it stands behind the name in the address of a page; null for the root. */
function folderBehind(segments: readonly string[], length: number): string | null {
  return segments.length > length ? segments.slice(length).join('/') : null
}

/**
 * What the address of a page means, where the request itself says nothing of it.
 *
 * @returns The folder that the page shows; null for the root, and where it shows no folder.
 */
export function readPage({ page = null, ...wanted }: Wanted, refs: RemoteRefs): Wanted & { folder: string | null } {
  const named = wanted.ref ?? wanted.branch
  if (page?.kind !== 'place') {
    if (page === null || named !== undefined) return { ...wanted, folder: null }
    if (page.kind === 'pull') return { page, folder: null }
    return { ref: page.kind === 'tag' ? page.tag : page.commit, folder: null }
  }
  const { segments, isFolder } = page
  const isNamed = named !== undefined && `${segments.join('/')}/`.startsWith(`${named}/`)
  const length = isNamed ? named.split('/').length : nameLength(segments, refs)
  const folder = isFolder ? folderBehind(segments, length) : null
  if (named !== undefined) return { ...wanted, folder }
  const name = segments.slice(0, length).join('/')
  return refs.branches.has(name) ? { branch: name, folder } : { ref: name, folder }
}

/** The head of a pull or merge request. */
function pullPlan(source: string, { pulls }: RemoteRefs, remote: RepositoryUrl): FetchPlan {
  const commit = pulls.get(source)
  if (commit === undefined) throw refNotFound(remote, source, 'keeps no')
  const target = `${FETCHED_REFS}/${source.split('/').slice(1, 3).join('-')}`
  return { branch: null, source, target, commit, wantedId: null }
}

/** The newest commit of a branch, or what the remote's HEAD stands for. */
function tipPlan(branch: string | null, refs: RemoteRefs, remote: RepositoryUrl): FetchPlan {
  const tipBranch = branch ?? chooseBranch(refs, remote)
  if (tipBranch !== null) return branchPlan(tipBranch, refs.branches.get(tipBranch) ?? null)
  return { branch: null, source: 'HEAD', target: `${FETCHED_REFS}/HEAD`, commit: refs.head, wantedId: null }
}

/**
 * Decides what to fetch. A full commit id is taken as such; any other `ref` as a tag, a branch, or the shortened id of
 * one of their commits, in that order.
 *
 * @throws {FaultlineError} EMPTY_REPOSITORY, BRANCH_NOT_FOUND, REF_NOT_FOUND.
 */
export function planFetch(refs: RemoteRefs, remote: RepositoryUrl, wanted: Wanted): FetchPlan {
  requireRefs(refs, remote)
  const { ref, page } = wanted
  if (page?.kind === 'pull') return pullPlan(page.source, refs, remote)
  const branch = wanted.branch === undefined ? null : chooseBranch(refs, remote, wanted.branch)
  if (ref === undefined || ref === 'HEAD') return tipPlan(branch, refs, remote)
  if (isCommitId(ref)) return idPlan(branch, ref)
  if (!isRefName(ref)) throw refNotFound(remote, ref) // of a page: what clients name is checked before
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
