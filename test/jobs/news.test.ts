import { EventEmitter, once } from 'node:events'
import { join } from 'node:path'
import { test } from 'tap'
import { Jobs } from '../../src/jobs/jobs.ts'
import type { NewsLine } from '../../src/jobs/news.ts'
import { openJobsDatabase } from '../../src/jobs/store/sqlite/database.ts'
import { SqliteJobStore } from '../../src/jobs/store/sqlite/sqlite-job-store.ts'
import { JOBS_LIMITS } from '../helpers/jobs-defaults.ts'
import { testFolder } from '../helpers/test-folder.ts'
import { collect, definition, never, untilAborted } from './fixture.ts'

/** Two nodes over one store: one that runs jobs, and one that answers requests. */
async function openNodes(t: Parameters<typeof testFolder>[0]) {
  const root = testFolder(t)
  const db = openJobsDatabase(join(root, 'jobs.sqlite'))
  const wire = new EventEmitter()
  const newsLine: NewsLine = {
    tell: (channel, item) => wire.emit(channel, [item]),
    on: (channel, hears) => wire.on(channel, hears),
  }
  const ran = new EventEmitter()
  const options = {
    store: new SqliteJobStore(db),
    definitions: {
      clone: definition(async ({ signal, log }) => {
        log('at work')
        ran.emit('begin')
        await untilAborted(signal).finally(() => ran.emit('aborted'))
        return {}
      }),
    },
    ...JOBS_LIMITS,
    workspacesDir: join(root, 'workspaces'),
    newsLine,
    onError: (error: unknown) => t.fail(String(error)),
  }
  const worker = new Jobs(options)
  const other = new Jobs({ ...options, isWorker: false })
  await other.start()
  await worker.start()
  t.teardown(async () => {
    await Promise.all([worker.stop(), other.stop()])
    db.close()
  })
  return { worker, other, wire, ran }
}

test('a job that is cancelled on one node ends on the one that runs it, and its followers hear of it', async t => {
  const { worker, other, ran } = await openNodes(t)
  const { job } = await worker.create('clone', {})
  await once(ran, 'begin')
  t.equal(other.running(), 0, 'a node that only answers requests runs none')
  const followed = collect(other.follow(job.id, 0, never))
  const aborted = once(ran, 'aborted')
  await other.cancel(job.id)
  await aborted
  t.equal((await followed).at(-1)?.event, 'done')
})

test('when news may have been missed, each node looks for itself', async t => {
  const { worker, other, ran, wire } = await openNodes(t)
  const { job } = await worker.create('clone', {})
  await once(ran, 'begin')
  const heard = wire.listeners('cancelled')
  wire.removeAllListeners('cancelled')
  await other.cancel(job.id)
  const aborted = once(ran, 'aborted')
  for (const hears of heard) (hears as (items: null) => void)(null)
  await aborted
  t.match(await worker.settled(job.id, 10_000), { status: 'cancelled' })
})
