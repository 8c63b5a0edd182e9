import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { test } from 'tap'
import { urlOnThisMachine } from '../src/server.ts'
import { startModelServer } from './fakes/model-server.ts'
import { startGitHttpServer } from './helpers/git-http-server.ts'
import { createShop, SHOP_TRACE } from './helpers/sample-repository.ts'
import { eventually, processesWith } from './helpers/processes.ts'
import { INLINE_SERVER, startServerProcess } from './helpers/server-process.ts'
import { testFolder } from './helpers/test-folder.ts'
import { CHILD_ENV } from './helpers/child-env.ts'

/** Half of the wait that a stopping server cuts short, and hundreds of times what that takes. */
const LONG_BEFORE_MS = 30_000

const SERVER = fileURLToPath(new URL('../src/server.ts', import.meta.url))

async function failedStart(
  root: string,
  env: Record<string, string>,
): Promise<{ code: number | null; stderr: string }> {
  const child = spawn(process.execPath, [SERVER], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'pipe'],
    env: {
      ...CHILD_ENV,
      PORT: '0',
      DATA_DIR: join(root, 'data'),
      VECTOR_STORE_DIR: join(root, 'v'),
      CLONED_REPOS_DIR: join(root, 'c'),
      ...env,
    },
  })
  const [stderr, [code]] = await Promise.all([text(child.stderr), once(child, 'exit') as Promise<[number | null]>])
  return { code, stderr }
}

test('a server that cannot start says why and how to mend it, in one line', async t => {
  const root = testFolder(t)
  const cases: Array<[Record<string, string>, RegExp]> = [
    [
      { HOST: '0.0.0.0' },
      /^faultline: HOST=0\.0\.0\.0 is not a loopback address and API_KEYS is not set.*Set API_KEYS/,
    ],
    [{ DATA_DIR: '/proc/x' }, /^faultline: DATA_DIR=\/proc\/x cannot be used: .*Set DATA_DIR to a folder on a disk/],
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
  const root = testFolder(t)
  const server = await startServerProcess(root)
  t.teardown(() => server.end('SIGKILL'))
  const second = await failedStart(root, {})
  t.equal(second.code, 1)
  t.match(second.stderr, new RegExp(`it listens on ${server.url}`))
  const other = await failedStart(root, { DATA_DIR: join(root, 'other'), PORT: new URL(server.url).port })
  t.match(other.stderr, /port \d+ is taken\. Set PORT/)
})

test('SIGTERM ends streams and git, exits 0, and the job goes on after the restart', async t => {
  const root = testFolder(t)
  createShop(join(root, 'served', 'shop.git'))
  const git = await startGitHttpServer(join(root, 'served'), { stall: true })
  t.teardown(() => git.close())
  const port = new URL(git.url).port
  const first = await startServerProcess(root, { ALLOW_PRIVATE_HOSTS: 'true' })
  t.teardown(() => first.end('SIGKILL'))
  const created = await fetch(`${first.url}/clone`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ url: `${git.url}/shop.git` }),
  })
  const { id } = (await created.json()) as { id: string }
  const stream = await fetch(`${first.url}/jobs/${id}/events`, { headers: { accept: 'text/event-stream' } })
  await git.stalled
  const exit = once(first.child, 'exit')
  first.child.kill('SIGTERM')
  t.match(await stream.text(), /event: status\ndata: \{"status":"running"/, 'the stream ended by itself')
  t.same(await exit, [0, null])
  t.ok(await eventually(() => !processesWith(`:${port}`).some(command => command.includes('git'))))

  git.behaviour.stall = false
  const second = await startServerProcess(root, { ALLOW_PRIVATE_HOSTS: 'true' })
  // with the git that fetches histories, which would write into the folder that goes
  t.teardown(() => second.end('SIGTERM'))
  for (let status = 'queued'; status !== 'succeeded';) {
    const job = (await (await fetch(`${second.url}/jobs/${id}?wait=30`)).json()) as { status: string; error: unknown }
    if (job.status === 'failed') throw new Error(JSON.stringify(job.error))
    status = job.status
  }
  t.pass('the job went on and succeeded')
})

test('whatever address a server has, a program of this machine is told one that it can reach', t => {
  const urls = ['0.0.0.0', '::', '127.0.0.1', '::1', '192.0.2.7'].map(address =>
    urlOnThisMachine({ address, port: 8000 }),
  )
  t.strictSame(urls, [
    'http://127.0.0.1:8000',
    'http://[::1]:8000',
    'http://127.0.0.1:8000',
    'http://[::1]:8000',
    'http://192.0.2.7:8000',
  ])
  t.end()
})

