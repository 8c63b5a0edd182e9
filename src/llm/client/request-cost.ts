import type { TokenCounts } from './bill.ts'
import { CallFailure } from './call-failure.ts'
import type { Heard } from './chat.ts'
import { textTokens, type SizeLimits } from './request-size.ts'

/** Longer texts are counted up to here and the rest is extrapolated, so that counting does not block the server. */
const MAX_COUNTED_CHARS = 400_000

/** Tokens of a text of any length, in at most some tens of milliseconds. */
function estimatedTokens(text: string, countTokens: SizeLimits['countTokens']): number {
  const counted = text.slice(0, MAX_COUNTED_CHARS)
  return Math.ceil((textTokens(counted, countTokens) * text.length) / counted.length)
}

/**
 * What a request cost, in tokens. Where the server did not say, because it does not count or the answer broke off, it
 * is the prompt and what arrived of the reply, by our tokenizer. Null when it cost nothing: the server was not reached
 * or refused the request.
 *
 * @param failure - What became of the request; null for an answer.
 * @param left - Whether we ended it (an abort, a time limit), so that the model may have been at work.
 */
export function costOf(
  { usage, output }: Heard,
  {
    failure,
    left,
    countPrompt,
    countTokens,
  }: { failure: unknown; left: boolean; countPrompt: () => number; countTokens: SizeLimits['countTokens'] },
): TokenCounts | null {
  if (usage !== null) return usage
  const mayCost = failure === null || left || output !== '' || (failure instanceof CallFailure && failure.mayCost)
  if (!mayCost) return null
  return { promptTokens: countPrompt(), completionTokens: output === '' ? 0 : estimatedTokens(output, countTokens) }
}
