import { test } from 'tap'
import { pollUpdates } from '../../../src/outbound/telegram/updates.ts'

test('answers that say nothing new and come at once are not asked for all the time', async t => {
  for (const answer of [[], [{}], [{ update_id: 'x' }], 'nonsense']) {
    const ending = new AbortController()
    let calls = 0
    const polling = pollUpdates({
      api: {
        async call() {
          calls++
          if (calls === 50) ending.abort()
          return answer
        },
      },
      onUpdate: async () => {},
      onFailure: t.error,
      onRecovered: () => {},
      signal: ending.signal,
    })
    await new Promise(setImmediate)
    ending.abort()
    await polling
    t.equal(calls, 1, JSON.stringify(answer))
  }
})
