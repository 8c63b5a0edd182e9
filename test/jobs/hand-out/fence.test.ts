import { test } from 'tap'
import { StaleRunError } from '../../../src/jobs/store/run-key.ts'
import { PostgresJobStore } from '../../../src/jobs/store/postgres/postgres-job-store.ts'
import { ANY_VERSION, noPostgres, openTestDatabase, startPostgres } from '../../helpers/postgres.ts'

const QUEUE = { limit: 100, retryAfterS: () => 1 }
const nothing = async () => {}

test('what a claim ends', { skip: noPostgres(ANY_VERSION) }, async t => {
  const server = await startPostgres()
  t.teardown(() => server.close())
  const db = await openTestDatabase(t, server)
  let isHeld = true
  const handOut = { added: nothing, ended: nothing, finished: () => null, claimed: async () => isHeld }
  const store = new PostgresJobStore(db, { handOut })
  const create = async (id: string, exclusiveKey: string | null) => {
    const made = { id, type: 'clone' as const, input: {}, projectName: null, exclusiveKey, keyName: null }
    return (await store.create(made, QUEUE)).job
  }
  const claim = async (seq: number) => {
    const claimed = await store.claim(seq)
    if (claimed === null) throw new Error('it was not claimed')
    return claimed
  }

  await t.test('a run whose process was lost, of the same job', async t => {
    const { seq } = await create('lost', null)
    const first = await claim(seq)
    const second = await claim(seq)
    t.ok(second.attempt > first.attempt)
    await t.rejects(store.steps.finish(first, 'a', 1), StaleRunError)
    t.equal(await store.endRun(first, 'succeeded'), false)
    await store.steps.finish(second, 'a', 2)
    t.match(await store.steps.all(seq), [{ name: 'a', output: 2 }])
  })

  await t.test('whatever else still writes under its key, and nothing under another one', async t => {
    const [lost, other, next] = [await create('x', 'k'), await create('y', 'other'), await create('z', 'k')]
    const former = await claim(lost.seq)
    const beside = await claim(other.seq)
    await claim(next.seq) // its entry could be had: the one of the first was lost
    await t.rejects(store.steps.finish(former, 'a', 1), StaleRunError)
    await store.steps.finish(beside, 'a', 1)
    t.match(await store.find('x'), { status: 'queued' }, 'it goes on when its own entry comes round')
  })

  await t.test('nothing, by a process that does not hold the entry', async t => {
    const { seq } = await create('taken', null)
    const holder = await claim(seq)
    isHeld = false
    t.equal(await store.claim(seq), null)
    await store.steps.finish(holder, 'a', 1)
    isHeld = true
    await store.cancel(seq)
    t.equal(await store.claim(seq), null, 'one that has ended is never run')
  })
})
