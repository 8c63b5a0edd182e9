import { FaultlineError, type ErrorCode } from '../../../core/errors.ts'
import { replyEndOf } from '../../../core/finish-reason.ts'
import { counted } from '../counted.ts'

/** A reply, or a piece of one, as a step keeps it. */
export interface ReplyPiece {
  text: string
  model: string
  /** In the server's words; `none` for a stream that ended without one. */
  finishReason: string
}

/** Why the rest of a reply could not be had, as a step keeps it. */
export type Failure = { failure: { code: ErrorCode; message: string; fix?: string } }

/** A reply that is whole, or what there is of it with the error that ends the job. */
export type WholeReply<Piece extends ReplyPiece> = Piece & {
  /** Null for a whole one. The last block of the text is not to be used where there is one. */
  cut: FaultlineError | null
}

/** How often a reply that was cut is gone on with. */
export const MAX_CONTINUATIONS = 3
const FIX =
  'GET /jobs/{id}/files and /diff have what was whole, /transcript all of the reply. ' +
  'Raise LLM_MAX_OUTPUT_TOKENS or ask for less, and POST /jobs/{id}/retry.'
const FILTERED_FIX =
  'GET /jobs/{id}/transcript has what came of it. Another model, or other words, may do; POST /jobs/{id}/retry.'

const CAUSES = new Map([
  ['length', 'at its output limit'],
  ['max_tokens', 'at its output limit'],
  ['none', 'without a finish_reason'],
])

const endingOf = (finishReason: string): string =>
  CAUSES.get(finishReason.toLowerCase()) ?? `with the finish_reason ${JSON.stringify(finishReason)}`

const filtered = ({ model, finishReason }: ReplyPiece): FaultlineError =>
  new FaultlineError(
    'REPLY_FILTERED',
    `The model server held back the reply of ${model} (finish_reason ${JSON.stringify(finishReason)}).`,
    FILTERED_FIX,
  )

function truncated({ model, finishReason }: ReplyPiece, tries: number, why = ''): FaultlineError {
  const asked = tries === 0 ? '' : `, though it was asked to go on ${counted(tries, 'time')}`
  return new FaultlineError(
    'REPLY_TRUNCATED',
    `The reply of ${model} was cut off ${endingOf(finishReason)}${asked}.${why === '' ? '' : ` ${why}`}`,
    FIX,
  )
}

/** The error of a call that was to bring the rest: the request grew by the reply, so it may be too long by now. */
function failed(piece: ReplyPiece, tries: number, { failure }: Failure): FaultlineError {
  const { code, message, fix } = failure
  return code === 'LLM_REQUEST_TOO_LARGE' ? truncated(piece, tries, message) : new FaultlineError(code, message, fix)
}

/**
 * Makes a reply whole that was cut off: the model is given its own text and asked to go on, up to three times. The
 * pieces are joined without doubling; one whose place in the text is not certain is left out.
 *
 * @param first - The reply.
 * @param goOn - Asks for the rest of a text, from the model that wrote it.
 */
export async function continueReply<Piece extends ReplyPiece>(
  first: Piece,
  goOn: (soFar: ReplyPiece, tries: number) => Promise<ReplyPiece | Failure>,
): Promise<WholeReply<Piece>> {
  let reply = first
  for (let tries = 0; ; tries++) {
    const end = replyEndOf(reply.finishReason)
    if (end === 'complete') return { ...reply, cut: null }
    if (end === 'filtered') return { ...reply, cut: filtered(reply) }
    if (tries === MAX_CONTINUATIONS) return { ...reply, cut: truncated(reply, tries) }
    const more = await goOn(reply, tries + 1)
    if ('failure' in more) return { ...reply, cut: failed(reply, tries, more) }
    const { finishReason, model } = more
    const { joinReply } = await import('../../../edits/join/join-reply.ts') // with the first reply that was cut
    const text = joinReply(reply.text, more.text, { isLast: replyEndOf(finishReason) === 'complete' })
    // what cannot be joined for certain is asked for once more
    if (text !== null) reply = { ...reply, text, finishReason, model }
  }
}
