import { test } from 'tap'
import { createProvideRef } from '../../src/services/refs.ts'

/** A project of two repositories, of which one has what is asked for once it was fetched. */
function provider(outcome: { commit: string } | { commit: null; reason: string }) {
  const fetched: string[] = []
  const clock = { now: 0 }
  const provideRef = createProvideRef({
    store: { readManifest: async () => ({ repositories: [{ repository: 'a' }, { repository: 'b' }] }) as never },
    git: {
      fetchRef: async ({ repository, ref, timeoutMs }) => {
        if (timeoutMs === 0) return ref === 'here' ? { commit: 'c' } : { commit: null, reason: 'the clone lacks it' }
        fetched.push(`${repository} ${ref}`)
        return outcome
      },
    },
    now: () => clock.now,
  })
  return { provideRef, fetched, clock }
}

test('what a clone has is not fetched; what none has is asked of each remote', async t => {
  const { provideRef, fetched } = provider({ commit: 'c' })
  t.equal(await provideRef('shop', 'here'), null)
  t.strictSame(fetched, [])
  t.equal(await provideRef('shop', 'v1'), null)
  t.strictSame(fetched, ['a v1', 'b v1'])
})

test('many who ask at once are one fetch, and what is missing is remembered for a minute', async t => {
  const { provideRef, fetched, clock } = provider({ commit: null, reason: 'no such tag' })
  const asked = await Promise.all(Array.from({ length: 20 }, () => provideRef('shop', 'v9')))
  t.strictSame([...new Set(asked.map(one => one?.reason))], ['no such tag'])
  t.equal(fetched.length, 2)
  clock.now += 59_000
  t.match(await provideRef('shop', 'v9'), { reason: 'no such tag' })
  t.equal(fetched.length, 2)
  clock.now += 2_000
  await provideRef('shop', 'v9')
  t.equal(fetched.length, 4)
})
