import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { test, type Test } from 'tap'
import { Forwarder, type ForwardResult } from '../../../src/cluster/forwarding/forwarder.ts'
import { FULL_ACCESS } from '../../../src/core/access.ts'
import type { ClusterNode } from '../../../src/core/node.ts'

const SECRET = 's'.repeat(24)

const nodeOf = (name: string, more: Partial<ClusterNode> = {}): ClusterNode => ({
  name,
  url: `http://${name}.invalid:8000`,
  roles: ['http', 'worker'],
  version: '1',
  schemaVersion: 1,
  startedAt: '2026-11-26T00:00:00.000Z',
  heartbeatAgeMs: 0,
  isDraining: false,
  load: {
    runningJobs: 0,
    jobSlots: 0,
    cpuCores: 0,
    memoryBytes: 0,
    openStreams: 0,
    projectsCached: 0,
    cacheBytes: 0,
    cacheLimitBytes: 0,
  },
  ...more,
})

/** The forwarder of a node that sees others, as a test says. */
function forwarderOf(t: Test, name: string, nodes: readonly ClusterNode[] | null) {
  let alive = nodes
  const hearers = new Set<(alive: readonly ClusterNode[]) => void>()
  const results: ForwardResult[] = []
  const own = { name, roles: ['http'] as const, version: '1', schemaVersion: 1 }
  const forwarder = new Forwarder({
    registry: {
      own,
      alive: () => alive,
      onLook(hears) {
        hearers.add(hears)
        return () => hearers.delete(hears)
      },
    },
    secret: SECRET,
    hasIndex: async () => true,
    onResult: result => results.push(result),
  })
  t.teardown(() => forwarder.close())
  return {
    forwarder,
    results,
    /** As a look that finds these alive. */
    sees(found: readonly ClusterNode[]) {
      alive = found
      for (const hears of hearers) hears(found)
    },
  }
}

