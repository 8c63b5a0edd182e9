import { readFileSync } from 'node:fs'
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { test } from 'tap'
import { openJobsDatabase } from '../../../../src/jobs/store/sqlite/database.ts'
import { SqliteJobStore } from '../../../../src/jobs/store/sqlite/sqlite-job-store.ts'
import { preparedBy } from '../../../helpers/prepared-by.ts'
import { testFolder } from '../../../helpers/test-folder.ts'

const ROOM = { limit: 100, retryAfterS: () => 1 }

async function claimed(store: SqliteJobStore, branch = 'feat/x') {
  const more = { projectName: 'shop', exclusiveKey: null, keyName: null }
  const { job } = await store.create({ id: randomUUID(), type: 'feature', input: {}, ...more }, ROOM)
  const run = await store.claim(job.seq)
  if (run === null) throw new Error('the job is not queued')
  const of = { jobId: run.id, projectName: 'shop', repository: 'shop', branch, baseBranch: 'main', baseCommit: null }
  return { run, isOurs: await store.features.claim(run, of) }
}

test('no question about features reads a whole table: ended ones stay for as long as their project', async t => {
  const db = openJobsDatabase(join(testFolder(t), 'jobs.sqlite'))
  t.teardown(() => db.close())
  const sent = await preparedBy(db, async () => {
    const store = new SqliteJobStore(db)
    const { run } = await claimed(store)
    await store.features.update(run, { commit: 'a'.repeat(40), isPushed: true })
    await store.features.update(run, { requestNumber: 7, state: 'delivered' })
  })
  const about = sent.filter(sql => /\bfeatures\b/.test(sql) && !/\bINSERT\b/.test(sql))
  t.equal(about.length, 9, about.join('\n'))
  const planOf = (sql: string): string => JSON.stringify(db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all())
  for (const sql of about) t.notMatch(planOf(sql), /SCAN features(?! USING INDEX features_open)/, sql)
  const plan = (part: RegExp): string => planOf(about.find(one => part.test(one)) ?? '')
  t.match(plan(/WHERE state = 'open' ORDER BY job_seq/), /INDEX features_open_jobs/)
  t.notMatch(plan(/WHERE state = 'open' ORDER BY job_seq/), /TEMP B-TREE/)
  t.match(
    plan(/lower\(repository\) = lower\(\?\) AND branch = \?/),
    /SEARCH features USING (?:COVERING )?INDEX features_open /,
  )
  t.match(plan(/^DELETE/), /INDEX features_by_project/)
})

test('the database itself gives a branch of a clone to one open feature alone', async t => {
  const db = openJobsDatabase(join(testFolder(t), 'jobs.sqlite'))
  t.teardown(() => db.close())
  const store = new SqliteJobStore(db)
  const { run } = await claimed(store)
  const { run: other } = await claimed(store, 'feat/y')
  const take = () =>
    db.prepare("UPDATE features SET branch = 'feat/x', repository = 'SHOP' WHERE job_seq = ?").run(other.seq)
  t.throws(take, /UNIQUE/)
  await store.features.end(run.id, 'aborted')
  take()
  t.match(await store.features.find(other.id), { branch: 'feat/x' })
})

test('branches are there after a restart, and stand in no file once their project is gone', async t => {
  const file = join(testFolder(t), 'jobs.sqlite')
  const first = openJobsDatabase(file)
  const { run } = await claimed(new SqliteJobStore(first), 'feat/a-plan-that-nobody-should-find')
  first.close()
  const db = openJobsDatabase(file)
  t.teardown(() => db.close())
  const store = new SqliteJobStore(db)
  t.match(await store.features.find(run.id), { branch: 'feat/a-plan-that-nobody-should-find', state: 'open' })
  const isKept = () => ['', '-wal'].some(part => readFileSync(file + part).includes('a-plan-that-nobody'))
  t.equal(isKept(), true)
  await store.features.removeOfProject('shop')
  t.equal(isKept(), false)
})
