import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { t as file, test, type Test } from 'tap'
import type { FeatureResultAnswer } from '../../src/contract/feature.ts'
import { startModelServer, type Reply } from '../fakes/model-server.ts'
import { FEATURE_FILES, planned, REQUEST, written } from '../helpers/feature-project.ts'
import { createGitRepository } from '../helpers/git-repository.ts'
import { eventually } from '../helpers/processes.ts'
import { inJail, openFolder } from '../helpers/sandbox.ts'
import { INLINE_SERVER, lastingOrphans, startServerProcess, type ServerProcess } from '../helpers/server-process.ts'
import { fsck, stateOf } from '../helpers/task-project.ts'
import { call, until, type WireJob } from './job-over-http.ts'

file.setTimeout(360_000) // the usual half minute is for the whole file, which a busy machine needs alone

/** Whose tests take long enough to be seen. */
const FILES = {
  ...FEATURE_FILES,
  'package.json': JSON.stringify({
    type: 'module',
    scripts: { typecheck: 'node scripts/typecheck.js', test: "sleep 1; node --test 'tests/**/*.test.ts'" },
  }),
}
const HANG: Reply = { hang: true }
const BODY = { request: REQUEST, project_name: 'shop' }
const WHOLE = [planned(), ...written()]

async function setup(t: Test, chat: Reply[]) {
  const root = openFolder(t)
  const model = await startModelServer({ chat })
  t.teardown(() => model.close())
  const repository = createGitRepository(join(root, 'remotes', 'shop.git'), { files: FILES })
  const env = { LLM_BASE_URL: model.baseUrl, LLM_MODEL: 'scripted', ALLOW_LOCAL_REPOS: join(root, 'remotes') }
  const start = (): Promise<ServerProcess> => startServerProcess(root, env, INLINE_SERVER)
  const first = await start()
  t.teardown(() => first.end('SIGKILL')) // where the test ended before it did
  await call(first.url, '/clone?wait=60', { url: repository.dir, project_name: 'shop' })
  const gitDir = join(root, 'cloned_repos', 'shop')
  const branches = (): string[] =>
    execFileSync('git', [`--git-dir=${gitDir}`, 'for-each-ref', '--format=%(refname:short)', 'refs/heads'])
      .toString()
      .split('\n')
      .filter(name => name !== '')
  const workspaces = (): string[] => {
    const folder = join(root, 'data', 'workspaces')
    const folders = existsSync(folder) ? readdirSync(folder, { withFileTypes: true }) : []
    return folders
      .filter(entry => entry.isDirectory() && !entry.name.startsWith('.'))
      .flatMap(({ name }) => readdirSync(join(folder, name)).filter(part => part !== 'files'))
  }
  return { root, model, start, first, repository, gitDir, branches, workspaces }
}

type Built = Awaited<ReturnType<typeof setup>>

const STATES = [
  { state: 'planning', done: 0 },
  { state: 'coding', done: 1 },
  { state: 'verifying', done: 4 },
  { state: 'awaiting_approval', done: 4 },
]

const isAt =
  (state: string) =>
  ({ progress, status }: WireJob): boolean =>
    progress?.step === state && (state !== 'awaiting_approval' || status === 'waiting')

/** Posts the feature and comes back when it is where it is to be disturbed. */
async function begin({ first, model }: Built, { state, done }: { state: string; done: number }): Promise<string> {
  const { id } = await call(first.url, '/features', BODY)
  if (done < WHOLE.length) await model.waitForRequest(done + 1)
  const job = await until(first.url, id, isAt(state))
  if (!isAt(state)(job)) throw new Error(`the feature did not get there: ${JSON.stringify(job)}`)
  return id
}

for (const { state, done } of STATES) {
  const chat = [...WHOLE.slice(0, done), ...(done < WHOLE.length ? [HANG] : [])]

  test(`kill -9 while a feature is ${state}: it goes on, and no finished call is repeated`, inJail, async t => {
    const built = await setup(t, chat)
    const id = await begin(built, { state, done })
    await built.first.end('SIGKILL')
    built.model.push(...WHOLE.slice(done))
    const second = await built.start()
    try {
      const waiting = await until(second.url, id, ({ status }) => status === 'waiting')
      t.match(waiting, { request: { kind: 'approve_delivery' } }, JSON.stringify(waiting.error))
      await call(second.url, `/jobs/${id}/reply`, { decision: 'approve' })
      const job = await until<FeatureResultAnswer>(second.url, id, () => false)
      t.match(job, { status: 'succeeded', result: { outcome: 'delivered', attempts: [{ number: 1, error: null }] } })
      t.equal(built.model.requests.length, chat.length + WHOLE.length - done)
      t.ok(await eventually(() => built.branches().length === 1))
      t.same(built.branches(), ['feat/add-characters-v1'])
      t.same(built.workspaces(), [])
      t.equal(fsck(built.gitDir), '')
    } finally {
      await second.end('SIGKILL')
    }
    t.same(await lastingOrphans(built.root, process.pid), [])
  })

  test(`a cancel while a feature is ${state} leaves nothing`, inJail, async t => {
    const built = await setup(t, chat)
    const before = stateOf(built.repository.dir)
    const id = await begin(built, { state, done })
    await call(built.first.url, `/jobs/${id}/cancel`, {})
    t.match(await until(built.first.url, id, () => false), { status: 'cancelled' })
    t.ok(await eventually(() => built.branches().length + built.workspaces().length === 0))
    t.same([built.branches(), built.workspaces()], [[], []])
    t.same(stateOf(built.repository.dir), before)
    await built.first.end('SIGKILL')
    t.equal(fsck(built.gitDir), '')
    t.same(await lastingOrphans(built.root, process.pid), [])
  })
}

test('a feature that was cancelled just before a kill leaves no branch after the start', inJail, async t => {
  const built = await setup(t, WHOLE)
  const id = await begin(built, { state: 'awaiting_approval', done: 4 })
  await call(built.first.url, `/jobs/${id}/cancel`, {})
  await built.first.end('SIGKILL') // perhaps before the branch was deleted
  const second = await built.start()
  try {
    t.ok(await eventually(() => built.branches().length === 0))
    t.same(built.branches(), [])
  } finally {
    await second.end('SIGKILL')
  }
})
