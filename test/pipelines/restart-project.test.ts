import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { test, type Test } from 'tap'
import { startModelServer, type Reply } from '../fakes/model-server.ts'
import { startGitHttpServer } from '../helpers/git-http-server.ts'
import { createGitRepository } from '../helpers/git-repository.ts'
import { inJail, openFolder } from '../helpers/sandbox.ts'
import { INLINE_SERVER, lastingOrphans, startServerProcess, type ServerProcess } from '../helpers/server-process.ts'
import { call, until, type WireJob } from './job-over-http.ts'

const EDIT: Reply = { text: '--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-x = 1\n+x = 2\n' }

interface Delivered {
  branch: string
  commit: string
  base_commit: string
}

/** A server with the project `shop`, cloned over HTTP. */
async function setup(t: Test, chat: Reply[]) {
  const root = openFolder(t)
  const model = await startModelServer({ chat })
  t.teardown(() => model.close())
  const repository = createGitRepository(join(root, 'remotes', 'shop.git'), {
    files: { 'a.py': 'x = 1\n', 'b.py': 'y = 1 \n' },
  })
  repository.git('config', 'http.receivepack', 'true')
  const remote = await startGitHttpServer(join(root, 'remotes'))
  t.teardown(() => remote.close())
  const env = { LLM_BASE_URL: model.baseUrl, LLM_MODEL: 'scripted', ALLOW_PRIVATE_HOSTS: 'true' }
  const start = (): Promise<ServerProcess> => startServerProcess(root, env, INLINE_SERVER)
  const first = await start()
  await call(first.url, '/clone?wait=60', { url: `${remote.url}/shop.git`, project_name: 'shop' })
  const git = (...args: string[]) =>
    execFileSync('git', [`--git-dir=${join(root, 'cloned_repos', 'shop')}`, ...args])
      .toString()
      .trim()
  return { root, model, repository, remote, start, first, git }
}

test(
  'kill -9 while a change of a project waits for a person: what is approved after the restart is committed ' +
    'to the commit that the job began with',
  { timeout: 120_000 },
  async t => {
    const { root, repository, remote, start, first, git, model } = await setup(t, [EDIT])
    const { id } = await call(first.url, '/improve', { prompt: 'Two', project_name: 'shop', select: ['a.py'] })
    await until(first.url, id, ({ status }) => status === 'waiting')
    const base = git('rev-parse', 'refs/remotes/origin/main')
    repository.commit({ 'a.py': 'x = 9\n' })
    await call(first.url, '/clone?wait=60', { url: `${remote.url}/shop.git`, project_name: 'shop' })
    await first.end('SIGKILL')
    const second = await start()
    try {
      await call(second.url, `/jobs/${id}/reply`, { decision: 'approve' })
      const job = await until<Delivered>(second.url, id, ({ status }) => status === 'succeeded')
      t.match(job, { status: 'succeeded', result: { base_commit: base, branch: `faultline/${id}` } })
      t.equal(git('show', `${job.result.branch}:a.py`), 'x = 2')
      t.equal(model.requests.length, 1)
      t.same(await lastingOrphans(root, second.child.pid ?? 0), [])
    } finally {
      await second.end('SIGTERM')
    }
  },
)

test(
  'kill -9 while a branch is pushed: it is committed once and pushed after the restart',
  { timeout: 120_000 },
  async t => {
    const { root, repository, remote, start, first, git } = await setup(t, [EDIT])
    const { promise: reached, resolve: reach } = Promise.withResolvers<void>()
    remote.behaviour.hold = reach
    const { id } = await call(first.url, '/improve', {
      prompt: 'Two',
      project_name: 'shop',
      select: ['a.py'],
      review: 'auto',
      push: true,
    })
    await reached
    const commit = git('rev-parse', `refs/heads/faultline/${id}`)
    await first.end('SIGKILL')
    remote.behaviour.hold = undefined
    const second = await start()
    try {
      const job = await until(second.url, id, ({ status }) => status === 'succeeded')
      t.match(job, { status: 'succeeded', result: { commit } }, JSON.stringify(job.error))
      t.equal(repository.git('rev-parse', `refs/heads/faultline/${id}`), commit)
      t.same(await lastingOrphans(root, second.child.pid ?? 0), [])
    } finally {
      await second.end('SIGTERM')
    }
  },
)

test('kill -9 while the linter runs: it runs again after the restart', { ...inJail, timeout: 120_000 }, async t => {
  const { root, start, first, git } = await setup(t, [EDIT])
  await call(first.url, '/projects/shop', { checks: { lint: 'sleep 1; sed -i "s/ *$//" *.py' } }, 'PATCH')
  const { id } = await call(first.url, '/improve', {
    prompt: 'Two',
    project_name: 'shop',
    select: ['a.py'],
    review: 'auto',
    lint: true,
  })
  await until(first.url, id, ({ progress }) => progress?.step === 'lint')
  await first.end('SIGKILL')
  const second = await start()
  try {
    const job = await until<Delivered>(second.url, id, ({ status }) => status === 'succeeded')
    t.equal(git('diff', '--name-only', job.result.base_commit, job.result.branch), 'a.py\nb.py')
    t.same(await lastingOrphans(root, second.child.pid ?? 0), [])
  } finally {
    await second.end('SIGTERM')
  }
})

const TRACE =
  'Traceback (most recent call last):\n  File "/srv/app/a.py", line 1, in <module>\n    x = 1\nValueError: no'
const VERIFY = { command: 'sleep 0.5; grep -q "x = 2" a.py' }
const FIX = { stacktrace: TRACE, project_name: 'shop', verify: VERIFY }
const HANG: Reply = { hang: true }

for (const { name, chat, isThere, after } of [
  {
    name: 'the command runs before the fix',
    chat: [],
    isThere: ({ progress }: WireJob) => progress?.step === 'baseline',
    after: [EDIT],
  },
  {
    name: 'a fix is asked for',
    chat: [HANG],
    isThere: ({ progress }: WireJob) => progress?.step === 'improve',
    after: [EDIT],
  },
  {
    name: 'the command runs after the fix',
    chat: [EDIT],
    isThere: ({ progress }: WireJob) => progress?.step === 'verify',
    after: [],
  },
  { name: 'a fix waits for a person', chat: [EDIT], isThere: ({ status }: WireJob) => status === 'waiting', after: [] },
]) {
  test(
    `kill -9 while ${name}: it is verified and committed after the restart, and nothing that was done is repeated`,
    { ...inJail, timeout: 120_000 },
    async t => {
      const { root, start, first, git, model } = await setup(t, chat)
      const { id } = await call(first.url, '/fix', FIX)
      await until(first.url, id, isThere)
      if (chat.length > 0) await model.waitForRequest(chat.length)
      await first.end('SIGKILL')
      model.push(...after)
      const second = await start()
      try {
        await until(second.url, id, ({ status }) => status === 'waiting')
        t.match(await call(second.url, `/jobs/${id}/reply`, { decision: 'approve' }), { id })
        const job = await until<Delivered>(second.url, id, ({ status }) => status === 'succeeded')
        t.match(
          job,
          {
            status: 'succeeded',
            result: { verification: /^verified$/, baseline: { exit_code: 1 }, after: { exit_code: 0 } },
          },
          JSON.stringify(job.error),
        )
        t.equal(git('show', `${job.result.branch}:a.py`), 'x = 2')
        t.equal(model.requests.length, chat.length + after.length)
        t.same(await lastingOrphans(root, second.child.pid ?? 0), [])
      } finally {
        await second.end('SIGTERM')
      }
    },
  )
}
