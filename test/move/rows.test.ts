import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import t, { type Test } from 'tap'
import { openJobsDatabase } from '../../src/jobs/store/sqlite/database.ts'
import { PostgresJobStore } from '../../src/jobs/store/postgres/postgres-job-store.ts'
import { SqliteJobStore } from '../../src/jobs/store/sqlite/sqlite-job-store.ts'
import type { Direction } from '../../src/move/direction.ts'
import { createRows } from '../../src/move/rows.ts'
import { MOVED_TABLES } from '../../src/move/tables.ts'
import type { Database } from '../../src/postgres/database.ts'
import { overPostgres } from '../helpers/postgres.ts'

const signal = new AbortController().signal
const JOBS = 230
const AT = '2026-11-26T05:00:00.123Z'
const QUEUE = { limit: 1_000, retryAfterS: () => 1 }

interface OpenFile {
  db: DatabaseSync
  path: string
}

function openFile(t: Test, name: string): OpenFile {
  const path = join(t.testdirName, name, 'jobs.sqlite')
  const db = openJobsDatabase(path)
  t.teardown(() => db.close())
  return { db, path }
}

/** A value for a column, other ones in each row; those that only some rows have are null in the others. */
function valueFor({ name, type, notnull }: Record<string, unknown>, table: string, row: number) {
  if (notnull === 0 && row % 3 === 0) return null
  const column = String(name)
  if (/(?:^|_)(?:at|since)$/.test(column)) return AT.replace('05:00', `05:${String(row % 60).padStart(2, '0')}`)
  if (['is_pushed', 'is_pending', 'helpful'].includes(column)) return row % 2
  if (column === 'status') return ['queued', 'running', 'waiting', 'succeeded'][row % 4] ?? ''
  if (column === 'notify') return row % 2 === 0 ? '["waiting","done"]' : '[]'
  if (type === 'INTEGER') return row + 1
  if (type === 'BLOB') return Buffer.from([0, 255, row % 256, 26, 48])
  const json = ['input', 'usage', 'progress', 'data', 'output', 'entry', 'fingerprints', 'sketch'].includes(column)
  const text = `${table} ${column} ${row} \u0000\u001a0\\x00 é 😀 'q"`
  return json ? JSON.stringify({ text }) : text
}

/** Fills every table, with numbers that were given out and are gone. */
function fill(db: DatabaseSync): void {
  db.exec('PRAGMA foreign_keys = OFF; BEGIN')
  for (const { name } of MOVED_TABLES) {
    const columns = db.prepare(`PRAGMA table_info(${name})`).all()
    const places = columns.map(() => '?').join(', ')
    const insert = db.prepare(`INSERT INTO ${name} VALUES (${places})`)
    for (let row = 0; row < JOBS; row++) insert.run(...columns.map(column => valueFor(column, name, row)))
  }
  for (const { name, numbered } of MOVED_TABLES) {
    if (numbered !== undefined) db.exec(`DELETE FROM ${name} WHERE ${numbered} > ${JOBS - 5}`)
  }
  for (const name of MOVED_TABLES.map(table => table.name).filter(table => /^job_|^notif/.test(table))) {
    db.exec(`DELETE FROM ${name} WHERE job_seq > ${JOBS - 5}`)
  }
  db.exec(`DELETE FROM task_logs WHERE task_id > ${JOBS - 5}`)
  for (const name of ['resolution_fingerprints', 'resolution_feedback']) {
    db.exec(`DELETE FROM ${name} WHERE resolution_seq > ${JOBS - 5}`)
  }
  db.exec('COMMIT')
}

const partOf = ({ db: file, path }: OpenFile, db: Database, direction: Direction) =>
  createRows({ file, path, db, direction })

/** Moves, and is cut off after so many reports. */
async function moveUntil(part: ReturnType<typeof partOf>, reports: number): Promise<void> {
  const cut = new AbortController()
  let seen = 0
  await part.move(() => {
    if (++seen >= reports) cut.abort(new Error('cut off'))
  }, cut.signal)
}

