import { readCloneState, writeCloneState } from '../clone/clone-state.ts'
import { removeLeftovers } from '../clone/clone-upkeep.ts'
import type { UsedClone } from '../clone/clone-user.ts'
import type { LocalGit } from '../clone/local-git.ts'
import type { CloneContext } from '../clone/sync.ts'
import { cutOffCommits, noteCutOff } from '../history/cut-off-commits.ts'
import { withinLimits } from '../limits.ts'
import { openKnownRemote } from '../uploads/uploaded-remote.ts'
import { isShallow } from './fetch-commit.ts'
import { FETCHED_REFS } from './fetch-plan.ts'
import type { UrlPolicy } from './repository-url.ts'

/** How far back a shallow clone looks, in commits. */
const DEPTHS = [100, 1_000]

/** What is fetched, and until when. */
interface Past {
  git: LocalGit
  /** Commits that the remote may have: what was before one of them after the other is fetched. */
  before: readonly string[]
  isEnough: () => Promise<boolean>
}

/**
 * Fetches what was before some commits into a shallow clone, a little at first, until it is enough.
 *
 * @returns Whether it was; false at once for a clone that is not shallow.
 */
export async function fetchPast(
  context: CloneContext & UrlPolicy,
  { gitDir, state }: UsedClone,
  { git, before, isEnough }: Past,
  outer: AbortSignal,
): Promise<boolean> {
  // a clone with its history has fetched all that leads from there to newer commits
  if (state.users.some(({ history }) => history === 'full') || !(await isShallow(gitDir))) return false
  return await withinLimits(gitDir, context.limits, outer, async signal => {
    const session = await openKnownRemote(state.url, context, signal)
    const cutOff = await cutOffCommits(gitDir)
    const known = (await readCloneState(gitDir)) ?? state // an earlier fetch of this call may have noted more
    for (const commit of before) {
      const target = `${FETCHED_REFS}/${commit}`
      for (const depth of DEPTHS) {
        const outcome = await session.fetch({ gitDir, refspecs: [`+${commit}:${target}`], depth, signal })
        if (outcome !== 'fetched') break
        await git.updateRefs([{ ref: target, commit: null }])
        await writeCloneState(gitDir, await noteCutOff(known, gitDir, cutOff))
        if (await isEnough()) return true
      }
    }
    return false
  }).catch(async (error: unknown) => {
    await removeLeftovers(gitDir)
    throw error
  })
}
