import type { Forge, RequestState } from './forge.ts'
import { ForgeRefusal } from './forge-refusal.ts'

/** A request that somebody approved, and the commit that he saw. */
export interface RequestToMerge {
  number: number
  commit: string
  /** Of the merge commit. */
  message: string
}

/** What came of it; the commit is null where the forge does not tell. */
export interface MergedRequest {
  commit: string | null
  outcome: 'merged' | 'was_merged'
}

const refuse = (message: string, fix: string): ForgeRefusal => new ForgeRefusal(message, fix, { status: null })

/** Closes a request; one that is closed or merged stays as it is. @throws {FaultlineError} FORGE_REFUSED */
export async function closeRequest(forge: Forge, number: number, signal: AbortSignal): Promise<void> {
  if ((await forge.look(number, signal)).is === 'open') await forge.close(number, signal)
}

/** Whether a request shows the commit; some forges shorten it. */
const shows = ({ head }: RequestState, commit: string): boolean =>
  head === null || commit.toLowerCase().startsWith(head.toLowerCase())

/**
 * Merges a request that still shows the commit that was approved. Idempotent: one that is merged is merged.
 *
 * @throws {FaultlineError} FORGE_REFUSED: it is closed, a draft, shows something else, or the forge does not let it be
 * merged, as with a conflict or a check that is required.
 */
export async function mergeRequest(
  forge: Forge,
  { number, commit, message }: RequestToMerge,
  signal: AbortSignal,
): Promise<MergedRequest> {
  const now = await forge.look(number, signal)
  if (now.is === 'merged') return { commit: now.mergeCommit, outcome: 'was_merged' }
  const name = `The pull request ${number}`
  if (now.is === 'closed') throw refuse(`${name} is closed.`, 'Open it again on its page, then approve once more.')
  if (!shows(now, commit)) {
    throw refuse(
      `${name} shows ${now.head?.slice(0, 12) ?? ''} by now, and ${commit.slice(0, 12)} was approved.`,
      'Look at what came to its branch, and merge it on its page, or take those commits away.',
    )
  }
  if (now.isDraft) await forge.makeReady(number, now.title, signal)
  return { commit: await forge.merge({ number, commit, message }, signal), outcome: 'merged' }
}