const all = (db: DatabaseSync, table: string, key: readonly string[]) =>
  db
    .prepare(`SELECT * FROM ${table} ORDER BY ${key.join(', ')}`)
    .all()
    .map(row => ({ ...row }))

overPostgres(t, (t, openEmpty) => {
  t.test('all rows go there and back as they are, also when it is cut off', async t => {
    const db = await openEmpty()
    t.testdir()
    const [from, back] = [openFile(t, 'from'), openFile(t, 'back')]
    fill(from.db)
    const there = partOf(from, db, 'to_cluster')
    const { items } = await there.look(signal)
    for (const reports of [1, 3, 8, 20]) await t.rejects(moveUntil(there, reports), { message: 'cut off' })
    t.not((await there.check(() => {}, signal)).differences.length, 0, 'a part is not all')
    await there.move(() => {}, signal)
    t.match(await there.check(() => {}, signal), { same: items, differences: [] })

    const taken = partOf(back, db, 'from_cluster')
    for (const reports of [2, 9]) await t.rejects(moveUntil(taken, reports), { message: 'cut off' })
    await taken.move(() => {}, signal)
    t.match(await taken.check(() => {}, signal), { same: items, differences: [] })
    for (const { name, key, left = [] } of MOVED_TABLES) {
      const anew = Object.fromEntries(left.map(column => [column, 0]))
      const wanted = all(from.db, name, key).map(row => ({
        ...row,
        ...(row.notify === '[]' ? { notify: null } : {}),
        ...anew,
      }))
      t.strictSame(all(back.db, name, key), wanted, name)
    }
    t.same(
      back.db.prepare('SELECT * FROM sqlite_sequence ORDER BY name').all(),
      from.db.prepare('SELECT * FROM sqlite_sequence ORDER BY name').all(),
    )
  })

  t.test('a row that differs is told', async t => {
    const db = await openEmpty()
    t.testdir()
    const from = openFile(t, 'from')
    fill(from.db)
    const there = partOf(from, db, 'to_cluster')
    await there.move(() => {}, signal)
    await db.query("UPDATE task_logs SET action = 'another' WHERE id = 7")
    await db.query('DELETE FROM audit WHERE seq = 3')
    await db.query('UPDATE counters SET value = 1')
    t.same((await there.check(() => {}, signal)).differences, [
      'audit: 224 of 225 rows',
      'task_logs: rows differ',
      'tasks: the next number differs',
    ])
  })

  t.test('what is made after the move goes on where the other side ended', async t => {
    const db = await openEmpty()
    t.testdir()
    const from = openFile(t, 'from')
    const single = new SqliteJobStore(from.db)
    const job = { type: 'task' as const, projectName: 'shop', exclusiveKey: null, keyName: null, input: { a: 1 } }
    const task = { description: 'x', projectName: 'shop', repository: null, repoPath: null, maxAttempts: 1 }
    for (const id of ['one', 'two']) await single.create({ ...job, id, task }, QUEUE)
    const run = await single.claim(1)
    if (run === null) throw new Error('nothing was claimed')
    await single.steps.finish(run, 'first', { a: 1 })
    await single.events.text(run, 'log', 'a line')
    await single.transcript.add(run, null, { kind: 'note', text: 'said' } as never)
    await single.retention.remove([2])
    await partOf(from, db, 'to_cluster').move(() => {}, signal)

    const store = new PostgresJobStore(db)
    await store.recover()
    const claimed = await store.claim(1)
    t.match(claimed, { id: 'one', attempt: 2 })
    if (claimed === null) return
    t.same(
      (await store.events.list(1, 0, -1)).map(({ id }) => id),
      [1, 2, 3, 4, 5, 6],
    )
    await store.steps.finish(claimed, 'second', null)
    t.match(await store.steps.all(1), [{ position: 1 }, { position: 2 }])
    const { job: next } = await store.create({ ...job, id: 'three', task }, QUEUE)
    t.equal(next.seq, 3, 'the number of a job that is gone is not given again')
    t.match(await store.tasks.list({}, 10, null), [{ number: 3 }, {}, {}])
  })
})
