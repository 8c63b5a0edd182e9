import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'tap'
import type { NewJob } from '../../../../src/jobs/store/job-store.ts'
import { openJobsDatabase } from '../../../../src/jobs/store/sqlite/database.ts'
import { SqliteJobStore } from '../../../../src/jobs/store/sqlite/sqlite-job-store.ts'
import { TASK_LOG } from '../../../contracts/task-store.ts'
import { preparedBy } from '../../../helpers/prepared-by.ts'
import { testFolder } from '../../../helpers/test-folder.ts'

const ROOM = { limit: 100, retryAfterS: () => 1 }

const newTaskJob = (description: string): NewJob => ({
  id: randomUUID(),
  type: 'task',
  input: {},
  projectName: 'shop',
  exclusiveKey: null,
  keyName: null,
  task: { description, projectName: 'shop', repository: 'shop', repoPath: null, maxAttempts: 3 },
})

test('no question about tasks reads a whole table, or sorts it', async t => {
  const db = openJobsDatabase(join(testFolder(t), 'jobs.sqlite'))
  t.teardown(() => db.close())
  const visibleTo = { projects: ['shop'], keyName: null }
  const sent = await preparedBy(db, async () => {
    const store = new SqliteJobStore(db)
    const { job } = await store.create(newTaskJob('Add a test'), ROOM)
    const run = await store.claim(job.seq)
    if (run === null) throw new Error('the job is not queued')
    await store.tasks.update(run, { status: 'coding', attempt: 1 })
    for (const filter of [{}, { status: 'failed' }, { projectName: 'shop' }] as const) {
      await store.tasks.list(filter, 10, null)
      await store.tasks.list({ ...filter, visibleTo }, 10, 5)
    }
    await store.tasks.list({ status: 'failed', projectName: 'shop' }, 10, null)
  })
  const about = sent.filter(sql => /\btask(?:s|_logs)\b/.test(sql) && !/\bINSERT\b/.test(sql))
  t.ok(about.length > 10, `${about.length} statements`)
  for (const sql of about) {
    const plan = db
      .prepare(`EXPLAIN QUERY PLAN ${sql}`)
      .all()
      .map(({ detail }) => String(detail))
    t.ok(plan.length > 0, sql)
    for (const line of plan) t.notMatch(line, /^SCAN (?!json_each)/, sql)
    if (!/json_each/.test(sql)) t.notMatch(plan.join('\n'), /TEMP B-TREE/, sql)
  }
  const planOf = (part: RegExp) => {
    const sql = about.find(one => part.test(one)) ?? ''
    return JSON.stringify(db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all())
  }
  t.match(planOf(/AND status = :status ORDER/), /INDEX tasks_by_status/)
  t.match(planOf(/AND lower\(project_name\) = lower\(:project\) ORDER/), /INDEX tasks_by_project/)
  t.match(planOf(/FROM task_logs WHERE task_id/), /INDEX task_logs_by_task/)
})

test('the logs of a task go with it, whoever deletes it', async t => {
  const db = openJobsDatabase(join(testFolder(t), 'jobs.sqlite'))
  t.teardown(() => db.close())
  const store = new SqliteJobStore(db)
  const { job } = await store.create(newTaskJob('Add a test'), ROOM)
  const run = await store.claim(job.seq)
  await store.tasks.log(run ?? { seq: 0, attempt: 0 }, 'code:1', TASK_LOG)
  db.exec('DELETE FROM tasks')
  t.match(db.prepare('SELECT count(*) AS n FROM task_logs').get(), { n: 0 })
})

test('a number that was given is not given again after a restart', async t => {
  const file = join(testFolder(t), 'jobs.sqlite')
  const first = openJobsDatabase(file)
  const store = new SqliteJobStore(first)
  for (const description of ['one', 'two']) await store.create(newTaskJob(description), ROOM)
  await store.tasks.removeOfProject('shop')
  first.close()
  const second = openJobsDatabase(file)
  t.teardown(() => second.close())
  const reopened = new SqliteJobStore(second)
  const { job } = await reopened.create(newTaskJob('three'), ROOM)
  t.equal(await reopened.tasks.numberOf(job.seq), 3)
})

test('tasks of a project that goes stand in no file of the database any more', async t => {
  const file = join(testFolder(t), 'jobs.sqlite')
  const db = openJobsDatabase(file)
  t.teardown(() => db.close())
  const store = new SqliteJobStore(db)
  const secret = 'a plan that nobody should find'
  const { job } = await store.create(newTaskJob(secret), ROOM)
  const run = await store.claim(job.seq)
  await store.tasks.log(run ?? { seq: 0, attempt: 0 }, 'code:1', { ...TASK_LOG, inputSummary: secret })
  const isKept = () => ['', '-wal'].some(part => readFileSync(file + part).includes(secret))
  t.equal(isKept(), true)
  await store.tasks.removeOfProject('shop')
  t.equal(isKept(), false)
})
