/** How a reply of a model ended: by itself, cut before its end, or held back by a filter of the server. */
type ReplyEnd = 'complete' | 'cut' | 'filtered'

/** Stands for the reason of a stream that ended without one. */
export const NO_FINISH_REASON = 'none'

const COMPLETE: ReadonlySet<string> = new Set([
  'stop',
  'eos',
  'eos_token',
  'end_turn',
  'stop_sequence',
  'complete',
  'completed',
])
const FILTERED: ReadonlySet<string> = new Set([
  'content_filter',
  'content_filtered',
  'safety',
  'recitation',
  'blocklist',
  'prohibited_content',
  'spii',
  'refusal',
  'guardrail_intervened',
])

/** How a reply ended, by the server's word for it. A word that nobody knows says that something came between. */
export function replyEndOf(finishReason: string): ReplyEnd {
  const reason = finishReason.toLowerCase()
  if (COMPLETE.has(reason)) return 'complete'
  return FILTERED.has(reason) ? 'filtered' : 'cut'
}
