import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { test } from 'tap'
import type { Begin, HandOut } from '../../../src/jobs/hand-out/hand-out.ts'
import { openJobsDatabase } from '../../../src/jobs/store/sqlite/database.ts'
import { SqliteJobStore } from '../../../src/jobs/store/sqlite/sqlite-job-store.ts'
import { openCloneJobs, untilAborted, type Run } from '../fixture.ts'
import { testFolder } from '../../helpers/test-folder.ts'

/** Jobs that are handed out by the test, which can take them away again, as a cluster does. */
async function openLosing(t: Parameters<typeof openCloneJobs>[0], run: Run) {
  const root = testFolder(t)
  const db = openJobsDatabase(join(root, 'lost.sqlite'))
  t.teardown(() => db.close())
  const store = new SqliteJobStore(db)
  const claim = new AbortController()
  let begin: Begin = async () => null
  const handOut: HandOut = {
    redelivers: false,
    async start(first) {
      begin = first
    },
    wake: async () => {},
    stop: () => {},
    positionOf: async () => 0,
    retryAfterS: () => 1,
  }
  const opened = await openCloneJobs(t, run, { store, handOut: () => handOut, root })
  const { job } = await opened.jobs.create('clone', {})
  return {
    ...opened,
    job,
    store,
    give: () => begin({ seq: job.seq, type: 'clone', projectName: null, exclusiveKey: null }, claim.signal),
    lose: () => claim.abort(),
  }
}

test('a run whose job may be another worker’s is ended at once and writes nothing', async t => {
  const entered = Promise.withResolvers<undefined>()
  const { jobs, job, give, lose, errors } = await openLosing(t, async ({ step, log }) => {
    await step('first', async signal => {
      entered.resolve(undefined)
      await untilAborted(signal).catch(() => log('after the loss'))
      return 1
    })
    return {}
  })
  const run = await give()
  await entered.promise
  const before = await jobs.events(job.id, 0)
  lose()
  await run?.over
  t.equal(run?.isEnded, true, 'nothing is left to write')
  t.match(await jobs.get(job.id), { status: 'running' }, 'as the other worker has it')
  t.same(await jobs.events(job.id, 0), before)
  t.same(errors, [])
})

test('a run that has ended is not lost any more, and tells nothing of that', async t => {
  const { jobs, job, give, lose, store } = await openLosing(t, async () => ({}))
  let told = 0
  store.notLost = async () => {
    told++
  }
  await (
    await give()
  )?.over
  lose() // as pg-boss does with whatever it is done with
  t.match(await jobs.get(job.id), { status: 'succeeded' })
  t.equal(told, 0)
})

test('a process that gets its own job once more ends the run that it has first', async t => {
  const order: string[] = []
  const entered = Promise.withResolvers<undefined>()
  const { jobs, job, give, store } = await openLosing(t, async ({ signal }) => {
    order.push('begin')
    entered.resolve(undefined)
    if (order.length === 1) {
      await untilAborted(signal).catch(() => nextTurn())
      order.push('end')
      signal.throwIfAborted()
    }
    return {}
  })
  await give()
  await entered.promise
  await store.recover() // as a cluster claims it anew
  await (
    await give()
  )?.over
  t.same(order, ['begin', 'end', 'begin'])
  t.match(await jobs.settled(job.id, 10_000), { status: 'succeeded' })
})

test('a write that is refused to a former run ends that run', async t => {
  const entered = Promise.withResolvers<undefined>()
  const gate = Promise.withResolvers<undefined>()
  const { jobs, job, give, store } = await openLosing(t, async ({ step, signal }) => {
    entered.resolve(undefined)
    await gate.promise
    await step('late', async () => 1).catch(() => {})
    return signal.aborted ? { heard: true } : {}
  })
  const run = await give()
  await entered.promise
  await store.recover()
  const other = await store.claim(job.seq)
  gate.resolve(undefined)
  await run?.over
  t.same(await store.steps.all(job.seq), [])
  t.match(await jobs.get(job.id), { status: 'running', result: null }, 'the other run has it')
  t.equal(other === null ? null : await store.endRun(other, 'succeeded'), true)
})
