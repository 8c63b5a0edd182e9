import type { Test } from 'tap'
import type { ResolutionStore, StoredResolution } from '../../src/resolutions/resolution-store.ts'

/** Opens an empty store for one test, and closes it in the test's teardown. */
type OpenResolutionStore = (t: Test) => Promise<ResolutionStore>

const stored = (number: number, more: Partial<StoredResolution> = {}): StoredResolution => ({
  id: `res_${String(number).padStart(24, '0')}`,
  at: new Date(Date.UTC(2026, 0, 1, 0, number)).toISOString(),
  project_name: 'shop',
  commit: 'a'.repeat(40),
  question: null,
  title: `ValueError: ${number}`,
  fingerprints: [],
  answer_status: 'ok',
  model: null,
  packed: Uint8Array.of(number),
  trace: Uint8Array.of(number + 1),
  ...more,
})

const ALL = { projectNames: null }
const idOf = (number: number): string => stored(number).id

/** What every implementation of ResolutionStore must do. */
export function resolutionStoreContract(t: Test, open: OpenResolutionStore): void {
  t.test('what was put is got back as it is, and nothing else', async t => {
    const store = await open(t)
    const one = stored(1, { question: 'q', fingerprints: ['ab', 'cd'], model: 'm' })
    await store.put([one, stored(2)])
    t.same(await store.get(one.id), one)
    t.equal(await store.get(idOf(3)), null)
  })

  t.test('an equal id takes the place of the previous one and keeps its feedback', async t => {
    const store = await open(t)
    await store.put([stored(1)])
    await store.addFeedback(idOf(1), { helpful: true, at: '2026-01-02T00:00:00.000Z', keyName: null })
    await store.put([stored(1, { packed: Uint8Array.of(9), answer_status: 'failed' })])
    t.match(await store.get(idOf(1)), { packed: Uint8Array.of(9), answer_status: 'failed' })
    t.match(await store.list(ALL, 10, null), [{ id: idOf(1), feedback: [{ helpful: true }] }])
  })

  t.test('a question is answered with the newest of its answers, never with one that has none', async t => {
    const store = await open(t)
    await store.put([stored(1, { question: 'q' }), stored(2), stored(3, { question: 'q' })])
    t.match(await store.answerTo('q'), { id: idOf(3) })
    t.equal(await store.answerTo('other'), null)
  })

  t.test('a list is newest first, in pages, by project whatever its capitals, fingerprint and feedback', async t => {
    const store = await open(t)
    await store.put([
      stored(1, { fingerprints: ['ab'] }),
      stored(2, { project_name: 'api' }),
      stored(3, { fingerprints: ['ab', 'cd'] }),
    ])
    const numbers = async (...args: Parameters<ResolutionStore['list']>): Promise<number[]> =>
      (await store.list(...args)).map(({ id }) => Number(id.slice(4)))
    t.same(await numbers(ALL, 10, null), [3, 2, 1])
    const [first] = await store.list(ALL, 1, null)
    t.same(await numbers(ALL, 10, first?.seq ?? 0), [2, 1])
    t.same(await numbers({ projectNames: ['SHOP'] }, 10, null), [3, 1])
    t.same(await numbers({ projectNames: ['shop', 'api'] }, 10, null), [3, 2, 1])
    t.same(await numbers({ projectNames: [] }, 10, null), [])
    t.same(await numbers({ ...ALL, fingerprint: 'cd' }, 10, null), [3])
    await store.addFeedback(idOf(1), { helpful: false, at: '2026-01-02T00:00:00.000Z', keyName: 'ada' })
    t.same(await numbers({ ...ALL, withFeedback: true }, 10, null), [1])
  })

  t.test('feedback is kept in order and counted; there is none of what is not kept', async t => {
    const store = await open(t)
    await store.put([stored(1)])
    const at = '2026-01-02T00:00:00.000Z'
    t.equal(
      await store.addFeedback(idOf(1), { helpful: false, comment: 'c', actual_path: 'a.py', at, keyName: 'k' }),
      true,
    )
    t.equal(await store.addFeedback(idOf(1), { helpful: true, at, keyName: null }), true)
    t.equal(await store.addFeedback(idOf(2), { helpful: true, at, keyName: null }), false)
    t.same((await store.list(ALL, 1, null))[0]?.feedback, [
      { at, helpful: false, comment: 'c', actual_path: 'a.py' },
      { at, helpful: true, comment: null, actual_path: null },
    ])
    t.same(await store.feedbackCounts(), { helpful: 1, unhelpful: 1 })
  })

  t.test(
    'what is too old is forgotten in portions, and what belongs to a project with all that hangs on it',
    async t => {
      const store = await open(t)
      await store.put([stored(1), stored(2), stored(3), stored(4, { project_name: 'api', fingerprints: ['ab'] })])
      await store.addFeedback(idOf(4), { helpful: true, at: '2026-01-02T00:00:00.000Z', keyName: null })
      t.equal(await store.removeBefore(stored(3).at, 1), 1)
      t.equal(await store.removeBefore(stored(3).at, 10), 1)
      t.equal(await store.removeBefore(stored(3).at, 10), 0)
      t.same(
        (await store.list(ALL, 10, null)).map(({ id }) => id),
        [idOf(4), idOf(3)],
      )
      await store.removeOfProject('API')
      t.same((await store.list({ ...ALL, fingerprint: 'ab' }, 10, null)).length, 0)
      t.same(await store.feedbackCounts(), { helpful: 0, unhelpful: 0 })
    },
  )
}
