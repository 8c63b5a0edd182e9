import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { t as file, test, type Test } from 'tap'
import type { TaskAnswer, TaskResultAnswer } from '../../src/contract/task.ts'
import { startModelServer, type Reply } from '../fakes/model-server.ts'
import { startGitHttpServer } from '../helpers/git-http-server.ts'
import { createGitRepository } from '../helpers/git-repository.ts'
import { eventually } from '../helpers/processes.ts'
import { inJail, openFolder } from '../helpers/sandbox.ts'
import { INLINE_SERVER, lastingOrphans, startServerProcess, type ServerProcess } from '../helpers/server-process.ts'
import { BROKEN, DESCRIPTION, fsck, mend, NODE_FILES, reviewed, stateOf } from '../helpers/task-project.ts'
import { call, until, type WireJob } from './job-over-http.ts'

file.setTimeout(360_000) // the usual half minute is for the whole file, which a busy machine needs alone

/** Whose tests take long enough to be seen. */
const FILES = {
  ...NODE_FILES,
  'package.json': JSON.stringify({ type: 'module', scripts: { lint: 'sleep 1; node lint.js', test: 'node --test' } }),
}
const HANG: Reply = { hang: true }
const BODY = { description: DESCRIPTION, project_name: 'shop', auto_merge: true, push: true }

async function serve(t: Test, folder: string) {
  const server = await startGitHttpServer(folder)
  t.teardown(() => server.close())
  return server
}

async function setup(t: Test, chat: Reply[], { isServed = false } = {}) {
  const root = openFolder(t)
  const model = await startModelServer({ chat })
  t.teardown(() => model.close())
  const repository = createGitRepository(join(root, 'remotes', 'shop.git'), { files: FILES })
  const remote = isServed ? await serve(t, join(root, 'remotes')) : null
  if (isServed) repository.git('config', 'http.receivepack', 'true')
  const reached: Record<string, string> = isServed
    ? { ALLOW_PRIVATE_HOSTS: 'true' }
    : { ALLOW_LOCAL_REPOS: join(root, 'remotes') }
  const env = { LLM_BASE_URL: model.baseUrl, LLM_MODEL: 'scripted', ...reached }
  const start = (): Promise<ServerProcess> => startServerProcess(root, env, INLINE_SERVER)
  const first = await start()
  t.teardown(() => first.end('SIGKILL')) // where the test ended before it did
  const url = remote === null ? repository.dir : `${remote.url}/shop.git`
  await call(first.url, '/clone?wait=60', { url, project_name: 'shop' })
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
  return { root, model, start, first, remote, repository, gitDir, branches, workspaces }
}

type Built = Awaited<ReturnType<typeof setup>>

const at =
  (step: string) =>
  ({ progress }: WireJob): boolean =>
    progress?.step === step

async function whole(t: Test, { repository, gitDir, branches, root }: Built, url: string): Promise<void> {
  t.equal(fsck(gitDir), '')
  t.equal(fsck(repository.dir), '')
  t.same(
    branches().filter(name => !/^ai\/task-1-attempt-\d+$/.test(name)),
    [],
  )
  t.same(await lastingOrphans(root, process.pid), [])
  t.match(await (await fetch(`${url}/ready`)).json(), { ready: true })
}

const STATES = [
  { state: 'coding', chat: [HANG], after: [mend(), reviewed('approve')] },
  { state: 'reviewing', chat: [mend(), HANG], after: [reviewed('approve')] },
  { state: 'testing', chat: [mend(), reviewed('approve')], after: [] },
  {
    state: 'coding',
    of: 'a second attempt',
    chat: [mend(BROKEN), reviewed('reject'), HANG],
    after: [mend(), reviewed('approve')],
  },
]

/** Posts the task and comes back when it is where it is to be disturbed. */
async function begin(built: Built, { state, chat }: { state: string; chat: Reply[] }): Promise<string> {
  const { id } = await call(built.first.url, '/tasks', BODY)
  if (chat.at(-1) === HANG) await built.model.waitForRequest(chat.length)
  const job = await until(built.first.url, id, at(state))
  if (!at(state)(job)) throw new Error(`the task did not get there: ${JSON.stringify(job)}`)
  return id
}

