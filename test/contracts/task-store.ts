import { randomUUID } from 'node:crypto'
import type { Test } from 'tap'
import type { NewTask, NewTaskLog } from '../../src/core/task.ts'
import type { ClaimedJob, JobStore, NewJob, QueueLimit, StoredJob } from '../../src/jobs/store/job-store.ts'
import type { TaskFilter } from '../../src/jobs/store/task-store.ts'

/** Opens an empty store for one test, whose clock is `now`, and closes it in the test's teardown. */
type OpenJobStore = (t: Test, now: () => Date) => Promise<JobStore>

/** What an agent did. */
export const TASK_LOG: NewTaskLog = {
  agent: 'coder',
  action: 'generate',
  inputSummary: 'attempt 1',
  outputSummary: '2 files',
  tokensUsed: 1_200,
  durationMs: 340,
}
const ROOM: QueueLimit = { limit: 100, retryAfterS: () => 7 }
const QUESTION = { asked: 'q', request: { kind: 'clarification', question: 'Which?' } } as const

function newTaskJob(task: Partial<NewTask> = {}, more: Partial<NewJob> = {}): NewJob {
  const projectName = task.projectName ?? 'shop'
  const description = 'Refuse an empty address'
  return {
    id: randomUUID(),
    type: 'task',
    input: {},
    projectName,
    exclusiveKey: null,
    keyName: null,
    task: { description, projectName, repository: 'shop', repoPath: '/srv/shop.git', maxAttempts: 3, ...task },
    ...more,
  }
}

