import { test, type Test } from 'tap'
import { FaultlineError } from '../../src/core/errors.ts'
import type { JobContext } from '../../src/jobs/job-context.ts'
import { SqliteJobStore } from '../../src/jobs/store/sqlite/sqlite-job-store.ts'
import { redactTexts } from '../../src/llm/redaction/redact-values.ts'
import { TASK_LOG } from '../contracts/task-store.ts'
import { openJobs } from '../helpers/open-jobs.ts'
import { scriptedJob } from '../helpers/scripted-job.ts'
import { testFolder } from '../helpers/test-folder.ts'
import { untilAborted } from './fixture.ts'

const BODY = { project_name: 'shop', description: 'Refuse an empty address' }
const LONG_MS = 10_000

/** Jobs whose tasks are done by `run`, and their tasks. */
async function openTasks(
  t: Test,
  run: (context: JobContext) => Promise<unknown>,
  options: Parameters<typeof openJobs>[2] = {},
) {
  const opened = await openJobs(t, { task: scriptedJob(run), clone: scriptedJob(run) }, options)
  const { tasks } = new SqliteJobStore(opened.db)
  const done = async (body: Record<string, string | number> = BODY) => {
    const { job } = await opened.jobs.create('task', body)
    return opened.jobs.settled(job.id, LONG_MS)
  }
  return { ...opened, tasks, done }
}

test('a pipeline tells where its task stands and what was done for it', async t => {
  const seen: unknown[] = []
  const { jobs, tasks, done } = await openTasks(t, async ({ task }) => {
    const number = await task.number()
    seen.push(await tasks.find(number))
    await task.update({ status: 'coding', attempt: 1, branchName: `ai/task-${number}-attempt-1` })
    await task.log('code:1', TASK_LOG)
    await task.update({ status: 'testing', reviewerFeedback: null })
    seen.push(await tasks.find(number))
    return {}
  })
  const { id } = await done()
  t.match(seen, [
    { number: 1, status: 'pending', attempt: 0, maxAttempts: 3, repository: null, repoPath: null },
    { number: 1, status: 'testing', attempt: 1, branchName: 'ai/task-1-attempt-1' },
  ])
  t.match(await tasks.find(1), { status: 'done', title: BODY.description, errorMessage: null })
  t.match(await tasks.logs(1), [TASK_LOG])
  t.match((await jobs.transcript(id)).entries, [{ entry: { kind: 'task', ...TASK_LOG } }])
})

test('a task says which repository it is about, and how often it is tried', async t => {
  const asked: unknown[] = []
  const findSource = async (...about: unknown[]) => {
    asked.push(about)
    return about[1] === 'gone' ? null : { repository: 'shop', url: '/srv/shop.git' }
  }
  const { tasks, done } = await openTasks(t, async () => ({}), { findSource })
  await done({ ...BODY, max_attempts: 5 })
  await done({ ...BODY, repository: 'gone' })
  t.match(await tasks.find(1), { repository: 'shop', repoPath: '/srv/shop.git', maxAttempts: 5 })
  t.match(await tasks.find(2), { repository: 'gone', repoPath: null, maxAttempts: 3 })
  t.same(asked, [
    ['shop', undefined],
    ['shop', 'gone'],
  ])
})

test('a task fails with the sentence that its job fails with', async t => {
  const { tasks, done } = await openTasks(t, async ({ input }) => {
    if (input.repository === 'bug') throw new Error('a path of this machine')
    throw new FaultlineError('LLM_UNAVAILABLE', 'The model did not answer.')
  })
  await done()
  const broken = await done({ ...BODY, repository: 'bug' })
  t.match(await tasks.find(1), { status: 'failed', errorMessage: 'The model did not answer.' })
  t.match(await tasks.find(2), { status: 'failed', errorMessage: broken.error?.message })
  t.match(broken.error?.message, /Something broke here/)
})

test('a task whose job is cancelled fails, and what its run still says of it is not written', async t => {
  const reached = Promise.withResolvers<void>()
  const over = Promise.withResolvers<void>()
  const { jobs, tasks } = await openTasks(t, async ({ task, step }) => {
    await task.update({ status: 'coding', attempt: 1 })
    try {
      await step('code', signal => {
        reached.resolve()
        return untilAborted(signal)
      })
    } finally {
      await task.update({ status: 'testing' }).finally(over.resolve)
    }
  })
  const { job } = await jobs.create('task', BODY)
  await reached.promise
  t.match(await tasks.find(1), { status: 'coding' })
  await jobs.cancel(job.id)
  await over.promise
  t.match(await tasks.find(1), { status: 'failed', attempt: 1, errorMessage: /^The job was cancelled/ })
})

