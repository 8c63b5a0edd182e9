import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { test, type Test } from 'tap'
import { SpaceReserve } from '../../../../src/jobs/store/space-reserve.ts'
import { openJobsDatabase } from '../../../../src/jobs/store/sqlite/database.ts'
import { SqliteJobStore } from '../../../../src/jobs/store/sqlite/sqlite-job-store.ts'
import { Transactions } from '../../../../src/jobs/store/sqlite/transactions.ts'
import { testFolder } from '../../../helpers/test-folder.ts'

const LARGE = "INSERT INTO job_texts (job_seq, kind, position, text) VALUES (1, 'x', 1, hex(randomblob(50000)))"
const JOB =
  "INSERT INTO jobs (id, type, status, trust, input, usage, created_at, updated_at) VALUES ('', '', '', '', '', '', '', '')"

/** Says how long each commit waits for the disk: 2 is FULL, 1 NORMAL. */
const synchronous = (db: DatabaseSync) => Number(db.prepare('PRAGMA synchronous').get()?.synchronous)

/** A database that is full while room is set aside, and has room once it was given up. */
function openFull(t: Test) {
  const folder = testFolder(t)
  const db = openJobsDatabase(join(folder, 'jobs.sqlite'))
  t.teardown(() => db.close())
  db.exec(JOB)
  class Room extends SpaceReserve {
    override giveUp(): boolean {
      const had = super.giveUp()
      if (had) db.exec('PRAGMA max_page_count = 100000')
      return had
    }
  }
  let free = 1_000_000
  const reserve = new Room(join(folder, 'reserve'), { bytes: 1_000, freeBytes: () => free })
  reserve.hold()
  const fill = () => {
    db.exec('PRAGMA max_page_count = 1') // SQLite never goes below what is there
    free = 0
  }
  return { db, writes: new Transactions(db, reserve), reserve, fill, empty: () => (free = 1_000_000) }
}

test('a durable write waits for the disk, a quick one does not, and the next durable one does again', t => {
  const { db, writes } = openFull(t)
  t.equal(
    writes.durable(() => synchronous(db)),
    2,
  )
  t.equal(
    writes.quick(() => synchronous(db)),
    1,
  )
  t.equal(
    writes.vital(() => synchronous(db)),
    2,
  )
  t.throws(() =>
    writes.quick(() => {
      throw new Error('broken')
    }),
  )
  t.equal(synchronous(db), 2)
  t.end()
})

test('on a full disk only a vital write gets the room that was set aside', t => {
  const { db, writes, reserve, fill, empty } = openFull(t)
  fill()
  t.throws(() => writes.durable(() => db.exec(LARGE)), { code: 'DISK_FULL', fix: /DELETE \/jobs/ })
  t.throws(() => writes.quick(() => db.exec(LARGE)), { code: 'DISK_FULL' })
  t.equal(reserve.isHeld, true)
  writes.vital(() => db.exec(LARGE))
  t.equal(reserve.isHeld, false)
  const small = () => db.exec('UPDATE jobs SET status = 1')
  t.throws(() => writes.durable(small), { code: 'DISK_FULL' }, 'there is room, and it is not for this')
  t.throws(() => writes.quick(small), { code: 'DISK_FULL' })
  t.doesNotThrow(() => writes.vital(small))
  empty()
  t.doesNotThrow(() => writes.durable(small))
  t.equal(reserve.isHeld, true, 'it was set aside again')
  t.end()
})

test('without a reserve a full disk ends a vital write, too', t => {
  const { db, fill } = openFull(t)
  fill()
  t.throws(() => new Transactions(db, null).vital(() => db.exec(LARGE)), { code: 'DISK_FULL' })
  t.end()
})

test('what a client hears of is on the disk before; progress, text and a start are written quickly', async t => {
  const db = openJobsDatabase(join(testFolder(t), 'jobs.sqlite'))
  t.teardown(() => db.close())
  const store = new SqliteJobStore(db)
  const modes: string[] = []
  const exec = db.exec.bind(db)
  db.exec = sql => {
    if (sql === 'COMMIT') modes.push(synchronous(db) === 2 ? 'durable' : 'quick')
    exec(sql)
  }
  const during = async <T>(work: () => Promise<T>): Promise<[T, string]> => {
    modes.length = 0
    return [await work(), modes.join()]
  }
  const job = { type: 'task', input: {}, projectName: null, exclusiveKey: null, keyName: null } as const
  const queue = { limit: 10, retryAfterS: () => 1 }
  const [made, how] = await during(() => store.create({ ...job, id: 'a' }, queue))
  t.equal(how, 'durable')
  const [run, started] = await during(() => store.claim(made.job.seq))
  t.equal(started, 'quick')
  if (run === null) throw new Error('not queued')
  const usage = { llmCalls: 1, promptTokens: 1, completionTokens: 1, usd: null }
  const entry = { kind: 'model_error', model: 'm', code: 'X', message: 'x', usage } as const
  const progress = { step: 's', done: 1, total: 2, message: 'm' }
  const request = { kind: 'clarification', question: 'Which?' } as const
  const writes: Array<[string, string, () => Promise<unknown>]> = [
    ['progress', 'quick', () => store.events.progress(run, progress)],
    ['text', 'quick', () => store.events.text(run, 'log', 'x')],
    ['step', 'durable', () => store.steps.finish(run, 's', 1)],
    ['input', 'durable', () => store.setInput(run, { input: { log: 'x' } })],
    ['result', 'durable', () => store.setResult(run, { attempts: 1 })],
    ['usage', 'durable', () => store.setUsage(run, { usage, redactions: 0, activeMs: 1 })],
    ['transcript', 'durable', () => store.transcript.add(run, 's', entry)],
    ['diff', 'durable', () => store.texts.set(run, 'diff', 'x')],
    ['files', 'durable', () => store.files.put(run, [{ path: 'a', bytes: 1, sha256: 'x' }])],
    ['failure', 'durable', () => store.setFailure(run, { code: 'X', message: 'x', step: null })],
    ['wait', 'durable', () => store.endRun(run, 'waiting', { suspension: { asked: 'q', request } })],
    ['cancel', 'durable', () => store.cancel(run.seq)],
    ['deletion', 'durable', () => store.retention.remove([run.seq])],
  ]
  for (const [name, expected, write] of writes) t.equal((await during(write))[1], expected, name)
})
