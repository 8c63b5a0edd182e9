import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'tap'
import { startModelServer } from './fakes/model-server.ts'
import { createGitRepository } from './helpers/git-repository.ts'
import { api } from './helpers/kill-rounds.ts'
import { eventually } from './helpers/processes.ts'
import { inJail, openFolder } from './helpers/sandbox.ts'
import { INLINE_SERVER, orphans, startServerProcess, type ServerProcess } from './helpers/server-process.ts'

const EDIT = '```diff\n--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-one\n+two\n```\n'
/** Leaves half of what it makes for a while. */
const SLOW_INSTALL = 'mkdir deps && echo half > deps/x && echo began && sleep 3 && echo whole > deps/x'

interface JobView {
  id: string
  status: string
  error: unknown
}

const jobOf = (server: ServerProcess, id: string) => api<JobView>(server, 'GET', `/jobs/${id}?wait=30`)
const installs = async (server: ServerProcess) =>
  (await api<{ data: JobView[] }>(server, 'GET', '/jobs?type=environment')).data

/** Resolves when the install has printed that it began. */
async function installing(server: ServerProcess): Promise<void> {
  const hasBegun = async (): Promise<boolean> => {
    const [install] = await installs(server)
    if (install === undefined) return false
    const { data } = await api<{ data: object[] }>(server, 'GET', `/jobs/${install.id}/events`)
    return JSON.stringify(data).includes('began')
  }
  if (!(await eventually(hasBegun))) throw new Error('the install does not begin')
}

test('a server that is killed in the middle of an install leaves no half environment', inJail, async t => {
  const root = openFolder(t)
  const model = await startModelServer({ chat: [{ text: EDIT }] })
  t.teardown(() => model.close())
  const env = { LLM_BASE_URL: model.baseUrl, LLM_MODEL: 'scripted', WORKSPACES_DIR: join(root, 'workspaces') }
  const start = () => startServerProcess(root, env, INLINE_SERVER)
  let server = await start()
  t.teardown(() => server.end('SIGKILL'))
  const repository = createGitRepository(join(root, 'repos/shop.git'), {
    files: { 'a.txt': 'one\n', 'b.py': 'x = 1\n' },
  })
  await api(server, 'POST', '/clone?wait=60', { url: repository.dir, project_name: 'shop' })
  await api(server, 'PATCH', '/projects/shop', { checks: { install: SLOW_INSTALL, lint: 'cat deps/x' } })
  const { id } = await api<JobView>(server, 'POST', '/improve', {
    prompt: 'Two',
    project_name: 'shop',
    select: ['a.txt'],
    lint: true,
    review: 'auto',
  })
  await installing(server)
  await server.end('SIGKILL')
  const layers = join(root, 'workspaces/.layers')
  const workspaces = readdirSync(join(root, 'workspaces'))
  t.notOk(workspaces.includes('.layers'), 'nothing is there of it')

  server = await start()
  let job = await jobOf(server, id)
  while (['queued', 'running'].includes(job.status)) job = await jobOf(server, id)
  t.equal(job.status, 'succeeded', JSON.stringify(job.error))
  t.match(await installs(server), [{ status: 'succeeded' }])
  t.equal((await installs(server)).length, 1, 'the same job went on')
  const [layer = '', ...others] = readdirSync(layers)
  t.same(others, [])
  t.equal(readFileSync(join(layers, layer, 'workspace/deps/x'), 'utf8'), 'whole\n')
  t.ok(await eventually(() => orphans(root, server.child.pid ?? 0).length === 0))
})
