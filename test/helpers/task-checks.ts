import type { Test } from 'tap'
import type { ReplyBody } from '../../src/contract/job.ts'
import type { JsonObject } from '../../src/core/job.ts'
import type { JobContext } from '../../src/jobs/job-context.ts'
import { findGuards } from '../../src/guards/find-guards.ts'
import { hidingTests } from '../../src/guards/hiding-tests.ts'
import { withoutSuppressions } from '../../src/guards/suppressions.ts'
import { languageOf } from '../../src/indexer/languages.ts'
import { createChecksOf } from '../../src/pipelines/environment/plan.ts'
import type { Checks } from '../../src/pipelines/environment/ecosystem-rules.ts'
import { committedFiles } from '../../src/pipelines/steps/base/committed-files.ts'
import type { EnvironmentState } from '../../src/pipelines/steps/environment.ts'
import { createTaskChecks, type CheckedChange } from '../../src/pipelines/task/checks.ts'
import { kindOfPath } from '../../src/resolver/code/path-kinds.ts'
import type { SandboxOptions } from '../../src/sandbox/sandbox-options.ts'
import { setup } from '../repos/objects/commit-to.ts'
import type { TestFiles } from './git-repository.ts'
import { openJobs } from './open-jobs.ts'
import { testSandbox } from './sandbox.ts'
import { scriptedJob } from './scripted-job.ts'

const KINDS = { languageOf, isTest: (path: string) => kindOfPath(path).isTest }

/** What a change is, as contents by path; null deletes. */
export type TaskChange = Record<string, string | null>

interface Given {
  files: TestFiles
  changes: TaskChange[]
  settings?: Checks
  environment?: EnvironmentState
  sandbox?: Partial<SandboxOptions>
  isAllowed?: (path: string) => boolean
  /** Gets what came of the checks; when it suspends the job, they are done again from what its steps kept. */
  then?: (job: JobContext, results: CheckedChange[]) => Promise<void>
  /** What the job is told as soon as it waits. */
  reply?: ReplyBody
}

/**
 * The checks of several changes to one commit, in a real jail, with the names of the steps that ran. Programs find the
 * number of their run in `RUN`.
 */
export async function checkChanges(t: Test, { files, changes, settings = {}, ...given }: Given) {
  const { root, reader, base: commit } = await setup(t, { files })
  const { sandbox, workspacesDir } = await testSandbox(t, given.sandbox)
  const at = { projectName: 'shop', repository: 'shop', commit }
  const steps: string[] = []
  let runs = 0
  const run: typeof sandbox.run = request => sandbox.run({ ...request, env: { ...request.env, RUN: `${++runs}` } })
  const deps = {
    sandbox: {
      run,
      fill: sandbox.fill.bind(sandbox),
      collect: sandbox.collect.bind(sandbox),
      remove: sandbox.remove.bind(sandbox),
    },
    redact: (text: string) => text,
    findGuards: (of: Parameters<typeof hidingTests>[0]) => findGuards(of, null, KINDS),
    hidingTests: (of: Parameters<typeof hidingTests>[0]) => hidingTests(of, KINDS),
    withoutSuppressions,
    checksOf: createChecksOf({ git: reader, settingsOf: async () => settings, commitOf: async () => ({ commit }) }),
    needEnvironment: async (): Promise<EnvironmentState> => given.environment ?? { status: 'none' },
  }
  const pipeline = scriptedJob(async context => {
    const step: typeof context.step = (name, run) => {
      steps.push(name)
      return context.step(name, run)
    }
    const job = new Proxy(context, { get: (of, key) => (key === 'step' ? step : Reflect.get(of, key, of)) })
    const base = committedFiles(reader, at)
    const checks = createTaskChecks(job, deps, { base, at, isAllowed: given.isAllowed })
    const baseline = await checks.baseline()
    const results: CheckedChange[] = []
    for (const change of changes) {
      await job.step('put', () => job.files.put(new Map(Object.entries(change))))
      const paths = Object.keys(change)
      const deleted = paths.filter(path => change[path] === null)
      results.push(await checks.after({ changed: paths.filter(path => !deleted.includes(path)), deleted }, baseline))
    }
    await given.then?.(context, results)
    return { results }
  })
  const { jobs, errors } = await openJobs(
    t,
    { improve: pipeline },
    { root, workspacesDir, removeFolder: dir => sandbox.remove(dir) },
  )
  const { id } = (await jobs.create('improve', {} as JsonObject)).job
  if (given.reply !== undefined) {
    await jobs.settled(id, 300_000)
    await jobs.reply(id, given.reply, null)
  }
  const ended = await jobs.settled(id, 300_000)
  if (ended.status !== 'succeeded') t.fail(JSON.stringify({ ...ended.error, errors: errors.map(String) }))
  const { results } = ended.result as unknown as { results: CheckedChange[] }
  return { results, runs, steps: steps.filter(name => name !== 'put') }
}

/** The checks of one change. */
export async function checkChange(t: Test, { change, ...given }: Omit<Given, 'changes'> & { change: TaskChange }) {
  const { results, steps } = await checkChanges(t, { ...given, changes: [change] })
  const [result] = results
  if (result === undefined) throw new Error('there is no result')
  return { ...result, steps }
}
