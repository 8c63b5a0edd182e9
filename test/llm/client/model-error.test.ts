import { test } from 'tap'
import { CallFailure } from '../../../src/llm/client/call-failure.ts'
import { modelErrorFrom } from '../../../src/llm/client/model-error.ts'
import { GaveUpError } from '../../../src/llm/client/retry.ts'

const USAGE = { llmCalls: 2, promptTokens: 3, completionTokens: 4, usd: null }
const errorFor = (last: CallFailure, attempts = 1) => modelErrorFrom(new GaveUpError(last, attempts, 'm'), USAGE)

test('each kind of failure has its code, and keeps what it cost', async t => {
  for (const [kind, code] of [
    ['rejected', 'LLM_REJECTED'],
    ['too_large', 'LLM_REQUEST_TOO_LARGE'],
    ['bad_reply', 'LLM_BAD_REPLY'],
    ['unavailable', 'LLM_UNAVAILABLE'],
  ] as const) {
    t.match(errorFor(new CallFailure(kind, 'said so')), { code, message: /said so\.$/, fix: /./, usage: USAGE })
  }
})

test('the fix of a refusal follows from its status', async t => {
  for (const [status, fix] of [
    [401, /LLM_API_KEY/],
    [402, /credit/],
    [403, /LLM_API_KEY/],
    [404, /LLM_MODEL/],
    [405, /LLM_MODEL/],
    [301, /redirects/],
    [399, /redirects/],
    [400, /LLM_MAX_OUTPUT_TOKENS/],
  ] as const) {
    t.match(errorFor(new CallFailure('rejected', 'no', { status })), { fix })
  }
  t.match(errorFor(new CallFailure('rejected', 'no')), { fix: /LLM_MAX_OUTPUT_TOKENS/ }, 'without one')
})

test('attempts are counted in words', async t => {
  t.match(errorFor(new CallFailure('unavailable', 'no'), 1).message, /after 1 attempt:/)
  t.match(errorFor(new CallFailure('unavailable', 'no'), 3).message, /after 3 attempts:/)
})
