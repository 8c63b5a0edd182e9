import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { test } from 'tap'
import { openJobsDatabase } from '../../../../src/jobs/store/sqlite/database.ts'
import { SqliteJobStore } from '../../../../src/jobs/store/sqlite/sqlite-job-store.ts'
import { preparedBy } from '../../../helpers/prepared-by.ts'
import { testFolder } from '../../../helpers/test-folder.ts'

const ROOM = { limit: 100, retryAfterS: () => 1 }
const QUESTION = { asked: 'q', request: { kind: 'clarification', question: 'Which?' } } as const

async function waiting(store: SqliteJobStore) {
  const more = { projectName: 'shop', exclusiveKey: null, keyName: null, notify: ['waiting', 'done'] } as const
  const { job } = await store.create({ id: randomUUID(), type: 'self_heal', input: {}, ...more }, ROOM)
  const run = await store.claim(job.seq)
  if (run === null) throw new Error('the job is not queued')
  await store.endRun(run, 'waiting', { suspension: QUESTION })
  return run
}

test('no question about notifications reads a whole table, or sorts it: they stay as long as their jobs', async t => {
  const db = openJobsDatabase(join(testFolder(t), 'jobs.sqlite'))
  t.teardown(() => db.close())
  const sent = await preparedBy(db, async () => {
    const store = new SqliteJobStore(db)
    await waiting(store)
    const [row] = await store.notifications.pending('telegram')
    await store.notifications.sent(row?.id ?? 0, 1)
    await store.notifications.outdated()
  })
  const about = sent.filter(sql => /\bnotifications\b/.test(sql) && !/\bINSERT\b/.test(sql))
  t.equal(about.length, 4, about.join('\n'))
  const planOf = (sql: string): string[] =>
    db
      .prepare(`EXPLAIN QUERY PLAN ${sql}`)
      .all()
      .map(({ detail }) => String(detail))
  for (const sql of about) {
    for (const line of planOf(sql)) {
      t.notMatch(line, /SCAN (?!notifications USING INDEX notifications_with_buttons)/, sql)
    }
    t.notMatch(planOf(sql).join('\n'), /TEMP B-TREE/, sql)
  }
  const plan = (part: RegExp): string => planOf(about.find(one => part.test(one)) ?? '').join('\n')
  t.match(plan(/is_pending = 1 AND channel/), /SEARCH notifications USING INDEX notifications_pending \(channel=\?\)/)
  t.match(plan(/message_id IS NOT NULL/), /notifications USING INDEX notifications_with_buttons/)
  t.match(plan(/message_id IS NOT NULL/), /SEARCH later USING (?:COVERING )?INDEX notifications_by_job/)
  const cascade = planOf('DELETE FROM notifications WHERE job_seq = 1').join('\n')
  t.match(cascade, /INDEX notifications_by_job/, 'as a job that goes takes them with it')
})

test('what is still to be sent is there after a restart, and nothing of a purged job', async t => {
  const file = join(testFolder(t), 'jobs.sqlite')
  const first = openJobsDatabase(file)
  const run = await waiting(new SqliteJobStore(first))
  first.close()
  const db = openJobsDatabase(file)
  t.teardown(() => db.close())
  const store = new SqliteJobStore(db)
  t.match(await store.notifications.pending('callback'), [{ jobId: run.id, asked: 'q', isOpen: true }])
  await store.cancel(run.seq)
  await store.retention.purge([run])
  t.same(db.prepare('SELECT * FROM notifications').all(), [])
})
