import { once } from 'node:events'
import { connect, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { test } from 'tap'
import { startGitHttpServer } from '../../helpers/git-http-server.ts'
import { startModelServer } from '../../fakes/model-server.ts'
import { buildApp } from '../../helpers/build-app.ts'
import { cloneShop } from '../../helpers/cloned-shop.ts'
import { createShop, SHOP_TRACE } from '../../helpers/sample-repository.ts'
import { testFolder } from '../../helpers/test-folder.ts'

const BODY = { stacktrace: SHOP_TRACE, project_name: 'shop' }

test('while the server stops, a new request is refused with a problem that says when to come back', async t => {
  const { app, services } = await buildApp(t)
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  t.equal((await fetch(`${url}/health`)).status, 200)
  services.beginClosing()
  for (const [path, method] of [
    ['/health', 'GET'],
    ['/clone', 'POST'],
    ['/nope', 'GET'],
  ] as const) {
    const res = await fetch(url + path, { method })
    t.equal(res.status, 503, path)
    t.equal(res.headers.get('content-type'), 'application/problem+json')
    t.match(res.headers.get('retry-after'), /^\d+$/)
    t.equal(res.headers.get('connection'), 'close')
    t.match(await res.json(), { status: 503, code: 'SHUTTING_DOWN', fix: String })
  }
})

test(
  'a request that comes behind another one on a connection is refused in the same words after the listener ' +
    'is closed',
  async t => {
    await using model = await startModelServer({ otherwise: { hang: true } })
    const built = await buildApp(t, { env: { LLM_BASE_URL: model.baseUrl, LLM_MODEL: 'scripted' } })
    await cloneShop(t, built)
    await built.app.listen({ port: 0, host: '127.0.0.1' })
    const socket = connect((built.app.server.address() as AddressInfo).port, '127.0.0.1')
    let text = ''
    socket.on('data', chunk => {
      text += String(chunk)
    })
    const body = JSON.stringify(BODY)
    socket.write(
      'POST /resolve HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n' +
        `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    )
    await model.waitForRequest(1)
    const closed = built.close()
    socket.write('GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n')
    await once(socket, 'close')
    await closed
    const codes = [...text.matchAll(/"code":"([A-Z_]+)"/g)].map(match => match[1])
    t.same(codes, ['SHUTTING_DOWN', 'SHUTTING_DOWN'], text)
  },
)

test('at a stop a client that waits for a job gets it as it is, at once', async t => {
  const root = testFolder(t)
  createShop(join(root, 'served', 'shop.git'))
  const git = await startGitHttpServer(join(root, 'served'), { stall: true })
  t.teardown(() => git.close())
  const { app, services } = await buildApp(t, { root, env: { ALLOW_PRIVATE_HOSTS: 'true' } })
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  const created = fetch(`${url}/clone?wait=60`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ url: `${git.url}/shop.git` }),
  })
  await git.stalled
  const { id } = (await services.jobs.list({}, 1, null))[0] ?? { id: '' }
  const watched = fetch(`${url}/jobs/${id}?wait=60`)
  await fetch(`${url}/health`) // the request before is being waited on by now
  const began = performance.now()
  services.beginClosing()
  const answer = await created
  t.equal(answer.status, 202)
  t.match(await answer.json(), { id, status: 'running' })
  t.match(await (await watched).json(), { id, status: 'running' })
  t.ok(performance.now() - began < 30_000, 'the waits were 60 s')
})
