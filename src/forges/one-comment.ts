import type { Forge, ForgeComment } from './forge.ts'
import { isRefusedWith } from './forge-refusal.ts'

/** What a request is told, and by what that is found again. */
export interface OneComment {
  number: number
  /** The line with which the comment begins. */
  marker: string
  body: string
  /** Whether it is written where there is none to change. */
  isNews: boolean
}

/** What became of it. */
export type CommentOutcome = 'written' | 'updated' | 'unchanged' | 'none'

/** The most comments with the marker that are tried where their authors cannot be told apart. */
const MAX_TRIED = 20

/** Whether a comment is ours, as far as its author can be told. */
const isOurs = (marker: string, me: string | null) => (comment: ForgeComment) =>
  comment.body.trimStart().startsWith(marker) && (me === null || comment.author === null || comment.author === me)

/**
 * Writes a comment, or changes the one that was written before, so that a request has one of it. Of several with the
 * marker the oldest that may be changed counts: whoever copies a marker comes later.
 *
 * @throws {FaultlineError} FORGE_REFUSED
 */
export async function writeOneComment(
  forge: Forge,
  { number, marker, body, isNews }: OneComment,
  signal: AbortSignal,
): Promise<CommentOutcome> {
  const me = await forge.me(signal)
  const earlier = (await forge.comments(number, signal)).filter(isOurs(marker, me))
  if (earlier.some(one => one.body.trim() === body.trim())) return 'unchanged'
  for (const { id } of earlier.slice(0, MAX_TRIED)) {
    try {
      await forge.updateComment(number, id, body, signal)
      return 'updated'
    } catch (error) {
      if (!isRefusedWith(error, 403, 404)) throw error // somebody else's, or deleted since
    }
  }
  if (!isNews) return 'none'
  await forge.addComment(number, body, signal)
  return 'written'
}
