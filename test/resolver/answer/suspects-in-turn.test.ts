import { mock } from 'node:test'
import { test } from 'tap'
import type { LocatedCode } from '../../../src/core/resolution.ts'
import { suspectsInTurn } from '../../../src/resolver/answer/suspects-in-turn.ts'
import type { Suspects } from '../../../src/resolver/answer/suspects.ts'

const OK: Suspects = { suspectCommits: [], suspectsStatus: 'ok' }
const at = (tracedAt: number): LocatedCode['marked'] => ({ lines: [], tracedAt })
const settled = () => new Promise<void>(resolve => setImmediate(resolve))

function turns({ maxWaiting = 10 } = {}) {
  const asked: Array<number | null> = []
  const ends: Array<(found: Suspects | Promise<Suspects>) => void> = []
  const rests: number[] = []
  const state = { time: 0, calm: null as Promise<void> | null, waiters: 0, breaks: false }
  const find = suspectsInTurn(
    ({ tracedAt }) => {
      if (state.breaks) throw new Error('broken')
      asked.push(tracedAt)
      return new Promise(resolve => ends.push(resolve))
    },
    {
      untilCalm(signal) {
        if (state.calm === null) return null
        state.waiters++
        signal.addEventListener('abort', () => state.waiters--)
        return state.calm
      },
      maxWaiting,
      maxAgeMs: 1_000,
      now: () => state.time,
      rest: async ms => {
        rests.push(ms)
      },
    },
  )
  return { find, asked, ends, rests, state }
}

test('one search at a time, the one asked for last first', async t => {
  const { find, asked, ends, rests } = turns()
  const found = [find(at(1)), find(at(2)), find(at(3))]
  await settled()
  t.same(asked, [1])
  ends[0]?.(OK)
  await settled()
  t.same(asked, [1, 3])
  ends[1]?.(Promise.reject(new Error('no git')))
  await t.rejects(Promise.all(found.slice(2)), { message: 'no git' })
  await settled()
  t.same(asked, [1, 3, 2], 'a failure is no end')
  ends[2]?.(OK)
  t.same(await Promise.all([found[0], found[1]]), [OK, OK])
  t.same(rests, [], 'no rest without a rush')
  await settled()
  find(at(4)).catch(() => {})
  t.same(asked, [1, 3, 2, 4], 'it begins again')
})

test('of too many the oldest end, and so does what waited too long', async t => {
  const { find, asked, ends, state } = turns({ maxWaiting: 2 })
  const found = [1, 2, 3, 4].map(i => find(at(i)))
  t.match(await found[1], { suspectsStatus: 'timed_out' })
  state.time = 1_001
  ends[0]?.(OK)
  t.match(await found[2], { suspectsStatus: 'timed_out' })
  t.match(await found[3], { suspectsStatus: 'timed_out' })
  t.same(asked, [1])
})

test('in a rush git rests nine times as long as it worked, or until it is over', async t => {
  const { find, asked, ends, rests, state } = turns()
  state.calm = new Promise(() => {})
  find(at(1)).catch(() => {})
  find(at(2)).catch(() => {})
  state.time = 7
  ends[0]?.(OK)
  await settled()
  t.same(rests, [63])
  t.same(asked, [1, 2])
  ends[1]?.(OK)
  await settled()
  t.same(rests, [63], 'nobody waits')
  t.equal(state.waiters, 0, 'nor is anything left of the rest')
})

test('a search that throws at once is a failure like any other', async t => {
  const { find, asked, ends, state } = turns()
  state.breaks = true
  await t.rejects(find(at(1)), { message: 'broken' })
  state.breaks = false
  const found = find(at(2))
  await settled()
  t.same(asked, [2])
  ends[0]?.(OK)
  t.same(await found, OK)
})

test('what waited too long ends while nobody asks and the search before it goes on', async t => {
  mock.timers.enable({ apis: ['setTimeout'] })
  t.teardown(() => mock.timers.reset())
  const { find, state } = turns()
  find(at(1)).catch(() => {})
  const second = find(at(2))
  state.time = 400
  const third = find(at(3))
  state.time = 1_000
  mock.timers.tick(1_000)
  t.match(await second, { suspectsStatus: 'timed_out' })
  state.time = 1_400
  mock.timers.tick(400)
  t.match(await third, { suspectsStatus: 'timed_out' })
})
