import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { test } from 'tap'
import { startGitHttpServer } from './helpers/git-http-server.ts'
import { createShop } from './helpers/sample-repository.ts'
import { eventually, processesWith } from './helpers/processes.ts'
import { startServerProcess } from './helpers/server-process.ts'

const SERVER = fileURLToPath(new URL('../src/server.ts', import.meta.url))

async function failedStart (root: string, env: Record<string, string>): Promise<{ code: number | null, stderr: string }> {
  const child = spawn(process.execPath, [SERVER], { cwd: root, stdio: ['ignore', 'ignore', 'pipe'], env: { PORT: '0', DATA_DIR: join(root, 'data'), VECTOR_STORE_DIR: join(root, 'v'), CLONED_REPOS_DIR: join(root, 'c'), ...env } })
  const [stderr, [code]] = await Promise.all([text(child.stderr), once(child, 'exit') as Promise<[number | null]>])
  return { code, stderr }
}

test('a server that cannot start says why and how to mend it, in one line', async t => {
  const root = t.testdir()
  const cases: Array<[Record<string, string>, RegExp]> = [
    [{ HOST: '0.0.0.0' }, /^faultline: HOST=0\.0\.0\.0 is not a loopback address and API_KEYS is not set.*Set API_KEYS/],
    [{ PORT: 'http' }, /^faultline: Configuration: PORT="http": expected .* 65535/],
  ]
  for (const [env, message] of cases) {
    const { code, stderr } = await failedStart(root, env)
    t.equal(code, 1)
    t.match(stderr, message)
    t.equal(stderr.trim().split('\n').length, 1, stderr)
  }
})

test('a second server on one DATA_DIR is refused with the URL of the first; a taken port is named', async t => {
  const root = t.testdir()
  const server = await startServerProcess(root)
  t.teardown(() => server.end('SIGKILL'))
  const second = await failedStart(root, {})
  t.equal(second.code, 1)
  t.match(second.stderr, new RegExp(`it listens on ${server.url}`))
  const other = await failedStart(root, { DATA_DIR: join(root, 'other'), PORT: new URL(server.url).port })
  t.match(other.stderr, /port \d+ is taken\. Set PORT/)
})

test('SIGTERM ends streams and git, exits 0, and the job goes on after the restart', async t => {
  const root = t.testdir()
  createShop(join(root, 'served', 'shop.git'))
  const git = await startGitHttpServer(join(root, 'served'), { stall: true })
  t.teardown(() => git.close())
  const port = new URL(git.url).port
  const first = await startServerProcess(root, { ALLOW_PRIVATE_HOSTS: 'true' })
  t.teardown(() => first.end('SIGKILL'))
  const created = await fetch(`${first.url}/clone`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ url: `${git.url}/shop.git` }) })
  const { id } = await created.json() as { id: string }
  const stream = await fetch(`${first.url}/jobs/${id}/events`, { headers: { accept: 'text/event-stream' } })
  await git.stalled
  const exit = once(first.child, 'exit')
  first.child.kill('SIGTERM')
  t.match(await stream.text(), /event: status\ndata: \{"status":"running"/, 'the stream ended by itself')
  t.same(await exit, [0, null])
  t.ok(await eventually(() => !processesWith(`:${port}`).some(command => command.includes('git'))))

  git.behaviour.stall = false
  const second = await startServerProcess(root, { ALLOW_PRIVATE_HOSTS: 'true' })
  t.teardown(() => second.end('SIGKILL'))
  for (let status = 'queued'; status !== 'succeeded';) {
    const job = await (await fetch(`${second.url}/jobs/${id}?wait=30`)).json() as { status: string, error: unknown }
    if (job.status === 'failed') throw new Error(JSON.stringify(job.error))
    status = job.status
  }
  t.pass('the job went on and succeeded')
})

test('a connection that never sends a request does not hold up the stop', async t => {
  const server = await startServerProcess(t.testdir())
  t.teardown(() => server.end('SIGKILL'))
  const { hostname, port } = new URL(server.url)
  const socket = connect(Number(port), hostname)
  t.teardown(() => { socket.destroy() })
  await once(socket, 'connect')
  await fetch(`${server.url}/health`)
  const closed = once(socket, 'close')
  const exit = once(server.child, 'exit')
  server.child.kill('SIGTERM')
  await closed
  t.same(await exit, [0, null])
})
