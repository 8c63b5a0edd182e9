import { FaultlineError } from '../../core/errors.ts'
import { removeLeftovers } from '../clone/clone-upkeep.ts'
import type { LocalGit } from '../clone/local-git.ts'
import type { CloneContext } from '../clone/sync.ts'
import type { WorkTreeSource } from '../work-tree/work-view.ts'
import { FETCHED_REFS } from './fetch-plan.ts'
import { originOf, standingOf } from './origin-of.ts'
import { readPastedUrl } from './pasted-url.ts'
import { openRemote, type RemoteSession } from './remote-session.ts'
import { parseRepositoryUrl, type UrlPolicy } from './repository-url.ts'

/** The commit that a person's branch is at, in the clone that was made of that person's repository. */
interface NewerRequest {
  source: WorkTreeSource
  git: LocalGit
  base: { branch: string; commit: string }
  /** Whether the clone has its history, which a fetch with a depth would cut off. */
  deep: boolean
}

/** The commit of `origin` that is ahead; null where none is. */
interface Newer {
  commit: string | null
  notes: string[]
}

/** A person waits for the task to begin. */
const ANSWER_MS = 15_000
/** How far ahead a remote is looked at, in commits. */
const DEPTHS = [100, 1_000]
const TARGET = `${FETCHED_REFS}/newer`

const stays = (...notes: string[]): Newer => ({ commit: null, notes })

const apart = (branch: string): string =>
  `"${branch}" and origin have commits that the other lacks: the base is the local branch.`

/** Fetches the branch of `origin`, until it is seen whether it goes on from the local one. */
async function fetchAhead(
  session: RemoteSession,
  { git, base, deep }: NewerRequest,
  { isAhead, signal }: { isAhead: boolean; signal: AbortSignal },
): Promise<Newer> {
  const shallow = isAhead ? [1] : DEPTHS
  for (const depth of deep ? [null] : shallow) {
    const refspecs = [`+refs/heads/${base.branch}:${TARGET}`]
    const outcome = await session.fetch({ gitDir: git.gitDir, refspecs, depth, signal })
    const commit = outcome === 'fetched' ? await git.commitOf(TARGET) : null
    if (commit === null) return stays(`"${base.branch}" of origin went away while it was fetched.`)
    if (isAhead || (await git.isAncestor(base.commit, commit))) return { commit, notes: [] }
  }
  return stays(apart(base.branch))
}

/** Compares with `origin`, in the person's repository where that knows its newest commit, else in the clone. */
async function compare(
  context: CloneContext,
  session: RemoteSession,
  request: NewerRequest,
  signal: AbortSignal,
): Promise<Newer> {
  const { source, base } = request
  const refs = await session.listRefs(signal, Math.min(ANSWER_MS, context.limits.answerMs))
  const tip = refs.branches.get(base.branch)
  if (tip === undefined) return stays(`origin has no branch "${base.branch}": the base is the local one.`)
  if (tip === base.commit) return stays()
  const standing = await standingOf(source, { commit: base.commit, to: tip }, { ...context, signal })
  if (standing === 'ahead') return stays()
  if (standing === 'apart') return stays(apart(base.branch))
  return await fetchAhead(session, request, { isAhead: standing === 'behind', signal })
}

/**
 * Looks whether `origin` of a person's repository is ahead of the local branch, and fetches it into our clone if so.
 * The address stands in a configuration that anybody may have written: it is checked as one that a client names.
 * Nothing is written into the person's repository.
 */
export async function fetchNewer(
  context: CloneContext & UrlPolicy,
  request: NewerRequest,
  signal: AbortSignal,
): Promise<Newer> {
  const { git, source, base } = request
  const url = await originOf(source, { ...context, signal })
  if (url === null) return stays(`The repository has no remote "origin": the base is the local "${base.branch}".`)
  try {
    const session = await openRemote(await parseRepositoryUrl(readPastedUrl(url).url, context), context, signal)
    return await compare(context, session, request, signal)
  } catch (error) {
    signal.throwIfAborted()
    if (!(error instanceof FaultlineError) || error.code === 'DISK_FULL') throw error
    await removeLeftovers(git.gitDir)
    return stays(`origin could not be asked, the base is the local "${base.branch}". ${error.message}`)
  } finally {
    await git.updateRefs([{ ref: TARGET, commit: null }])
  }
}
