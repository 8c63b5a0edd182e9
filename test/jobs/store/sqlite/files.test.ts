import { test } from 'tap'
import { openSqliteStore } from './fixture.ts'

const entry = (path: string, sha256: string) => ({ path, bytes: 1, sha256 })

test('a set of files is put whole or not at all', async t => {
  const { db, store, makeRun } = openSqliteStore(t)
  const run = await makeRun()
  db.exec("CREATE TRIGGER full BEFORE INSERT ON job_files WHEN NEW.path = 'b' BEGIN SELECT RAISE(FAIL, 'full'); END")
  await t.rejects(store.files.put(run, [entry('a', 'aa'), entry('b', 'bb')]), { message: 'full' })
  t.same(await store.files.list(run.seq), [])
})

test('the files before a step are still known when later ones replaced them', async t => {
  const { store, makeRun, rows } = openSqliteStore(t)
  const run = await makeRun()
  await store.files.put(run, [entry('a', 'aa')])
  await store.files.put(run, [entry('a', 'ab')])
  t.equal(rows('SELECT * FROM job_files').length, 1, 'within one step the later one replaces the earlier')
  await store.steps.finish(run, 's', 1)
  await store.files.put(run, [entry('a', 'ac')])
  t.same(await store.files.checksums(run.seq, 2), ['ab'])
  t.same((await store.files.checksums(run.seq, 3)).sort(), ['ab', 'ac'])
})