/** A server that stands for another node. */
async function serve(t: Test, listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const REQUEST = {
  method: 'POST',
  path: '/resolve?x=1',
  keyName: 'ann',
  access: FULL_ACCESS,
  ip: '192.0.2.7',
  requestId: 'req_1',
  headers: { accept: 'text/plain', authorization: 'Bearer the-key-of-the-client', host: 'shop.example' },
  body: Buffer.from('{"a":1}'),
  bodySha256: createHash('sha256').update('{"a":1}').digest('hex'),
  timeoutMs: 60_000,
}
const send = (forwarder: Forwarder, url: string, signal = new AbortController().signal) =>
  forwarder.send(nodeOf('two', { url }), { ...REQUEST, signal })

const textOf = (answer: Awaited<ReturnType<typeof send>>): Promise<string> => text(answer?.body ?? Readable.from([]))

test('a project belongs to one of the nodes that answer requests, can be reached and do not drain', async t => {
  const [one, two] = [nodeOf('one'), nodeOf('two')]
  const projects = Array.from({ length: 50 }, (_, index) => `p${index}`)
  const targets = (nodes: readonly ClusterNode[] | null, from = 'one') => {
    const { forwarder } = forwarderOf(t, from, nodes)
    return new Set(projects.map(project => forwarder.targetFor(project)?.name ?? null))
  }
  t.same(targets([one, two]), new Set([null, 'two']))
  t.same(targets([one, { ...two, isDraining: true }]), new Set([null]))
  t.same(targets([one, { ...two, url: null }]), new Set([null]))
  t.same(targets([one, { ...two, roles: ['worker'] }]), new Set([null]))
  t.same(targets([{ ...one, isDraining: true }, two]), new Set(['two']), 'one that drains gives its own away')
  t.same(targets(null), new Set([null]), 'while nobody knows who lives each answers by itself')
  const [a, b] = [forwarderOf(t, 'one', [one, two]).forwarder, forwarderOf(t, 'two', [two, one]).forwarder]
  for (const project of projects) {
    t.equal(a.targetFor(project.toUpperCase()) === null, b.targetFor(project) !== null, 'both agree, whatever the case')
  }
})

test('a request goes with who sent it and without their key; the answer comes back as it is', async t => {
  const { forwarder: two } = forwarderOf(t, 'two', [])
  const { forwarder, results } = forwarderOf(t, 'one', [])
  const asked: IncomingMessage[] = []
  let body = ''
  const url = await serve(t, async (request, response) => {
    asked.push(request)
    body = await text(request)
    response.writeHead(203, {
      'faultline-taken': '1',
      'x-own': 'yes',
      'content-type': 'text/plain',
      connection: 'close',
    })
    response.write('first ')
    response.end('second')
  })
  const answer = await send(forwarder, url)
  t.equal(answer?.status, 203)
  t.match(answer?.headers, { 'x-own': 'yes', 'content-type': 'text/plain' })
  for (const name of ['connection', 'transfer-encoding', 'faultline-taken', 'keep-alive']) {
    t.notOk(Object.hasOwn(answer?.headers ?? {}, name), name)
  }
  t.equal(await textOf(answer), 'first second')
  t.equal(body, '{"a":1}')
  const { headers = {}, method = '', url: path = '' } = asked[0] ?? {}
  t.notMatch(headers, { authorization: String })
  t.notMatch(headers, { cookie: String })
  t.equal(headers.accept, 'text/plain')
  const header = String(headers['faultline-forward'])
  t.match(two.receive(header, { method, path }), {
    ...{ keyName: 'ann', access: FULL_ACCESS, ip: '192.0.2.7', requestId: 'req_1', from: 'one' },
    bodySha256: REQUEST.bodySha256,
  })
  t.match(two.receive(header, { method, path }), { problem: /came before/ }, 'once alone')
  t.same(results, ['answered'])
})

test('of its cookies a request takes along the secret of its forms, and never who is signed in', async t => {
  const { forwarder } = forwarderOf(t, 'one', [])
  const cookies: Array<string | undefined> = []
  const url = await serve(t, (request, response) => {
    cookies.push(request.headers.cookie)
    response.writeHead(200, { 'faultline-taken': '1' }).end()
  })
  const given = ['faultline_session=s; _csrf=a-secret_1; a=b', '_csrf=x', 'faultline_session=s;_csrf=', 'not_csrf=x']
  for (const cookie of given) {
    const signal = new AbortController().signal
    await forwarder.send(nodeOf('two', { url }), { ...REQUEST, headers: { ...REQUEST.headers, cookie }, signal })
  }
  t.same(cookies, ['_csrf=a-secret_1', '_csrf=x', undefined, undefined])
})

test('what another node does not take is answered here', async t => {
  const { forwarder, results } = forwarderOf(t, 'one', [])
  const refusing = await serve(t, (_request, response) => response.writeHead(503).end('x'.repeat(100_000)))
  t.equal(await send(forwarder, refusing), null)
  t.equal(await send(forwarder, 'http://127.0.0.1:1'), null)
  const cutting = await serve(t, request => request.socket.destroy())
  t.equal(await send(forwarder, cutting), null)
  t.same(results, ['refused', 'unreachable', 'unreachable'])
})

test('a node that dies is not waited for', async t => {
  const { forwarder, results, sees } = forwarderOf(t, 'one', [nodeOf('one'), nodeOf('two')])
  const asked = Promise.withResolvers<undefined>()
  const silent = await serve(t, () => asked.resolve(undefined))
  const waiting = send(forwarder, silent)
  await asked.promise
  sees([nodeOf('one'), nodeOf('two')])
  sees([nodeOf('one')])
  t.equal(await waiting, null, 'before its answer began it is answered here')
  const begun = await serve(t, (_request, response) => {
    response.writeHead(200, { 'faultline-taken': '1' }).write('first')
  })
  const answer = await send(forwarder, begun)
  sees([nodeOf('one')])
  await t.rejects(textOf(answer), 'after that the client sees that it was cut off')
  t.same(results, ['gone', 'cut'])
})

test('a client that leaves ends the work of the other node', async t => {
  const { forwarder, results } = forwarderOf(t, 'one', [])
  for (const begins of [false, true]) {
    const asked = Promise.withResolvers<ServerResponse>()
    const url = await serve(t, (_request, response) => {
      if (begins) response.writeHead(200, { 'faultline-taken': '1' }).write('first')
      asked.resolve(response)
    })
    const client = new AbortController()
    const answer = send(forwarder, url, client.signal)
    const other = await asked.promise
    const left = once(other, 'close')
    if (begins) (await answer)?.body.on('error', () => {})
    client.abort(new Error('gone'))
    if (!begins) await t.rejects(answer, { message: 'gone' })
    await left
  }
  await t.rejects(send(forwarder, 'http://127.0.0.1:1', AbortSignal.abort(new Error('gone'))), { message: 'gone' })
  t.same(results, [])
})
