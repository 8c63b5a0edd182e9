import { test } from 'tap'
import { openSqliteStore } from './fixture.ts'

test('a step and its event are one transaction', async t => {
  const { db, store, makeRun } = openSqliteStore(t)
  const run = await makeRun()
  db.exec("CREATE TRIGGER full BEFORE INSERT ON job_events BEGIN SELECT RAISE(FAIL, 'full'); END")
  await t.rejects(store.steps.finish(run, 's', 1), { message: 'full' })
  t.equal(await store.steps.output(run.seq, 's'), undefined)
  db.exec('DROP TRIGGER full')
  await store.steps.finish(run, 's', 1)
  t.same(await store.steps.output(run.seq, 's'), { output: 1 })
})

test('what is written next belongs to the step after the last one', async t => {
  const { store, makeRun } = openSqliteStore(t)
  const run = await makeRun()
  t.equal(store.steps.nextPosition(run.seq), 1)
  await store.steps.finish(run, 's', 1)
  t.equal(store.steps.nextPosition(run.seq), 2)
  t.equal(store.steps.nextPosition(999), 1)
})
