import { createServer, type RequestListener } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { test, type Test } from 'tap'
import { createHttpBackend } from '../../../src/cli/backend/http.ts'
import { backendContract, type OpenBackend } from '../../contracts/backend.ts'
import { buildApp, listen } from '../../helpers/build-app.ts'
import { testFolder } from '../../helpers/test-folder.ts'

const open: OpenBackend = async (t, env) => {
  const built = await buildApp(t, { env, root: testFolder(t) })
  return { backend: createHttpBackend({ server: await listen(t, built) }), reposDir: built.reposDir }
}

async function answering(t: Test, handle: RequestListener): Promise<string> {
  const server = createServer(handle).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

test('a running server', async t => {
  backendContract(t, open)
})

test('a key opens a server that wants one', async t => {
  const key = 'k'.repeat(24)
  const { app } = await buildApp(t, { env: { API_KEYS: `me:${key}` }, root: testFolder(t) })
  const server = await app.listen({ host: '127.0.0.1', port: 0 })
  await t.rejects(createHttpBackend({ server }).listProjects({ limit: 1 }), { code: 'UNAUTHORIZED' })
  await t.rejects(createHttpBackend({ server, apiKey: 'wrong' }).listProjects({ limit: 1 }), { code: 'UNAUTHORIZED' })
  t.strictSame(await createHttpBackend({ server, apiKey: key }).listProjects({ limit: 1 }), {
    data: [],
    next_cursor: null,
  })
})

test('what the server refuses to read is said with its code', async t => {
  const { app } = await buildApp(t, { root: testFolder(t) })
  const backend = createHttpBackend({ server: await app.listen({ host: '127.0.0.1', port: 0 }) })
  await t.rejects(backend.resolve({ stacktrace: 'x', project_name: 'not a name' }), {
    code: 'VALIDATION_FAILED',
    message: /project_name/,
  })
})

test('a server that is not there is told apart from one that is something else', async t => {
  const gone = createServer().listen(0, '127.0.0.1')
  await once(gone, 'listening')
  const { port } = gone.address() as AddressInfo
  gone.close()
  await once(gone, 'close')
  await t.rejects(createHttpBackend({ server: `http://127.0.0.1:${port}` }).ready(), {
    code: 'SERVER_UNREACHABLE',
    message: /ECONNREFUSED/,
    fix: /faultline serve/,
    exitCode: 3,
  })

  const page = await answering(t, (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end('<p>hello')
  })
  await t.rejects(createHttpBackend({ server: page }).ready(), { code: 'NOT_A_FAULTLINE_SERVER', exitCode: 3 })
  const closed = await answering(t, (_request, response) => {
    response.writeHead(404).end('nope')
  })
  await t.rejects(createHttpBackend({ server: closed }).ready(), { code: 'NOT_A_FAULTLINE_SERVER' })
  const elsewhere = await answering(t, (_request, response) => {
    response.writeHead(302, { location: page }).end()
  })
  await t.rejects(
    createHttpBackend({ server: elsewhere, apiKey: 'secret' }).ready(),
    { code: 'SERVER_UNREACHABLE' },
    'a redirect is not followed: the key would go elsewhere',
  )
})

test('an answer that breaks off is no answer', async t => {
  const events =
    (...parts: string[]): RequestListener =>
    (request, response) => {
      request.resume()
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(parts.join(''), () => response.destroy())
    }
  const input = { stacktrace: 'x', project_name: 'shop' }
  const cut = await answering(
    t,
    events(': open\n\n', 'event: token\ndata: {"text":"a"}\n\n', 'event: done\ndata: {"id":'),
  )
  await t.rejects(createHttpBackend({ server: cut }).resolve(input), { code: 'SERVER_UNREACHABLE', exitCode: 3 })
  const ended = await answering(t, (request, response) => {
    request.resume()
    response.writeHead(200, { 'content-type': 'text/event-stream' }).end(': open\n\n')
  })
  await t.rejects(createHttpBackend({ server: ended }).resolve(input), { code: 'SERVER_UNREACHABLE' })
  const failed = await answering(
    t,
    events('event: error\ndata: {"code":"FROM_THE_FUTURE","detail":"no","fix":"wait"}\n\n'),
  )
  await t.rejects(createHttpBackend({ server: failed }).resolve(input), {
    code: 'FROM_THE_FUTURE',
    message: 'no',
    fix: 'wait',
    exitCode: 1,
  })
})

test('the URL of a server is checked before anything is sent', async t => {
  for (const server of ['127.0.0.1:8000', 'ftp://example.com', 'nonsense', 'http://me:secret@127.0.0.1:8000']) {
    t.throws(() => createHttpBackend({ server }), { code: 'USAGE', exitCode: 2 }, server)
  }
  const paths: string[] = []
  const server = await answering(t, (request, response) => {
    paths.push(request.url ?? '')
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
  })
  await createHttpBackend({ server: `${server}/behind/proxy?x=1` }).getJob('a/b')
  t.strictSame(paths, ['/behind/proxy/jobs/a%2Fb'])
})

test('a job is followed over connections that break, without losing or repeating an event', async t => {
  const job = (status: string) => JSON.stringify({ id: 'j', status })
  const asked: string[] = []
  let streams = 0
  const event = (id: number, name = 'log') => `id: ${id}\nevent: ${name}\ndata: {"text":"${id}","at":"now"}\n\n`
  const server = await answering(t, (request, response) => {
    if (request.headers.accept !== 'text/event-stream') return response.end(job('running'))
    asked.push(String(request.headers['last-event-id']))
    streams++
    if (streams === 2) {
      response.writeHead(503, { 'content-type': 'application/problem+json' })
      return response.end('{"code":"SHUTTING_DOWN","detail":"It stops."}')
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    if (streams === 1) return response.write(event(1) + event(2) + 'id: 3\nevent: log\nda', () => response.destroy())
    if (streams === 3) return response.end(`${event(3)}event: error\ndata: {"code":"SHUTTING_DOWN"}\n\n`)
    return response.end(event(4, 'done'))
  })
  const backend = createHttpBackend({ server })
  const events = []
  for await (const one of backend.followJob('j', 0, new AbortController().signal)) {
    events.push(one)
    if (one.event === 'done') break
  }
  t.strictSame(
    events.map(({ id, at, data }) => [id, at, data]),
    [1, 2, 3, 4].map(id => [id, 'now', { text: String(id) }]),
  )
  t.strictSame(asked, ['0', '2', '2', '3'])
})

test('a job that is gone is not asked for again', async t => {
  let asked = 0
  const server = await answering(t, (_request, response) => {
    asked++
    response
      .writeHead(404, { 'content-type': 'application/problem+json' })
      .end('{"code":"JOB_NOT_FOUND","detail":"No."}')
  })
  const { signal } = new AbortController()
  await t.rejects(Array.fromAsync(createHttpBackend({ server }).followJob('j', 0, signal)), { code: 'JOB_NOT_FOUND' })
  t.equal(asked, 1)
})
