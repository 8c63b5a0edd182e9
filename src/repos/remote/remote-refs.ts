import { FaultlineError } from '../../core/errors.ts'
import { isCommitId, isRefName, nearNames } from '../clone/refs.ts'
import type { RepositoryUrl } from './repository-url.ts'

/** The output of `git ls-remote --symref`: names to commit ids, annotated tags already followed to their commit. */
export interface RemoteRefs {
  head: string | null
  /** Branch that HEAD points to; null when HEAD is detached or missing. */
  defaultBranch: string | null
  branches: Map<string, string>
  tags: Map<string, string>
  /** Heads of pull and merge requests, by the full names that forges give them. */
  pulls: Map<string, string>
  /** What a person's repository knows of the remote `origin` that it was cloned from. */
  origin: {
    defaultBranch: string | null
    branches: Map<string, string>
  }
}

const PULL = /^refs\/(?:pull|merge-requests)\/[0-9]{1,10}\/head$/

const ORIGIN = 'refs/remotes/origin/'

const usable = (name: string): string | null => (isRefName(name) ? name : null)

function add(map: Map<string, string>, name: string, commit: string): void {
  if (isRefName(name)) map.set(name, commit)
}

/**
 * Reads the output of `git ls-remote --symref`.
 *
 * @throws {FaultlineError} CLONE_FAILED: the repository names its objects by SHA-256.
 */
export function parseRemoteRefs(output: string, remote: RepositoryUrl): RemoteRefs {
  const refs: RemoteRefs = {
    head: null,
    defaultBranch: null,
    branches: new Map(),
    tags: new Map(),
    pulls: new Map(),
    origin: { defaultBranch: null, branches: new Map() },
  }
  for (const line of output.split('\n')) {
    const tab = line.indexOf('\t')
    if (tab < 0) continue
    const value = line.slice(0, tab)
    const name = line.slice(tab + 1)
    if (name === 'HEAD' && value.startsWith('ref: refs/heads/')) {
      refs.defaultBranch = usable(value.slice('ref: refs/heads/'.length))
    }
    if (name === `${ORIGIN}HEAD` && value.startsWith(`ref: ${ORIGIN}`)) {
      refs.origin.defaultBranch = usable(value.slice(`ref: ${ORIGIN}`.length))
    }
    if (/^[0-9a-f]{64}$/.test(value)) {
      throw new FaultlineError(
        'CLONE_FAILED',
        `The repository "${remote.url}" uses SHA-256 object names, which cannot be read yet.`,
        'Clone a copy of it that uses SHA-1.',
      )
    }
    if (!isCommitId(value)) continue
    if (name === 'HEAD') refs.head = value
    else if (name.startsWith('refs/heads/')) add(refs.branches, name.slice('refs/heads/'.length), value)
    else if (name.startsWith('refs/tags/')) {
      add(refs.tags, name.slice('refs/tags/'.length).replace(/\^\{\}$/, ''), value)
    } // ^{} comes after the tag itself
    else if (name.startsWith(ORIGIN)) add(refs.origin.branches, name.slice(ORIGIN.length), value)
    else if (PULL.test(name)) refs.pulls.set(name, value)
  }
  return refs
}

/** The error for a repository in which nothing can be read yet. */
export const emptyRepository = (remote: RepositoryUrl): FaultlineError =>
  new FaultlineError(
    'EMPTY_REPOSITORY',
    `The repository "${remote.url}" has no commits yet.`,
    'Push a commit, then clone again.',
  )

/**
 * Checks that the remote has any commit.
 *
 * @throws {FaultlineError} EMPTY_REPOSITORY
 */
export function requireRefs(refs: RemoteRefs, remote: RepositoryUrl): void {
  if (refs.head === null && refs.branches.size === 0 && refs.tags.size === 0) throw emptyRepository(remote)
}

function nearBranches(refs: RemoteRefs, wanted: string): string {
  const near = nearNames(wanted, [...refs.branches.keys()])
  return near.length === 0
    ? 'The repository has no branches.'
    : `Name one of its branches, for example: ${near.join(', ')}.`
}

/**
 * The branch to use: the requested one, else the remote's default branch; null when the remote's HEAD is detached.
 *
 * @throws {FaultlineError} BRANCH_NOT_FOUND.
 */
export function chooseBranch(refs: RemoteRefs, remote: RepositoryUrl, wanted?: string): string | null {
  if (wanted !== undefined) {
    if (refs.branches.has(wanted)) return wanted
    throw new FaultlineError(
      'BRANCH_NOT_FOUND',
      `The repository "${remote.url}" has no branch "${wanted}".`,
      nearBranches(refs, wanted),
    )
  }
  if (refs.defaultBranch !== null && refs.branches.has(refs.defaultBranch)) return refs.defaultBranch
  if (refs.head !== null) return null
  const only =
    refs.branches.size === 1 ? [...refs.branches.keys()] : ['main', 'master'].filter(name => refs.branches.has(name))
  if (only[0] !== undefined) return only[0]
  throw new FaultlineError(
    'BRANCH_NOT_FOUND',
    `The default branch of "${remote.url}" does not exist.`,
    nearBranches(refs, refs.defaultBranch ?? 'main'),
  )
}

/** The error for a ref that the remote lacks, with similar names. */
export function refNotFound(
  remote: RepositoryUrl,
  ref: string,
  reason = 'has no commit, tag or branch',
): FaultlineError {
  return new FaultlineError(
    'REF_NOT_FOUND',
    `The repository "${remote.url}" ${reason} "${ref}".`,
    'Give a commit id that was pushed there, a tag or a branch.',
  )
}
