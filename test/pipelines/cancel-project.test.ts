import { setTimeout as delay } from 'node:timers/promises'
import { test, type Test } from 'tap'
import { startGitHttpServer, type GitHttpServer } from '../helpers/git-http-server.ts'
import { eventually, processesWith } from '../helpers/processes.ts'
import { buildProject, type ProjectWithModel } from '../helpers/project-with-model.ts'
import { inJail } from '../helpers/sandbox.ts'
import { lastingOrphans } from '../helpers/server-process.ts'

const EDIT = { text: '--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-x = 1\n+x = 2\n' }
const FILES = { 'a.py': 'x = 1\n' }

async function begin({ app }: ProjectWithModel, body: object): Promise<string> {
  return (
    await app.inject({
      method: 'POST',
      url: '/improve',
      body: { prompt: 'Two', project_name: 'shop', select: ['a.py'], review: 'auto', ...body },
    })
  ).json().id
}

async function cancelled(t: Test, { app, root }: ProjectWithModel, id: string): Promise<void> {
  t.match((await app.inject({ method: 'POST', url: `/jobs/${id}/cancel` })).json(), {
    status: 'cancelled',
    result: null,
  })
  t.equal((await app.inject({ method: 'DELETE', url: `/jobs/${id}` })).statusCode, 204, 'it is at its end')
  t.same(await lastingOrphans(root, process.pid), [])
}

test('cancelling while the linter runs ends it; nothing is asked or committed', inJail, async t => {
  const built = await buildProject(t, FILES, [])
  await built.app.inject({
    method: 'PATCH',
    url: '/projects/shop',
    body: { checks: { lint: 'echo linting; sleep 600' } },
  })
  const id = await begin(built, { lint: true })
  for (let tries = 0; tries < 400 && !(await built.logsOf(id)).some(text => text.includes('linting')); tries++) {
    await delay(25)
  }
  t.ok((await built.logsOf(id)).some(text => text.includes('linting')))
  await cancelled(t, built, id)
  t.equal(built.model.requests.length, 0)
  t.equal(built.git('for-each-ref', 'refs/heads'), '')
})

test('cancelling while a change waits for a person commits nothing; a later reply is refused', async t => {
  const built = await buildProject(t, FILES, [EDIT])
  const { id } = (await built.post('/improve', { prompt: 'Two', project_name: 'shop', select: ['a.py'] })).json()
  t.match((await built.app.inject({ method: 'POST', url: `/jobs/${id}/cancel` })).json(), { status: 'cancelled' })
  t.match((await built.reply(id, { decision: 'approve' })).json(), { code: 'NOT_WAITING' })
  t.equal(built.git('for-each-ref', 'refs/heads'), '')
})

test('cancelling while a branch is pushed ends git at once; the commit stays in the clone', async t => {
  let server: GitHttpServer | undefined
  const built = await buildProject(t, FILES, [EDIT], {
    env: { ALLOW_PRIVATE_HOSTS: 'true' },
    async serve(reposDir) {
      server = await startGitHttpServer(reposDir)
      t.teardown(() => server?.close())
      return server.url
    },
  })
  const { promise: reached, resolve: reach } = Promise.withResolvers<void>()
  if (server !== undefined) server.behaviour.hold = reach
  const id = await begin(built, { push: true })
  await reached
  await cancelled(t, built, id)
  t.ok(built.git('rev-parse', `refs/heads/faultline/${id}`))
  t.ok(await eventually(() => processesWith(`127.0.0.1:${server?.port}/`).length === 0))
})