test('SIGTERM answers whoever waits, puts jobs back and exits 0 in time, though a model hangs', async t => {
  const root = testFolder(t)
  const shop = createShop(join(root, 'repos', 'shop.git'))
  createShop(join(root, 'served', 'slow.git'))
  const git = await startGitHttpServer(join(root, 'served'), { stall: true })
  t.teardown(() => git.close())
  await using model = await startModelServer({ otherwise: { hang: true } })
  const server = await startServerProcess(root, {
    ALLOW_PRIVATE_HOSTS: 'true',
    LLM_BASE_URL: model.baseUrl,
    LLM_MODEL: 'scripted',
  })
  t.teardown(() => server.end('SIGKILL'))
  const post = (path: string, body: object, headers: Record<string, string> = {}) =>
    fetch(server.url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    })
  t.equal((await post('/clone?wait=60', { url: shop.dir })).status, 200)
  const owners = () =>
    ['data', 'vector_store', 'cloned_repos'].filter(folder => readdirSync(join(root, folder)).includes('.owner.json'))
  t.ok(owners().includes('data'))

  /** Who asks the same is answered with the others, by one call of the model. */
  const trace = (tokens: number) => ({
    stacktrace: SHOP_TRACE,
    project_name: 'shop',
    max_context_tokens: tokens,
  })
  const stream = await post('/resolve', trace(4_000), { accept: 'text/event-stream' })
  const plain = post('/resolve', trace(5_000))
  const resolveJob = (await (await post('/resolve', trace(6_000), { prefer: 'respond-async' })).json()) as {
    id: string
  }
  await model.waitForRequest(3)
  const waiting = post('/clone?wait=60', { url: `${git.url}/slow.git` })
  await git.stalled

  const began = performance.now()
  const exit = once(server.child, 'exit')
  server.child.kill('SIGTERM')
  const answer = await waiting
  t.equal(answer.status, 202)
  t.ok(performance.now() - began < LONG_BEFORE_MS, 'long before its wait is over')
  const cloneJob = (await answer.json()) as { id: string }
  t.match(cloneJob, { type: 'clone', status: /running|queued/ })
  t.match(
    await post('/clone', { url: shop.dir }).then(
      res => res.status,
      error => error.cause.code,
    ),
    /^(?:503|ECONNREFUSED|ECONNRESET)$/,
    'nothing new begins',
  )
  const refused = await plain
  t.equal(refused.status, 503)
  t.match(await refused.json(), { status: 503, code: 'SHUTTING_DOWN' })
  const error = /event: located\n[^]*event: error\ndata: (.*)\n\n$/.exec(await stream.text())?.[1]
  t.match(JSON.parse(error ?? 'null'), {
    type: 'about:blank',
    title: 'Service Unavailable',
    status: 503,
    code: 'SHUTTING_DOWN',
    instance: /^req_/,
  })
  t.same(await exit, [0, null])
  t.same(owners(), [])

  git.behaviour.stall = false
  model.push({ text: 'The list is empty.' })
  const second = await startServerProcess(root, {
    ALLOW_PRIVATE_HOSTS: 'true',
    LLM_BASE_URL: model.baseUrl,
    LLM_MODEL: 'scripted',
  })
  // with the git that fetches histories, which would write into the folder that goes
  t.teardown(() => second.end('SIGTERM'))
  t.ok(
    await eventually(async () => (await fetch(`${second.url}/health`)).ok),
    'a busy machine makes it ask for a moment after its start',
  )
  for (const { id } of [cloneJob, resolveJob]) {
    const events = await (
      await fetch(`${second.url}/jobs/${id}/events`, { headers: { accept: 'text/event-stream' } })
    ).text()
    t.match(
      events,
      /the server is stopping; the job goes on after the restart[^]*event: done\ndata: \{"status":"succeeded"/,
    )
  }
})

test('what is wrong with the installed git stands in the log from the start', async t => {
  const root = testFolder(t)
  const child = spawn(process.execPath, [SERVER], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...CHILD_ENV,
      PORT: '0',
      LOG_LEVEL: 'warn',
      SANDBOX: 'none',
      DATA_DIR: join(root, 'data'),
      VECTOR_STORE_DIR: join(root, 'v'),
      CLONED_REPOS_DIR: join(root, 'c'),
    },
  })
  t.teardown(() => child.kill('SIGKILL'))
  const log = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const [greeting] = (await once(child.stderr, 'data')) as [Buffer]
  const url = /listens on (\S+);/.exec(String(greeting))?.[1]
  t.ok(await eventually(async () => (await fetch(`${url}/health`)).ok))
  const { git } = (await (await fetch(`${url}/ready`)).json()) as { git: { version: string; warning: string | null } }
  if (git.warning !== null) {
    const { value } = await log.next()
    t.match(JSON.parse(value ?? '{}'), { level: 40, git: git.version, msg: git.warning })
  }
  child.kill('SIGTERM')
  t.match(await log.next(), { done: true, value: undefined }, 'and nothing else does')
})

test('a connection that never sends a request does not hold up the stop', async t => {
  const server = await startServerProcess(testFolder(t))
  t.teardown(() => server.end('SIGKILL'))
  const { hostname, port } = new URL(server.url)
  const socket = connect(Number(port), hostname)
  t.teardown(() => {
    socket.destroy()
  })
  await once(socket, 'connect')
  await fetch(`${server.url}/health`)
  const closed = once(socket, 'close')
  const exit = once(server.child, 'exit')
  server.child.kill('SIGTERM')
  await closed
  t.same(await exit, [0, null])
})

test('a second Ctrl-C ends a server that still waits for a connection, at once and with 1', async t => {
  const server = await startServerProcess(testFolder(t), {}, INLINE_SERVER)
  t.teardown(() => server.end('SIGKILL'))
  const silent = connect(Number(new URL(server.url).port), '127.0.0.1')
  silent.on('error', () => {})
  await once(silent, 'connect')
  const exit = once(server.child, 'exit')
  server.child.kill('SIGINT')
  const isRefused = async () =>
    fetch(`${server.url}/health`).then(
      () => false,
      () => true,
    )
  t.ok(await eventually(isRefused), 'it takes no new connection, and waits for the old one')
  server.child.kill('SIGINT')
  t.same(await exit, [1, null])
  silent.destroy()
})
