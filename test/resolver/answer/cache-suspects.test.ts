import { test } from 'tap'
import type { LocatedCode } from '../../../src/core/resolution.ts'
import { cacheSuspects } from '../../../src/resolver/answer/cache-suspects.ts'
import type { Suspects } from '../../../src/resolver/answer/suspects.ts'

const marked = (): LocatedCode['marked'] => ({ lines: [], tracedAt: null })

function counting() {
  const state = { asked: 0, now: 0, status: 'ok' as Suspects['suspectsStatus'] }
  const find = cacheSuspects(
    async () => {
      state.asked++
      return { suspectCommits: [], suspectsStatus: state.status }
    },
    { now: () => state.now },
  )
  return { state, find }
}

test('the suspects of what is remembered are looked for once', async t => {
  const { state, find } = counting()
  const one = marked()
  const first = await find(one)
  state.now = 1e9
  t.equal(await find(one), first)
  await find(marked())
  t.equal(state.asked, 2, 'and for what was located anew once more')
})

test('what was not found for want of history or time is looked for again a second later', async t => {
  for (const status of ['shallow_history', 'timed_out'] as const) {
    const { state, find } = counting()
    state.status = status
    const one = marked()
    await find(one)
    state.now = 999
    await find(one)
    t.equal(state.asked, 1)
    state.now = 1000
    state.status = 'ok'
    t.equal((await find(one)).suspectsStatus, 'ok')
    t.equal(state.asked, 2)
  }
})

test('who asked earlier and had no time does not undo what another found', async t => {
  const answers = [Promise.withResolvers<Suspects>(), Promise.withResolvers<Suspects>()] as const
  let asked = 0
  const find = cacheSuspects(() => answers[asked++ === 0 ? 0 : 1].promise)
  const one = marked()
  const both = [find(one), find(one)]
  answers[1].resolve({ suspectCommits: [], suspectsStatus: 'ok' })
  await both[1]
  answers[0].resolve({ suspectCommits: [], suspectsStatus: 'timed_out' })
  await both[0]
  t.equal((await find(one)).suspectsStatus, 'ok')
  t.equal(asked, 2)
})

test('an abort is not remembered', async t => {
  let aborted = true
  const find = cacheSuspects(async () => {
    if (aborted) throw new Error('gone')
    return { suspectCommits: [], suspectsStatus: 'ok' }
  })
  const one = marked()
  await t.rejects(find(one), { message: 'gone' })
  aborted = false
  t.equal((await find(one)).suspectsStatus, 'ok')
})
