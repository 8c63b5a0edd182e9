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

/**
 * Closes a request that is open; one that is closed or merged stays as it is.
 *
 * @returns What it was before.
 * @throws {FaultlineError} FORGE_REFUSED
 */
export async function closeRequest(forge: Forge, number: number, signal: AbortSignal): Promise<RequestState['is']> {
  const { is } = await forge.look(number, signal)
  if (is === 'open') await forge.close(number, signal)
  return is
}

/** Refuses a request that shows another commit than the approved one; some forges shorten it. */
function requireShown({ is, head }: RequestState, { number, commit }: Pick<RequestToMerge, 'number' | 'commit'>): void {
  if (head === null || commit.toLowerCase().startsWith(head.toLowerCase())) return
  const [name, shown, approved] = [`The pull request ${number}`, head.slice(0, 12), commit.slice(0, 12)]
  if (is === 'merged') {
    throw refuse(
      `${name} was merged with ${shown}, and ${approved} was approved.`,
      'Look at what was merged, and deploy or revert it by hand; then reject the feature, which leaves that merge.',
    )
  }
  throw refuse(
    `${name} shows ${shown} by now, and ${approved} was approved.`,
    'Look at what came to its branch, and merge it on its page, or take those commits away.',
  )
}

/**
 * Merges a request that still shows the commit that was approved. Idempotent: one that was merged with that commit is
 * merged.
 *
 * @throws {FaultlineError} FORGE_REFUSED: it is closed, a draft, shows something else or was merged with it, or the
 * forge does not let it be merged, as with a conflict or a check that is required.
 */
export async function mergeRequest(
  forge: Forge,
  { number, commit, message }: RequestToMerge,
  signal: AbortSignal,
): Promise<MergedRequest> {
  const approved = { number, commit }
  const now = await forge.look(number, signal)
  if (now.is === 'closed') {
    throw refuse(`The pull request ${number} is closed.`, 'Open it again on its page, then approve once more.')
  }
  requireShown(now, approved)
  if (now.is === 'merged') return { commit: now.mergeCommit, outcome: 'was_merged' }
  if (now.isDraft) {
    await forge.makeReady(number, now.title, signal)
    requireShown(await forge.look(number, signal), approved)
  }
  const merged = await forge.merge({ number, commit, message }, signal)
  if (!forge.mergesShown) requireShown(await forge.look(number, signal), approved)
  return { commit: merged, outcome: 'merged' }
}
