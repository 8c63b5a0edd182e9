import { test } from 'tap'
import { FaultlineError } from '../../../src/core/errors.ts'
import { waitForRoom } from '../../../src/jobs/run/wait-for-room.ts'

const FULL = new FaultlineError('DISK_FULL', 'Full.')
const never = new AbortController().signal
const ignore = () => {}

/** Fails so many times, then succeeds. */
function failing(times: number, error: unknown = FULL) {
  let calls = 0
  return {
    calls: () => calls,
    work: async () => {
      if (++calls <= times) throw error
      return 'written'
    },
  }
}

test('a full disk is waited for and told of once', async t => {
  const told: unknown[] = []
  const { work, calls } = failing(3)
  const patience = { retryMs: 1, waitMs: 60_000, signal: never, onFull: (error: unknown) => told.push(error) }
  t.equal(await waitForRoom(work, patience), 'written')
  t.equal(calls(), 4)
  t.same(told, [FULL])
})

test('it is given up when the time is over, and anything else at once', async t => {
  const full = failing(9)
  await t.rejects(waitForRoom(full.work, { retryMs: 1, waitMs: 0, signal: never, onFull: ignore }), FULL)
  t.equal(full.calls(), 1)
  const bug = failing(1, new TypeError('x'))
  await t.rejects(waitForRoom(bug.work, { retryMs: 1, waitMs: 60_000, signal: never, onFull: ignore }), TypeError)
  t.equal(bug.calls(), 1)
})

test('a database that is away is waited for as long as it takes', async t => {
  const away = failing(3, new FaultlineError('DATABASE_UNAVAILABLE', 'Away.'))
  const patience = { retryMs: 1, waitMs: 0, signal: never, onFull: ignore }
  t.equal(await waitForRoom(away.work, patience), 'written')
})

test('the signal ends the wait with its reason', async t => {
  const ending = new AbortController()
  const reason = new Error('cancelled')
  const waiting = waitForRoom(failing(9).work, {
    retryMs: 600_000,
    waitMs: 600_000,
    signal: ending.signal,
    onFull: () => setImmediate(() => ending.abort(reason)),
  })
  await t.rejects(waiting, reason)
})
