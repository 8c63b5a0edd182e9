import { test } from 'tap'
import { startHistory } from '../../src/services/history.ts'
import { Rush } from '../../src/services/rush.ts'

const REQUEST = { repository: 'shop', projectName: 'shop' }

/** A fetcher whose fetches end when told, and a rush that begins and ends when told. */
function started({ holds = true } = {}) {
  const rush = new Rush({ calmMs: 1 })
  const fetches: Array<{ end: (outcome: 'full') => void; signal: AbortSignal }> = []
  let begun = Promise.withResolvers<void>()
  const history = startHistory({
    git: {
      holds: async () => holds,
      fetchHistory: ({ signal }) => {
        const { promise, resolve, reject } = Promise.withResolvers<'full'>()
        signal.addEventListener('abort', () => reject(signal.reason))
        fetches.push({ end: resolve, signal })
        begun.resolve()
        begun = Promise.withResolvers()
        return promise
      },
    },
    log: { warn: () => {} } as never,
    rush,
  })
  function hurry(): () => Promise<unknown> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const answers = Array.from({ length: 3 }, () => rush.during(() => promise))
    return () => {
      resolve()
      return Promise.all(answers)
    }
  }
  return { history, fetches, hurry, next: () => begun.promise, rush }
}

test('a history is fetched when many answers have been given, and one that has just begun gives way to them', async t => {
  const { history, fetches, hurry, next, rush } = started()
  const first = next()
  history.enqueue(REQUEST)
  await first
  const calm = hurry()
  t.ok(fetches[0]?.signal.aborted)
  await new Promise(resolve => setImmediate(resolve))
  t.equal(fetches.length, 1)
  const second = next()
  await calm()
  await second
  t.notOk(rush.isOn)
  fetches[1]?.end('full')
  await history.idle()
  t.equal(fetches.length, 2)
  await history.close()
})

test('a history gives way a few times only', async t => {
  const { history, fetches, hurry, next } = started()
  for (let round = 0; round < 5; round++) {
    const begun = next()
    if (round === 0) history.enqueue(REQUEST)
    await begun
    const last = next()
    await hurry()()
    if (round === 4) await last
  }
  const calm = hurry()
  t.equal(fetches.length, 6)
  t.notOk(fetches[5]?.signal.aborted)
  fetches[5]?.end('full')
  await history.idle()
  await calm()
  await history.close()
})

test('how often one history gave way says nothing of another', async t => {
  const { history, fetches, hurry, next } = started()
  const begun = next()
  history.enqueue(REQUEST)
  history.enqueue({ ...REQUEST, projectName: 'till' })
  await begun
  for (let round = 0; round < 10; round++) {
    const again = next()
    const calm = hurry()
    t.ok(fetches[round]?.signal.aborted, `${round}`)
    await calm()
    await again
  }
  const last = next()
  const calm = hurry()
  t.notOk(fetches[10]?.signal.aborted)
  fetches[10]?.end('full')
  await calm()
  await last
  fetches[11]?.end('full')
  await history.idle()
  await history.close()
})

test('closing ends a fetch, and one that waits; a project that is gone wants none', async t => {
  const waits = started()
  const calm = waits.hurry()
  waits.history.enqueue(REQUEST)
  await new Promise(resolve => setImmediate(resolve))
  await waits.history.close()
  t.equal(waits.fetches.length, 0)
  await calm()
  const gone = started({ holds: false })
  gone.history.enqueue(REQUEST)
  await gone.history.idle()
  t.equal(gone.fetches.length, 0)
})
