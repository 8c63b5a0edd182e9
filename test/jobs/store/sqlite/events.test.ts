import { test } from 'tap'
import { openSqliteStore } from './fixture.ts'

test('the progress of a job and the event that tells of it are one transaction', async t => {
  const { db, store, makeRun } = openSqliteStore(t)
  const run = await makeRun()
  const progress = { step: 's', done: 1, total: 2, message: 'm' }
  db.exec("CREATE TRIGGER full BEFORE INSERT ON job_events BEGIN SELECT RAISE(FAIL, 'full'); END")
  await t.rejects(store.events.progress(run, progress), { message: 'full' })
  t.equal((await store.find(run.id))?.progress, null)
  db.exec('DROP TRIGGER full')
  await store.events.progress(run, progress)
  t.same((await store.find(run.id))?.progress, progress)
})

test('what a reader still has to get is measured in characters of the events', async t => {
  const { store, makeRun } = openSqliteStore(t)
  const run = await makeRun()
  const before = await store.events.last(run.seq)
  await store.events.text(run, 'log', 'x'.repeat(100), { stream: 'stdout' })
  t.same(await store.events.backlog(run.seq, before), {
    events: 1,
    chars: JSON.stringify({ text: 'x'.repeat(100), stream: 'stdout' }).length,
  })
})
