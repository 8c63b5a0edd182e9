import { test } from 'tap'
import { openSqliteStore } from './fixture.ts'

test('nothing of a job that is forgotten stays in any table, and its space is free again', async t => {
  const { db, store, makeRun, rows } = openSqliteStore(t)
  const run = await makeRun({ log: 'x'.repeat(100_000) })
  await store.steps.finish(run, 's', 'y'.repeat(1_000_000))
  await store.files.put(run, [{ path: 'a', bytes: 1, sha256: 'aa' }])
  await store.texts.set(run, 'diff', 'd')
  await store.transcript.add(run, 's', {
    kind: 'question',
    name: 'q',
    request: { kind: 'clarification', question: '?' },
  })
  await store.endRun(run, 'succeeded')
  const before = await store.retention.usedBytes()
  await store.retention.remove([run.seq])
  const tables = rows("SELECT name FROM sqlite_schema WHERE type = 'table' AND name LIKE 'job%'")
  t.equal(tables.length, 7)
  for (const { name } of tables) t.same(db.prepare(`SELECT * FROM ${String(name)}`).all(), [], String(name))
  t.ok(before - (await store.retention.usedBytes()) > 1_000_000)
})

test('the same bytes under two names of a job count once, those of two jobs twice', async t => {
  const { store, makeRun } = openSqliteStore(t)
  const before = await store.retention.usedBytes()
  for (const path of ['a', 'b']) await store.files.put(await makeRun(), [{ path, bytes: 10_000_000, sha256: 'aa' }])
  const run = await makeRun()
  for (const path of ['c', 'd']) await store.files.put(run, [{ path, bytes: 10_000_000, sha256: 'bb' }])
  const used = (await store.retention.usedBytes()) - before
  t.ok(used >= 30_000_000 && used < 31_000_000, String(used))
})

test('an idempotency key is kept for 24 hours, to the millisecond', async t => {
  let now = new Date('2026-01-01T00:00:00Z')
  const { store, rows } = openSqliteStore(t, () => now)
  const idempotency = { key: 'k', scope: 's', bodySha256: 'aa' }
  await store.create(
    { id: 'a', type: 'task', input: {}, projectName: null, exclusiveKey: null, keyName: null, idempotency },
    { limit: 10, retryAfterS: () => 1 },
  )
  const keys = async () => {
    await store.retention.forgetKeys()
    return rows('SELECT key FROM idempotency_keys').length
  }
  now = new Date('2026-01-01T23:59:59.999Z')
  t.equal(await keys(), 1)
  now = new Date('2026-01-02T00:00:00Z')
  t.equal(await keys(), 0)
})
