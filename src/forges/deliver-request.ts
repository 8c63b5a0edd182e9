import type { FaultlineError } from '../core/errors.ts'
import type { Forge, PullRequest } from './forge.ts'
import { ForgeRefusal, isRefusedWith, mayHaveWorked } from './forge-refusal.ts'

/** A pushed branch, and what its request is to say. */
export interface RequestToDeliver {
  head: string
  /** Null: the branch that the forge has by default. */
  base: string | null
  title: string
  body: string
  isDraft: boolean
  /** The word in the text of an earlier request for the same; null where there can be none. */
  word: string | null
}

/** What became of it. */
export interface DeliveredRequest {
  number: number
  url: string
  /**
   * `joined`: an earlier request for the same fault has the new commits; `beside`: it only tells of them, as its branch
   * holds those of others.
   */
  outcome: 'opened' | 'updated' | 'joined' | 'beside'
}

/** Puts the new commits on the branch of an earlier request. @returns whether that was possible. */
export type JoinEarlier = (branch: string, signal: AbortSignal) => Promise<boolean>

const withNotice = (body: string, head: string): string =>
  `> A newer fix of the same fault is on the branch \`${head}\`; this branch holds commits of others, so that it was ` +
  `not put here. What follows describes the newer fix.\n\n${body}`

/** Why a request cannot be opened, where a branch of it is missing; the refusal itself where none is. */
async function explained(
  forge: Forge,
  { head, base }: { head: string; base: string },
  refusal: ForgeRefusal,
  signal: AbortSignal,
): Promise<FaultlineError> {
  const { status, message } = refusal
  const make = (told: string, fix: string) => new ForgeRefusal(`${message} ${told}`, fix, { status, cause: refusal })
  if (!(await forge.hasBranch(head, signal))) {
    return make(
      `The branch ${JSON.stringify(head)} is not there: somebody deleted it since it was pushed.`,
      'Retry the job from the step push.',
    )
  }
  if (!(await forge.hasBranch(base, signal))) {
    const main = await forge.defaultBranch(signal)
    return make(
      `The branch ${JSON.stringify(base)}, which the project follows, is not there; the default branch is now ` +
        `${JSON.stringify(main)}.`,
      `POST /clone with "branch": ${JSON.stringify(main)} makes the project follow that one; then ask for the fix ` +
        'again.',
    )
  }
  return refusal
}

/** Opens a request, unless somebody has: also where the answer to an earlier try was lost. */
async function openOnce(
  forge: Forge,
  request: Omit<RequestToDeliver, 'base' | 'word'> & { base: string },
  signal: AbortSignal,
): Promise<PullRequest> {
  try {
    return await forge.open(request, signal)
  } catch (error) {
    if (!(error instanceof ForgeRefusal)) throw error
    if (!mayHaveWorked(error) && !isRefusedWith(error, 400, 404, 409, 422)) throw error
    const found = await forge.findByHead(request.head, signal).catch(() => null)
    if (found !== null) return found
    signal.throwIfAborted()
    throw await explained(forge, request, error, signal).catch(() => error)
  }
}

/**
 * Sees to it that one open request shows a pushed branch: the one that there is for this branch, else the earlier one
 * for the same fault, else a new one. Idempotent, so that nothing is opened twice whenever a server is killed.
 *
 * @throws {FaultlineError} FORGE_REFUSED
 */
export async function deliverRequest(
  forge: Forge,
  { word, ...request }: RequestToDeliver,
  join: JoinEarlier,
  signal: AbortSignal,
): Promise<DeliveredRequest> {
  const { head, title, body } = request
  const own = await forge.findByHead(head, signal)
  if (own !== null) {
    await forge.update(own.number, { title: own.title, body }, signal)
    return { number: own.number, url: own.url, outcome: 'updated' }
  }
  const earlier = word === null ? null : await forge.findMarked(word, signal)
  if (earlier !== null) {
    const isJoined = await join(earlier.head, signal)
    const text = isJoined ? body : withNotice(body, head)
    await forge.update(earlier.number, { title: earlier.title, body: text }, signal)
    return { number: earlier.number, url: earlier.url, outcome: isJoined ? 'joined' : 'beside' }
  }
  const base = request.base ?? (await forge.defaultBranch(signal))
  const made = await openOnce(forge, { head, base, title, body, isDraft: request.isDraft }, signal)
  return { number: made.number, url: made.url, outcome: 'opened' }
}
