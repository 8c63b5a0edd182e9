import { join } from 'node:path'
import type { AddressInfo } from 'node:net'
import { test, type Test } from 'tap'
import { startCallbackReceiver } from '../fakes/callback-receiver.ts'
import { startPrefixProxy } from '../fakes/prefix-proxy.ts'
import { buildApp } from '../helpers/build-app.ts'
import { createCli } from '../helpers/run-cli.ts'
import { createShop, SHOP_TRACE } from '../helpers/sample-repository.ts'

/** A server behind a proxy that has it at /faultline, and a repository to clone. */
async function behindProxy(t: Test, { env = {}, keeps = false } = {}) {
  const proxy = await startPrefixProxy('/faultline', { keeps })
  t.teardown(() => proxy[Symbol.asyncDispose]())
  const built = await buildApp(t, { env: { PUBLIC_URL: `${proxy.publicUrl}/`, ...env } })
  await built.app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = built.app.server.address() as AddressInfo
  proxy.pointTo(port)
  const shop = createShop(join(built.reposDir, 'shop.git'))
  const post = (path: string, body: object, headers = {}) =>
    fetch(`${proxy.publicUrl}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    })
  return { ...built, publicUrl: proxy.publicUrl, port, shop, post }
}

for (const keeps of [false, true]) {
  test(`behind a proxy that ${keeps ? 'keeps' : 'strips'} the path, the page of the API loads all its parts`, async t => {
    const { publicUrl } = await behindProxy(t, { keeps })
    for (const page of [`${publicUrl}/docs`, `${publicUrl}/docs/`]) {
      const html = await (await fetch(page)).text()
      const parts = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path = '']) => new URL(path, page).href)
      t.ok(parts.length >= 5, page)
      for (const part of parts) {
        t.ok(part.startsWith(`${publicUrl}/docs/static/`), part)
        const response = await fetch(part)
        t.equal(response.status, 200, part)
        await response.body?.cancel()
      }
    }
    const document = (await (await fetch(`${publicUrl}/docs/json`)).json()) as { servers: unknown; paths: object }
    t.same(document.servers, [{ url: publicUrl }])
    t.ok('/health' in document.paths, 'paths are below the server')
    t.equal((await fetch(`${publicUrl}/health`)).status, 200)
  })
}

test('Location leads through the proxy, and as well where the server is asked directly', async t => {
  const { publicUrl, port, shop, post } = await behindProxy(t)
  const accepted = await post('/clone', { url: shop.dir })
  t.equal(accepted.status, 202, await accepted.text())
  const location = accepted.headers.get('location') ?? ''
  t.match(location, /^\/faultline\/jobs\/[\w-]+$/)
  for (const base of [publicUrl, `http://127.0.0.1:${port}/clone`]) {
    const job = await fetch(new URL(`${location}?wait=60`, base))
    t.match(await job.json(), { type: 'clone', status: 'succeeded' }, base)
  }

  const events = await fetch(`${new URL(location, publicUrl).href}/events`, {
    headers: { accept: 'text/event-stream' },
  })
  t.match(events.headers.get('content-type'), /^text\/event-stream/)
  t.match(await events.text(), /^event: /m, 'to the end of the stream')

  const resolved = await post(
    '/resolve',
    { project_name: 'shop', stacktrace: SHOP_TRACE },
    { accept: 'text/event-stream' },
  )
  t.match(await resolved.text(), /^event: located[^]*^event: done/m)
})

test('the public name is one of the server, as Host and as Origin', async t => {
  const { app } = await behindProxy(t, { env: { PUBLIC_URL: 'https://Tools.example.com/faultline' } })
  const ask = (headers: Record<string, string>) =>
    app.inject({ method: 'POST', url: '/parse', headers, body: { stacktrace: SHOP_TRACE } })
  t.equal((await ask({ host: 'tools.example.com', origin: 'https://tools.example.com' })).statusCode, 200)
  t.equal((await ask({ host: 'other.example.com' })).statusCode, 403)
  t.equal((await ask({ host: 'tools.example.com', origin: 'https://other.example.com' })).statusCode, 403)
})

test('the command line reaches a server below a path', async t => {
  const { publicUrl } = await behindProxy(t)
  const { exitCode, stdout, stderr } = await createCli(t.testdir()).run(['projects', '--json', '--server', publicUrl])
  t.equal(exitCode, 0, stderr)
  t.match(JSON.parse(stdout), { data: [] })
})

test('what is posted to callback_url says where the job is', async t => {
  const receiver = await startCallbackReceiver()
  t.teardown(() => receiver[Symbol.asyncDispose]())
  const { publicUrl, shop, post } = await behindProxy(t, {
    env: { WEBHOOK_SECRETS: 'ci=a secret of this test', ALLOW_PRIVATE_HOSTS: 'true' },
  })
  const { id } = (await (await post('/clone', { url: shop.dir, callback_url: receiver.url })).json()) as { id: string }
  const { url } = JSON.parse((await receiver.waitFor(1)).body.toString()) as { url: string }
  t.equal(url, `${publicUrl}/jobs/${id}`)
  t.match(await (await fetch(url)).json(), { id })
})
