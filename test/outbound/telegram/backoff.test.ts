import { test } from 'tap'
import { Backoff } from '../../../src/outbound/telegram/backoff.ts'
import { BotApiError } from '../../../src/outbound/telegram/bot-api.ts'

const refused = (status: number, retryAfterMs: number | null = null) =>
  new BotApiError(`it was answered with ${status}`, status, retryAfterMs)

test('pauses grow up to five minutes, and begin anew after a success', t => {
  const backoff = new Backoff()
  const delays = Array.from({ length: 40 }, () => backoff.failed(refused(500)).delayMs)
  t.same(delays.slice(0, 4), [1_000, 2_000, 4_000, 8_000])
  t.equal(delays.at(-1), 300_000)
  t.equal(backoff.succeeded(), true)
  t.equal(backoff.succeeded(), false)
  t.equal(backoff.failed(refused(500)).delayMs, 1_000)
  t.end()
})

test('a pause that Telegram asks for counts, within reason: neither none at all nor for ever', t => {
  const backoff = new Backoff()
  t.equal(backoff.failed(refused(429, 40_000)).delayMs, 40_000)
  t.equal(backoff.failed(refused(429, 0)).delayMs, 1_000)
  t.equal(backoff.failed(refused(429, 1e300)).delayMs, 3_600_000)
  t.end()
})

test('each thing that is wrong is told once', t => {
  const backoff = new Backoff()
  const isTold = (error: unknown) => backoff.failed(error).message !== null
  t.same(
    [409, 409, 401].map(status => isTold(refused(status))),
    [true, false, true],
  )
  t.same([isTold(new Error('no name')), isTold(new Error('no name')), isTold(refused(401))], [true, false, true])
  t.end()
})
