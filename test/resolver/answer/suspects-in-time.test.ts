import { test } from 'tap'
import type { LocatedCode } from '../../../src/core/resolution.ts'
import { findSuspectsInTime } from '../../../src/resolver/answer/suspects-in-time.ts'
import type { Suspects } from '../../../src/resolver/answer/suspects.ts'

/** Equal where the time is. */
const marked = (tracedAt: number | null = null): LocatedCode['marked'] => ({ lines: [], tracedAt })
const found = (suspectsStatus: Suspects['suspectsStatus'] = 'ok'): Suspects => ({ suspectCommits: [], suspectsStatus })
const LONG_MS = 60_000

function counting() {
  const state = { asked: 0, now: 0, status: 'ok' as Suspects['suspectsStatus'] }
  const find = findSuspectsInTime(
    async () => {
      state.asked++
      return found(state.status)
    },
    { now: () => state.now },
  )
  return { state, find }
}

/** Searches that end when the test says so. */
function held(aloneMs: number, onFailed?: (error: unknown) => void) {
  const searches: Array<PromiseWithResolvers<Suspects>> = []
  const find = findSuspectsInTime(
    () => {
      const search = Promise.withResolvers<Suspects>()
      searches.push(search)
      return search.promise
    },
    { aloneMs, onFailed },
  )
  return { searches, find }
}

test('the suspects of what is remembered are looked for once', async t => {
  const { state, find } = counting()
  const one = marked()
  const { suspects, rest } = await find(one)
  t.equal(rest, null)
  state.now = 1e9
  t.equal((await find(one)).suspects, suspects)
  await find(marked())
  t.equal(state.asked, 2, 'and for what was located anew once more')
})

test('what was not found for want of history or time is looked for again a second later', async t => {
  for (const status of ['shallow_history', 'timed_out', 'pending'] as const) {
    const { state, find } = counting()
    state.status = status
    const one = marked()
    await find(one)
    state.now = 999
    await find(one)
    t.equal(state.asked, 1)
    state.now = 1000
    state.status = 'ok'
    t.equal((await find(one)).suspects.suspectsStatus, 'ok')
    t.equal(state.asked, 2)
  }
})

test('when the time is up they are pending, and what is found then is the rest; the next to ask has it', async t => {
  const { searches, find } = held(1)
  const one = marked()
  const { suspects, rest } = await find(one)
  t.same(suspects, found('pending'))
  const second = await find(one)
  t.same(second.suspects, found('pending'))
  t.equal(searches.length, 1, 'one search for both')
  searches[0]?.resolve(found())
  t.same(await rest?.found, found())
  t.same(await second.rest?.found, found())
  t.same(await find(one), { suspects: found(), rest: null })
})

test('a search has its time once: whoever asks about equal lines later waits neither for it nor for another', async t => {
  const searches: Array<PromiseWithResolvers<Suspects>> = []
  const state = { now: 0 }
  const find = findSuspectsInTime(
    () => {
      const search = Promise.withResolvers<Suspects>()
      searches.push(search)
      return search.promise
    },
    { aloneMs: LONG_MS, now: () => state.now },
  )
  const waits = find(marked())
  state.now = LONG_MS
  const located = marked() // located anew, as by each of many that ask at once
  const pending = await find(located)
  t.same(pending.suspects, found('pending'))
  t.equal(pending.rest?.known, null)
  t.equal(searches.length, 1)
  searches[0]?.resolve(found())
  t.same(await waits, { suspects: found(), rest: null })
  t.same(pending.rest?.known, found())
  state.now = 1e9
  t.same(await find(located), { suspects: found(), rest: null }, 'the answer is final for all who shared the search')
  t.equal(searches.length, 1)
})

test('an answer alone waits; as soon as many do, none waits long', async t => {
  const { searches, find } = held(LONG_MS)
  const alone = find(marked())
  searches[0]?.resolve(found())
  t.same(await alone, { suspects: found(), rest: null })
  // 300 of them: each may wait for less than a millisecond
  const many = await Promise.all(Array.from({ length: 300 }, (_, i) => find(marked(i))))
  t.ok(many.every(({ suspects }) => suspects.suspectsStatus === 'pending'))
  const next = find(marked())
  searches.at(-1)?.resolve(found())
  t.equal((await next).suspects.suspectsStatus, 'ok', 'who comes after them is alone again')
})

test('who leaves while it waits is let go at once, and the search goes on for others', async t => {
  const { searches, find } = held(LONG_MS)
  const one = marked()
  const controller = new AbortController()
  const reason = new Error('gone')
  const left = find(one, controller.signal).catch((error: unknown) => error)
  controller.abort(reason)
  t.equal(await left, reason)
  await t.rejects(find(one, controller.signal), reason)
  const second = find(one)
  t.equal(searches.length, 1)
  searches[0]?.resolve(found())
  t.same(await second, { suspects: found(), rest: null })
})

test('a search that fails is told of once, and not remembered', async t => {
  const heard: unknown[] = []
  const { searches, find } = held(LONG_MS, error => heard.push(error))
  const one = marked()
  const failed = [find(one), find(marked())]
  searches[0]?.reject(new Error('no git'))
  await Promise.all(failed.map(each => t.rejects(each, { message: 'no git' })))
  t.match(heard, [{ message: 'no git' }])
  t.equal(heard.length, 1)
  const second = find(one)
  searches[1]?.resolve(found())
  t.same((await second).suspects, found())
})