for (const { state, of = 'a task', chat, after } of STATES) {
  test(`kill -9 of ${of} while it is ${state}: it goes on, and no finished call is repeated`, inJail, async t => {
    const built = await setup(t, chat)
    const id = await begin(built, { state, chat })
    await built.first.end('SIGKILL')
    built.model.push(...after)
    const second = await built.start()
    try {
      const job = await until<TaskResultAnswer>(second.url, id, ({ status }) => status === 'succeeded')
      t.match(job, { status: 'succeeded', result: { merged: true } })
      t.equal(built.model.requests.length, chat.length + after.length)
      const { data } = (await (await fetch(`${second.url}/tasks`)).json()) as { data: unknown[] }
      t.equal(data.length, 1)
      const task = (await (await fetch(`${second.url}/tasks/1`)).json()) as TaskAnswer
      t.equal(task.status, 'done')
      t.equal(
        new Set(task.logs.map(one => JSON.stringify([one.agent, one.output_summary, one.id]))).size,
        task.logs.length,
      )
      t.equal(task.logs.filter(({ agent }) => agent === 'coder').length, job.result.attempts.length)
      t.equal(built.repository.git('rev-parse', 'main'), job.result.merge_commit)
      t.same(built.workspaces(), [])
      await whole(t, built, second.url)
    } finally {
      await second.end('SIGKILL')
    }
  })

  test(`a cancel of ${of} while it is ${state} leaves no branch`, inJail, async t => {
    const built = await setup(t, chat)
    const before = stateOf(built.repository.dir)
    const id = await begin(built, { state, chat })
    await call(built.first.url, `/jobs/${id}/cancel`, {})
    t.match(await until(built.first.url, id, () => false), { status: 'cancelled' })
    await eventually(() => built.branches().length === 0)
    t.same(built.branches(), [])
    t.match((await (await fetch(`${built.first.url}/tasks/1`)).json()) as TaskAnswer, { status: 'failed' })
    await eventually(() => built.workspaces().length === 0)
    t.same(built.workspaces(), [])
    t.same(stateOf(built.repository.dir), before)
    await built.first.end('SIGKILL')
    t.equal(fsck(built.gitDir), '')
    t.same(await lastingOrphans(built.root, process.pid), [])
  })
}

test('kill -9 while the merge is pushed: it is merged once', inJail, async t => {
  const built = await setup(t, [mend(), reviewed('approve')], { isServed: true })
  const { promise: isPushed, resolve: swallow } = Promise.withResolvers<void>()
  if (built.remote === null) throw new Error('the remote is not served')
  built.remote.behaviour.swallow = swallow
  const { id } = await call(built.first.url, '/tasks', BODY)
  await isPushed
  t.equal(built.repository.git('rev-list', '--merges', '--count', 'main'), '1', 'the remote has it, and nobody knows')
  await built.first.end('SIGKILL')
  built.remote.behaviour.swallow = undefined
  const second = await built.start()
  try {
    const job = await until<TaskResultAnswer>(second.url, id, ({ status }) => status === 'succeeded')
    t.match(job, { status: 'succeeded', result: { merged: true } })
    const merges = built.repository.git('rev-list', '--merges', '--count', 'main')
    t.equal(merges, '1')
    await whole(t, built, second.url)
  } finally {
    await second.end('SIGKILL')
  }
})

test('a task that was cancelled while the server was down leaves no branch after the start', inJail, async t => {
  const built = await setup(t, [mend(), HANG])
  const id = await begin(built, { state: 'reviewing', chat: [mend(), HANG] })
  await call(built.first.url, `/jobs/${id}/cancel`, {})
  await built.first.end('SIGKILL') // perhaps before the branch was deleted
  const second = await built.start()
  try {
    await eventually(() => built.branches().length === 0)
    t.same(built.branches(), [])
  } finally {
    await second.end('SIGKILL')
  }
})
