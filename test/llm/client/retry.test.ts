import { test } from 'tap'
import { CallFailure, parseRetryAfter } from '../../../src/llm/client/call-failure.ts'
import { GaveUpError, tryModels } from '../../../src/llm/client/retry.ts'

const down = async (): Promise<never> => {
  throw new CallFailure('unavailable', 'down')
}

test('waits double from half a second to eight seconds, times a random part', async t => {
  for (const part of [0, 0.5, 0.999]) {
    const waits: number[] = []
    const sleep = async (ms: number) => {
      waits.push(ms)
    }
    await t.rejects(
      tryModels(['a'], down, { timeoutMs: 60_000, triesPerModel: 8, random: () => part, sleep }),
      GaveUpError,
    )
    t.same(
      waits,
      [500, 1000, 2000, 4000, 8000, 8000, 8000].map(ms => ms * part),
    )
  }
})

test('a failure that is none of the expected ones ends the call as it is', async t => {
  let tries = 0
  await t.rejects(
    tryModels(
      ['a', 'b'],
      async () => {
        tries += 1
        throw new RangeError('a bug')
      },
      { timeoutMs: 1000 },
    ),
    { message: 'a bug' },
  )
  t.equal(tries, 1)
})

test('the real wait ends with the abort of the caller', async t => {
  const abort = new AbortController()
  let tries = 0
  const call = tryModels(
    ['a'],
    async () => {
      tries += 1
      setImmediate(() => abort.abort())
      throw new CallFailure('unavailable', 'down', { retryAfterMs: 60_000 })
    },
    { timeoutMs: 120_000, signal: abort.signal },
  )
  await t.rejects(call, { name: 'AbortError' })
  t.equal(tries, 1)
})

test('Retry-After is read as seconds or as a date; anything else is none', async t => {
  const now = Date.parse('2026-11-21T10:00:00Z')
  t.equal(parseRetryAfter('120', now), 120_000)
  t.equal(parseRetryAfter(' 1.5 ', now), 1500)
  t.equal(parseRetryAfter('0', now), 0)
  t.equal(parseRetryAfter('Sat, 21 Nov 2026 10:00:30 GMT', now), 30_000)
  t.equal(parseRetryAfter('Sat, 21 Nov 2026 09:00:00 GMT', now), 0)
  t.equal(parseRetryAfter('99999999999', now), 99_999_999_999_000, 'the caller caps it')
  for (const none of [null, undefined, '', 'soon', '-5', '1e9']) t.equal(parseRetryAfter(none, now), null, String(none))
})
