import { test } from 'tap'
import { NO_FINISH_REASON, replyEndOf } from '../../src/core/finish-reason.ts'

test("a reply is complete by the words for it alone; the server's spelling does not matter", async t => {
  for (const reason of ['stop', 'STOP', 'eos', 'eos_token', 'end_turn', 'stop_sequence', 'complete', 'COMPLETED']) {
    t.equal(replyEndOf(reason), 'complete', reason)
  }
  for (const reason of ['length', 'MAX_TOKENS', 'tool_calls', 'error', '', 'whatever', NO_FINISH_REASON]) {
    t.equal(replyEndOf(reason), 'cut', reason)
  }
  for (const reason of ['content_filter', 'SAFETY', 'RECITATION', 'refusal', 'prohibited_content', 'spii']) {
    t.equal(replyEndOf(reason), 'filtered', reason)
  }
})
