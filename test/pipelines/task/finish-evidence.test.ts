import { test } from 'tap'
import type { TaskInput, TaskTests } from '../../../src/contract/task.ts'
import type { JobContext } from '../../../src/jobs/job-context.ts'
import type { Attempted } from '../../../src/pipelines/task/attempt.ts'
import { finish, type FinishDeps } from '../../../src/pipelines/task/finish.ts'

type CheckRun = TaskTests['checks'][number]

const CHECK: CheckRun = { name: 'test', status: 'passed', command: 'npm test', exitCode: 0, before: 1, reason: null }
const INPUT = { description: 'Mend the total', project_name: 'shop', push: true } as TaskInput

/** Finishes an attempt that is pushed; gives what its pull request says, and what git was asked. */
async function pushed(tests: Partial<TaskTests> | null, input: Partial<TaskInput> = {}) {
  const asked: string[] = []
  const requests: Array<{ body: string; isDraft: boolean; title: string }> = []
  const job = {
    id: 'j1',
    log: () => {},
    step: async (_name: string, work: (signal: AbortSignal) => unknown) => work(new AbortController().signal),
  } as unknown as JobContext
  const deps = {
    git: {
      push: async ({ branch }: { branch: string }) => asked.push(`push ${branch}`),
      readText: async () => null,
    },
    findForge: async () => ({
      host: 'example.com',
      branch: 'main',
      compareUrl: (branch: string) => `https://example.com/compare/${branch}`,
      requests: {
        deliver: async (request: (typeof requests)[number]) => {
          requests.push(request)
          return { url: 'https://example.com/1', number: 1, outcome: 'opened' }
        },
        askForReview: async () => [],
      },
    }),
  } as unknown as FinishDeps
  const attempted = {
    base: { at: { projectName: 'shop', repository: 'shop', commit: 'c'.repeat(40) }, branch: 'main' },
    thinking: 'It was the sum.',
    record: {
      branch: 'ai/task-1-attempt-1',
      commit: 'd'.repeat(40),
      commitMessage: null,
      diff: '',
      tests: tests === null ? null : { summary: 'So it went.', checks: [CHECK], guards: [], ...tests },
    },
  } as unknown as Attempted
  const finished = await finish(job, deps, { input: { ...INPUT, ...input }, task: 1, attempted })
  return { finished, asked, ...requests[0] }
}

test('a pull request says whether the checks passed, were red before, or were run by nobody', async t => {
  t.match((await pushed({ passed: true })).body, /checks passed[^]*npm test/)
  t.match((await pushed({ passed: false })).body, /checks failed before, too/)
  t.match((await pushed({ passed: null })).body, /nobody ran it/)
  t.notMatch((await pushed(null)).body, /npm test|nobody ran it|checks/)
})

test('it lists the checks that were run, not those that were skipped or have no command', async t => {
  const checks: CheckRun[] = [
    { ...CHECK, name: 'lint', status: 'skipped', command: 'eslint .' },
    { ...CHECK, name: 'typecheck', command: null },
    CHECK,
  ]
  const { body } = await pushed({ passed: true, checks })
  t.match(body, /npm test/)
  t.notMatch(body, /eslint/)
})

test('an attempt is pushed where the task asks for it, as a draft unless it says otherwise', async t => {
  const { finished, asked, isDraft, title } = await pushed({ passed: true })
  t.same(asked, ['push ai/task-1-attempt-1'])
  t.same(finished, {
    pullRequestUrl: 'https://example.com/1',
    compareUrl: 'https://example.com/compare/ai/task-1-attempt-1',
    merged: false,
    mergeCommit: null,
  })
  t.equal(isDraft, true)
  t.match(title, 'Mend the total')
  t.equal((await pushed({ passed: true }, { draft: false })).isDraft, false)
  t.equal((await pushed({ passed: true }, { draft: true })).isDraft, true)
  for (const push of [false, undefined]) {
    const left = await pushed({ passed: true }, { push })
    t.same(left.asked, [])
    t.match(left.finished, { merged: false, pullRequestUrl: null })
  }
})