/** What every implementation of JobStore must do for tasks. */
export function taskStoreContract(t: Test, open: OpenJobStore): void {
  const fact = (name: string, run: (t: Test, store: JobStore, clock: { now: Date }) => Promise<void>) =>
    t.test(name, async t => {
      const clock = { now: new Date('2026-01-01T00:00:00Z') }
      await run(t, await open(t, () => clock.now), clock)
    })
  const make = async (store: JobStore, ...job: Parameters<typeof newTaskJob>): Promise<StoredJob> =>
    (await store.create(newTaskJob(...job), ROOM)).job
  const begin = async (store: JobStore, { seq }: StoredJob): Promise<ClaimedJob> => {
    const run = await store.claim(seq)
    if (run === null) throw new Error('the job is not queued')
    return run
  }
  const makeRun = async (store: JobStore, ...job: Parameters<typeof newTaskJob>): Promise<ClaimedJob> =>
    begin(store, await make(store, ...job))
  const numbers = async (store: JobStore, filter: TaskFilter, limit = 100, before: number | null = null) =>
    (await store.tasks.list(filter, limit, before)).map(({ number }) => number)

  fact('a task has its row with its job: pending, titled by how its description begins', async (t, store) => {
    const description = `  Refuse\n an empty address${'!'.repeat(200)}`
    const job = await make(store, { description, maxAttempts: 5 })
    const task = {
      number: 1,
      jobId: job.id,
      title: `Refuse an empty address${'!'.repeat(77)}`,
      description,
      status: 'pending',
      projectName: 'shop',
      repository: 'shop',
      repoPath: '/srv/shop.git',
      branchName: null,
      attempt: 0,
      maxAttempts: 5,
      reviewerFeedback: null,
      errorMessage: null,
      createdAt: '2026-01-01T00:00:00.000Z',
      updatedAt: '2026-01-01T00:00:00.000Z',
    }
    t.same(await store.tasks.find(1), task)
    t.same(await store.tasks.list({}, 10, null), [task])
    t.same(await store.tasks.logs(1), [])
    t.equal(await store.tasks.numberOf(job.seq), 1)
  })

  fact('what hostile text a task holds is given back as it was', async (t, store) => {
    const description = "'; DROP TABLE tasks; -- \u0000 \u202e ✓ 🧵"
    const run = await makeRun(store, { description, repoPath: null, repository: null })
    await store.tasks.log(run, description, { ...TASK_LOG, inputSummary: description, tokensUsed: null })
    t.match(await store.tasks.find(1), { description, repoPath: null, repository: null })
    t.match(await store.tasks.logs(1), [{ inputSummary: description, tokensUsed: null }])
  })

  fact('jobs without a task have no row and take no number', async (t, store) => {
    const none = await makeRun(store, {}, { task: null, type: 'clone' })
    await make(store)
    t.same(await numbers(store, {}), [1])
    t.equal(await store.tasks.numberOf(none.seq), null)
    t.equal(await store.tasks.find(2), null)
    t.same(await store.tasks.logs(2), [])
    await t.rejects(store.tasks.update(none, { attempt: 1 }), /works on no task/)
    await t.rejects(store.tasks.log(none, 'x', TASK_LOG), /works on no task/)
    t.equal(await store.endRun(none, 'succeeded'), true)
  })

  fact('numbers count up from 1: what is refused or replayed takes none, and none is given twice', async (t, store) => {
    const idempotency = { key: 'k', scope: 's', bodySha256: 'aa' }
    const first = await store.create(newTaskJob({}, { idempotency }), ROOM)
    const replayed = await store.create(newTaskJob({}, { idempotency }), ROOM)
    t.match(replayed, { replayed: true, job: { id: first.job.id } })
    await t.rejects(store.create(newTaskJob(), { ...ROOM, limit: 1 }), { code: 'QUEUE_FULL' })
    const broken = newTaskJob({}, { kept: { from: 999_999, before: 2 } })
    await t.rejects(store.create(broken, ROOM), { code: 'JOB_NOT_FOUND' })
    await make(store, { projectName: 'api' })
    t.same(await numbers(store, {}), [2, 1])
    await store.tasks.removeOfProject('api')
    await make(store)
    t.same(await numbers(store, {}), [3, 1])
  })

  fact('a run changes what it names of its task, and no other one', async (t, store, clock) => {
    const run = await makeRun(store)
    await makeRun(store)
    clock.now = new Date('2026-01-01T00:00:05Z')
    await store.tasks.update(run, { status: 'coding', attempt: 1, branchName: 'ai/task-1-attempt-1' })
    await store.tasks.update(run, { status: 'reviewing', reviewerFeedback: 'No test' })
    t.match(await store.tasks.find(1), {
      status: 'reviewing',
      attempt: 1,
      branchName: 'ai/task-1-attempt-1',
      reviewerFeedback: 'No test',
      createdAt: '2026-01-01T00:00:00.000Z',
      updatedAt: '2026-01-01T00:00:05.000Z',
    })
    clock.now = new Date('2026-01-01T00:00:09Z')
    await store.tasks.update(run, { reviewerFeedback: null, errorMessage: 'x', attempt: undefined })
    await store.tasks.update(run, {})
    t.match(await store.tasks.find(1), { status: 'reviewing', attempt: 1, reviewerFeedback: null, errorMessage: 'x' })
    t.match(await store.tasks.find(2), { status: 'pending', attempt: 0, branchName: null })
  })

  fact('logs are kept in their order; one that comes again takes the place of the first', async (t, store, clock) => {
    const [run, other] = [await makeRun(store), await makeRun(store)]
    await store.tasks.log(run, 'code:1', TASK_LOG)
    await store.tasks.log(other, 'code:1', { ...TASK_LOG, outputSummary: 'of another task' })
    const review = { ...TASK_LOG, agent: 'reviewer', action: 'review', durationMs: 12.6 } as const
    await store.tasks.log(run, 'review:1', review)
    clock.now = new Date('2026-01-01T00:00:05Z')
    await store.tasks.log(run, 'code:1', { ...TASK_LOG, outputSummary: '3 files', tokensUsed: 9 })
    t.match(await store.tasks.logs(1), [
      { ...TASK_LOG, outputSummary: '3 files', tokensUsed: 9, createdAt: '2026-01-01T00:00:05.000Z' },
      { ...review, durationMs: 13, createdAt: '2026-01-01T00:00:00.000Z' },
    ])
    t.match(await store.tasks.logs(2), [{ outputSummary: 'of another task' }])
    clock.now = new Date('2026-01-01T00:00:09Z')
    t.equal(await store.tasks.log(run, 'review:1', review), false)
    t.equal(await store.tasks.log(run, 'review:2', review), true)
    const [, again] = await store.tasks.logs(1)
    t.equal(again?.createdAt, '2026-01-01T00:00:00.000Z', 'what a job that was begun again says once more is not new')
  })

  fact('the end of a job is the end of its task', async (t, store, clock) => {
    const error = { code: 'LLM_UNAVAILABLE', message: 'The model did not answer.', step: 's' }
    const [done, failed, cancelled, queued] = [
      await makeRun(store),
      await makeRun(store),
      await makeRun(store),
      await make(store),
    ]
    await store.tasks.update(done, { errorMessage: 'of the first attempt', status: 'testing' })
    clock.now = new Date('2026-01-01T00:00:05Z')
    await store.endRun(done, 'succeeded', { result: 1 })
    await store.endRun(failed, 'failed', { error })
    await store.cancel(cancelled.seq)
    await store.cancel(queued.seq)
    t.match(await store.tasks.find(1), { status: 'done', errorMessage: null, updatedAt: '2026-01-01T00:00:05.000Z' })
    t.match(await store.tasks.find(2), { status: 'failed', errorMessage: error.message })
    for (const number of [3, 4]) {
      t.match(await store.tasks.find(number), { status: 'failed', errorMessage: /^The job was cancelled/ })
    }
  })

  fact('after the end of its task a run changes nothing of it', async (t, store) => {
    const run = await makeRun(store)
    await store.cancel(run.seq)
    const ended = await store.tasks.find(1)
    await store.tasks.update(run, { status: 'testing', errorMessage: null })
    await store.tasks.log(run, 'late', TASK_LOG)
    t.equal(await store.endRun(run, 'succeeded'), false)
    t.same(await store.tasks.find(1), ended)
    t.same(await store.tasks.logs(1), [])
  })

  fact('a task whose job is put back, waits or lost its process stays where it stands', async (t, store) => {
    const dead = await makeRun(store)
    await store.tasks.update(dead, { status: 'reviewing', attempt: 2, branchName: 'b' })
    await store.tasks.log(dead, 'code:1', TASK_LOG)
    const here = { status: 'reviewing', attempt: 2, branchName: 'b', errorMessage: null }
    await store.recover()
    t.match(await store.tasks.find(1), here)
    const stopped = await begin(store, dead)
    await t.rejects(store.tasks.update(dead, { status: 'coding' }), /another run/)
    await store.endRun(stopped, 'queued', { note: 'stopping' })
    t.match(await store.tasks.find(1), here)
    await store.endRun(await begin(store, dead), 'waiting', { suspension: QUESTION })
    t.match(await store.tasks.find(1), here)
    t.equal((await store.tasks.logs(1)).length, 1)
  })

  fact('a retry is a task of its own', async (t, store) => {
    const failed = await makeRun(store)
    await store.steps.finish(failed, 'base', 1)
    await store.endRun(failed, 'failed', { error: { code: 'X', message: 'x', step: null } })
    const retry = await make(store, {}, { retryOf: failed.id, kept: { from: failed.seq, before: 2 } })
    t.match(await store.tasks.find(2), { jobId: retry.id, status: 'pending' })
    t.match(await store.tasks.find(1), { jobId: failed.id, status: 'failed' })
  })

  fact('tasks are listed newest first, by status and project, and go on from where a page ended', async (t, store) => {
    for (const projectName of ['Shop', 'api', 'SHOP', 'shop']) await make(store, { projectName })
    const second = (await store.list({}, 10, null)).at(-2)
    await store.cancel(second?.seq ?? 0)
    await store.cancel((await store.list({}, 1, null))[0]?.seq ?? 0)
    t.same(await numbers(store, {}, 2), [4, 3])
    t.same(await numbers(store, {}, 2, 3), [2, 1])
    t.same(await numbers(store, {}, 2, 1), [])
    t.same(await numbers(store, { status: 'failed' }), [4, 2])
    t.same(await numbers(store, { projectName: 'shop' }), [4, 3, 1])
    t.same(await numbers(store, { projectName: 'SHOP', status: 'failed' }), [4])
    t.same(await numbers(store, { projectName: 'shop', status: 'pending' }, 1, 3), [1])
    t.same(await numbers(store, { visibleTo: { projects: ['api'], keyName: 'ada' } }), [2])
    t.same(await numbers(store, { visibleTo: { projects: ['api', 'shop'], keyName: null }, status: 'pending' }), [3, 1])
    t.same(await numbers(store, { visibleTo: { projects: ['api'], keyName: null }, projectName: 'shop' }), [])
    t.same(await numbers(store, { visibleTo: { projects: [], keyName: null } }), [])
    t.equal((await numbers(store, { visibleTo: null })).length, 4)
  })

  fact('tasks outlive their jobs, and go with their project', async (t, store) => {
    const [deleted, purged] = [await makeRun(store), await makeRun(store)]
    for (const run of [deleted, purged]) {
      await store.tasks.log(run, 'code:1', TASK_LOG)
      await store.endRun(run, 'succeeded')
    }
    await make(store, { projectName: 'api' })
    await store.retention.remove([deleted.seq])
    await store.retention.purge([purged])
    t.match(await store.tasks.find(1), { jobId: deleted.id, status: 'done' })
    t.equal((await store.tasks.logs(2)).length, 1)
    await store.tasks.removeOfProject('SHOP')
    t.same(await numbers(store, {}), [3])
    t.same([await store.tasks.find(1), await store.tasks.logs(1), await store.tasks.logs(2)], [null, [], []])
    await store.tasks.removeOfProject('shop')
  })
}
