import OpenAI from 'openai'
import { test } from 'tap'
import { CallFailure, errorIn200, failureFrom, ReplyTooLargeError } from '../../../src/llm/client/call-failure.ts'

const statusError = (status: number, message: string, headers: Record<string, string> = {}) =>
  OpenAI.APIError.generate(status, { error: { message } }, message, new Headers(headers))

test('the status of an answer says whether it is worth another try', async t => {
  for (const [status, kind, mayPass] of [
    [408, 'unavailable', true],
    [429, 'unavailable', true],
    [503, 'unavailable', true],
    [400, 'rejected', false],
    [401, 'rejected', false],
    [404, 'rejected', false],
  ] as const) {
    t.match(failureFrom(statusError(status, 'no'), [], 0), { kind, mayPass, status })
  }
})

test('servers say in many words that a request is too long', async t => {
  for (const said of ['prompt is too long: 9 tokens', 'context_length_exceeded', 'maximum context length is 8192']) {
    t.match(failureFrom(statusError(400, said), [], 0), { kind: 'too_large' }, said)
  }
})

test('Retry-After is kept', async t => {
  t.match(failureFrom(statusError(429, 'slow down', { 'retry-after': '7' }), [], 0), { retryAfterMs: 7000 })
})

test('neither our key nor a page of HTML comes out in a message', async t => {
  const secret = 'our-own-key-12345'
  t.notMatch(failureFrom(statusError(401, `bad key ${secret}`), [secret], 0)?.message, secret)
  const page = '<!doctype html><html><title>Bad gateway</title><body>…</body>'
  t.match(failureFrom(statusError(502, page), [], 0)?.message, /a page of HTML, Bad gateway/)
})

test('an error inside a 200 counts with the status that it names', async t => {
  t.match(errorIn200({ message: 'overloaded', code: 503 }, []), { kind: 'unavailable', status: 503 })
  t.match(errorIn200({ message: 'bad', code: 400 }, []), { kind: 'rejected', status: 400 })
  t.match(errorIn200('odd', []), { kind: 'unavailable', status: null, message: /odd/ })
})

test('a failure of ours inside another error is that failure, and a bug is none', async t => {
  const own = new ReplyTooLargeError(10)
  t.equal(failureFrom(own, [], 0), own)
  t.equal(failureFrom(new Error('wrapped', { cause: own }), [], 0), own)
  t.equal(failureFrom(new RangeError('bug'), [], 0), null)
  t.match(failureFrom(new SyntaxError('x'), [], 0), { kind: 'bad_reply', mayCost: true })
  t.match(new CallFailure('rejected', 'no'), { mayPass: false, mayCost: false, retryAfterMs: null })
})