test('a task that the end of the server cut off stays where it stands, and each step is told once', async t => {
  const root = testFolder(t)
  let runs = 0
  const reached = Promise.withResolvers<void>()
  const body = async ({ task, step }: JobContext) => {
    runs++
    await task.log('context:1', { ...TASK_LOG, agent: 'pipeline' })
    await step('code', async () => task.log('code:1', TASK_LOG))
    await task.update({ status: 'reviewing', attempt: 1 })
    return await step('review', async signal => {
      await task.log('review:1', { ...TASK_LOG, agent: 'reviewer', action: 'review', outputSummary: `run ${runs}` })
      if (runs > 1) return 'approve'
      reached.resolve()
      return untilAborted(signal)
    })
  }
  const first = await openTasks(t, body, { root })
  const { job } = await first.jobs.create('task', BODY)
  await reached.promise
  await first.jobs.stop()
  t.match(await first.tasks.find(1), { status: 'reviewing', attempt: 1, errorMessage: null })
  await first.close()
  const second = await openTasks(t, body, { root })
  await second.jobs.settled(job.id, LONG_MS)
  t.match(await second.tasks.find(1), { status: 'done', attempt: 1 })
  t.match(await second.tasks.logs(1), [
    { agent: 'pipeline' },
    { agent: 'coder', outputSummary: '2 files' },
    { agent: 'reviewer', outputSummary: 'run 2' },
  ])
  const { entries } = await second.jobs.transcript(job.id)
  const told = entries.flatMap(({ entry }) => (entry.kind === 'task' ? [entry.agent] : []))
  t.same(told, ['pipeline', 'coder', 'reviewer', 'reviewer'], 'in the transcript, too')
  t.equal(runs, 2)
})

test('what is written of a task holds no secret, and of a long text its ends', async t => {
  const secret = `ghp_${'a1B2c3D4e5'.repeat(4).slice(0, 36)}`
  const { tasks, done } = await openTasks(
    t,
    async ({ task }) => {
      await task.update({ reviewerFeedback: `The token ${secret} stands in a.ts` })
      await task.log('code:1', { ...TASK_LOG, outputSummary: `FIRST ${'x '.repeat(50_000)} LAST ${secret}` })
      return {}
    },
    { withoutSecrets: redactTexts },
  )
  await done()
  t.match((await tasks.find(1))?.reviewerFeedback, /^The token \[redacted:.*\] stands in a\.ts$/)
  const [log] = await tasks.logs(1)
  t.match(log?.outputSummary, /^FIRST x [^]*characters left out[^]* LAST \[redacted:/)
  t.ok((log?.outputSummary?.length ?? 0) < 17_000)
  t.match(log, { agent: 'coder', tokensUsed: TASK_LOG.tokensUsed })
})

test('a job of another type works on no task, and a run that has ended writes nothing', async t => {
  const tried: Array<Promise<unknown>> = []
  const kept: JobContext[] = []
  const { jobs, tasks } = await openTasks(t, async context => {
    kept.push(context)
    for (const attempt of [context.task.number(), context.task.update({ attempt: 1 })]) {
      tried.push(attempt)
      await attempt.catch(() => {})
    }
    return {}
  })
  const { job } = await jobs.create('clone', BODY)
  await jobs.settled(job.id, LONG_MS)
  await Promise.all(tried.map(one => t.rejects(one, /works on no task/)))
  t.same(await tasks.list({}, 10, null), [])
  await t.rejects(async () => kept[0]?.task.log('late', TASK_LOG), /has ended/)
})

test('a task outlives its job; a retry is another task', async t => {
  const { jobs, tasks, done } = await openTasks(t, async () => ({}))
  const first = await done()
  const { job: retry } = await jobs.retry(first.id, { ...BODY, max_attempts: 7 })
  await jobs.settled(retry.id, LONG_MS)
  await jobs.remove(first.id)
  await t.rejects(jobs.get(first.id), { code: 'JOB_NOT_FOUND' })
  t.match(await tasks.find(1), { jobId: first.id, status: 'done' })
  t.match(await tasks.find(2), { jobId: retry.id, status: 'done', maxAttempts: 7 })
})
