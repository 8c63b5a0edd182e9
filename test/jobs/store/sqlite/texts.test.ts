import { test } from 'tap'
import { openSqliteStore } from './fixture.ts'

test('the latest text of a kind counts, and one is kept for each step', async t => {
  const { store, makeRun, rows } = openSqliteStore(t)
  const run = await makeRun()
  for (const text of ['one', 'two']) await store.texts.set(run, 'diff', text)
  await store.texts.set(run, 'patch', 'p')
  await store.steps.finish(run, 's', 1)
  await store.texts.set(run, 'diff', 'three')
  t.equal(await store.texts.get(run.seq, 'diff'), 'three')
  t.same(
    rows("SELECT text FROM job_texts WHERE kind = 'diff' ORDER BY position").map(({ text }) => text),
    ['two', 'three'],
  )
  t.equal(await store.texts.get(run.seq, 'patch'), 'p')
})
