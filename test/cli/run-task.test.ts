import { test } from 'tap'
import type { Backend } from '../../src/cli/backend/backend.ts'
import { runTask } from '../../src/cli/run-task.ts'
import type { Session } from '../../src/cli/session.ts'
import type { JobAnswer, JobEventAnswer } from '../../src/contract/job.ts'
import { plain } from '../../src/text/paint.ts'

const JOB = {
  id: 'j1',
  type: 'task',
  status: 'running',
  project_name: 'shop',
  request: null,
  progress: null,
  queue_position: null,
  error: null,
} as unknown as JobAnswer
const FAILED = { code: 'TASK_FAILED', message: 'It did not pass.', fix: 'Look at it.' }

interface World {
  /** How the wait for the job ends. */
  wait: () => Promise<Partial<JobAnswer>>
  events?: Array<Partial<JobEventAnswer>>
  tasks?: Array<{ job_id: string; number: number }>
  isAborted?: boolean
  isJson?: boolean
}

/** Runs a task of a backend that answers so. */
function run({
  wait,
  events = [],
  tasks = [
    { job_id: 'j0', number: 3 },
    { job_id: 'j1', number: 4 },
  ],
  ...more
}: World) {
  const { isAborted = false, isJson = false } = more
  const said: string[] = []
  const cancelled: string[] = []
  const results: unknown[] = []
  const progress = { print: (text: string) => said.push(text.trim()), show: () => {}, end: () => {}, isChanging: false }
  const session = {
    output: {
      isJson,
      paint: plain,
      paintNote: plain,
      note: (text: string) => said.push(text),
      progress: () => progress,
      result: (job: unknown) => results.push(job),
    },
    signal: isAborted ? AbortSignal.abort() : new AbortController().signal,
  } as unknown as Session
  const backend = {
    clonesDir: null,
    listTasks: async () => ({ data: tasks }),
    jobEvents: async (_id: string, after: number) => ({ data: events.filter(({ id = 0 }) => id > after) }),
    waitForJob: async (_id: string, { onProgress }: { onProgress: (job: JobAnswer) => Promise<void> }) => {
      await onProgress(JOB)
      return { ...JOB, ...(await wait()) }
    },
    cancelJob: async (id: string) => {
      cancelled.push(id)
    },
  } as unknown as Backend
  const ended = runTask(session, backend, { start: async () => JOB, yes: true, checkout: null, title: 'Mend it' })
  return { ended, said, cancelled, results }
}

const failing = async (error: unknown) => Promise.reject(error)

test('Ctrl-C cancels the task and says how it goes on; any other error stays what it is', async t => {
  const stopped = run({ wait: () => failing(new Error('aborted')), isAborted: true })
  await t.rejects(stopped.ended, {
    code: 'INTERRUPTED',
    message: 'Interrupted: task #4 was cancelled.',
    fix: '"faultline retry 4" begins it again.',
  })
  t.same(stopped.cancelled, ['j1'])
  t.same(stopped.said, ['Task #4, job j1'])
  const unknown = run({ wait: () => failing(new Error('aborted')), isAborted: true, tasks: [] })
  await t.rejects(unknown.ended, { code: 'INTERRUPTED', message: 'Interrupted.' })
  t.same(unknown.said, [], 'its number is not known')
  const broken = run({ wait: () => failing(new TypeError('a bug')) })
  await t.rejects(broken.ended, new TypeError('a bug'))
  t.same(broken.cancelled, [])
})

test('a task that failed names the commands for it, or is printed where JSON is asked for', async t => {
  const ended = { status: 'failed' as const, error: FAILED as JobAnswer['error'] }
  await t.rejects(run({ wait: async () => ended }).ended, {
    code: 'TASK_FAILED',
    message: 'It did not pass.',
    fix: 'Look at it. "faultline show 4" says what each agent did, "faultline retry 4" tries again.',
  })
  const bare = run({ wait: async () => ({ ...ended, error: { ...FAILED, fix: undefined } as JobAnswer['error'] }) })
  await t.rejects(bare.ended, { code: 'TASK_FAILED', fix: /^"faultline show 4" says/ })
  await t.rejects(run({ wait: async () => ended, tasks: [] }).ended, { code: 'TASK_FAILED', fix: 'Look at it.' })
  const json = run({ wait: async () => ended, isJson: true })
  t.not(await json.ended, 0)
  t.match(json.results, [{ id: 'j1', status: 'failed' }])
})

test('each state of a task is told once, and each attempt of the coder', async t => {
  const step = (id: number, name: string, message: string, done?: number, total?: number) => ({
    id,
    event: 'step' as const,
    data: { step: name, message, done, total },
  })
  const events = [
    step(1, 'coding', 'attempt 1 of 3: writing', 0, 3),
    step(2, 'coding', 'attempt 1 of 3: more', 0, 3),
    step(3, 'coding', 'attempt 2 of 3: again', 1, 3),
    step(4, 'coding', 'counted by nobody'),
    step(5, 'unheard_of', 'none'),
  ]
  const stopped = run({ wait: () => failing(new Error('over')), events: events as never })
  await t.rejects(stopped.ended, { message: 'over' })
  t.same(
    stopped.said.filter(line => /^\w+(?: \(.*\))?: /.test(line)),
    ['coding (attempt 1/3): writing', 'coding (attempt 2/3): again', 'coding: counted by nobody'],
  )
})
