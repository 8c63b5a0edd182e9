import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { request as send, type IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { test } from 'tap'
import { signForward } from '../../src/cluster/forwarding/signature.ts'
import { ownerOf } from '../../src/cluster/rendezvous.ts'
import { FULL_ACCESS } from '../../src/core/access.ts'
import { cloneShopFor, CLUSTER_SECRET, startNodes, type TestNode } from '../helpers/cluster.ts'
import { ANY_VERSION, noPostgres, startPostgres } from '../helpers/postgres.ts'
import { eventually } from '../helpers/processes.ts'
import { SHOP_TRACE } from '../helpers/sample-repository.ts'

const KEY = 'k'.repeat(24)

/** A project that this one of the nodes keeps. */
function projectOf(owner: string, names: readonly string[]): string {
  for (let at = 0; ; at++) if (ownerOf(names, `shop-${at}`) === owner) return `shop-${at}`
}

const resolve = ({ url }: TestNode, project: string, headers: Record<string, string> = {}, more: object = {}) =>
  fetch(`${url}/resolve`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ stacktrace: SHOP_TRACE, project_name: project, ...more }),
  })

const answeredBy = (res: Response): string | null => res.headers.get('x-faultline-node')

/** What a node says of requests that it forwarded. */
async function forwardedBy({ app }: TestNode): Promise<string[]> {
  const { body } = await app.inject('/metrics')
  return [...body.matchAll(/^faultline_forwarded_requests_total\{result="(\w+)",.*\} (\d+)$/gm)].map(
    ([, result = '', count = '']) => `${result} ${count}`,
  )
}

test('requests about a project go to the node that keeps its index', { skip: noPostgres(ANY_VERSION) }, async t => {
  const server = await startPostgres()
  t.teardown(() => server.close())
  const project = projectOf('two', ['one', 'two'])
  const foreign = projectOf('stranger', ['one', 'two', 'stranger'])
  const lacking = projectOf('two', ['one', 'two', 'stranger'])
  const from = await cloneShopFor(t, [...new Set([project, foreign, lacking])])

  await t.test('whichever node is asked, the same one answers, in whatever form', async t => {
    const nodes = await startNodes(t, server, { one: { from }, two: { from } })
    const [one] = nodes
    if (one === undefined) throw new Error('no node')
    for (const node of nodes) {
      const res = await resolve(node, project.toUpperCase())
      t.match([res.status, answeredBy(res), res.headers.get('faultline-taken')], [200, 'two', null], node.name)
      const answer = (await res.json()) as { project_name: string; frames: unknown[] }
      t.match(answer, { project_name: project, frames: [{}] })
    }
    const asText = await fetch(`${one.url}/resolve?project_name=${project}`, {
      method: 'POST',
      headers: { 'content-type': 'text/plain', accept: 'text/plain' },
      body: SHOP_TRACE,
    })
    t.equal(answeredBy(asText), 'two')
    t.match(await asText.text(), /ZeroDivisionError/)

    const stream = await resolve(one, project, { accept: 'text/event-stream' })
    t.equal(answeredBy(stream), 'two')
    t.match(await stream.text(), /event: located\n[\s\S]*event: done\n/)

    const found = await fetch(`${one.url}/projects/${project}/search?q=average`)
    t.equal(answeredBy(found), 'two')
    t.match(await found.json(), { data: [{ repository: 'shop' }] })
    const head = await fetch(`${one.url}/projects/${project}`, { method: 'HEAD' })
    t.match([head.status, answeredBy(head), await head.text()], [200, 'two', ''])

    const wrong = await resolve(one, project, {}, { stacktrace: '---' })
    t.match(await wrong.json(), { status: 422, code: 'NO_STACK_TRACE', instance: wrong.headers.get('x-request-id') })
    const dry = await resolve(one, project, {}, { dry_run: true })
    t.match([answeredBy(dry), await dry.json()], ['two', { messages: [{}] }])

    const list = await fetch(`${one.url}/projects`)
    t.equal(answeredBy(list), 'one', 'what needs no index stays where it came')
    t.match(await forwardedBy(one), [/^answered [78]$/])
  })

  await t.test('what the other node does not take is answered where it came', async t => {
    const nodes = await startNodes(t, server, {
      one: { from },
      two: {},
      stranger: { from, env: { CLUSTER_SECRET: 'another-secret-of-24-characters' } },
    })
    const [one] = nodes
    if (one === undefined) throw new Error('no node')
    for (const asked of [lacking, foreign]) {
      const res = await resolve(one, asked)
      t.match([res.status, answeredBy(res)], [200, 'one'])
      t.match(await res.json(), { project_name: asked })
    }
    t.same(await forwardedBy(one), ['refused 2'])
    await nodes[1]?.close()
    t.match(await (await resolve(one, lacking)).json(), { project_name: lacking }, 'nor does one that has left')
  })

  await t.test('the second node takes from the first who asks, and nothing from anybody else', async t => {
    const nodes = await startNodes(t, server, {
      one: { from, env: { API_KEYS: `ann:${KEY},bob:${KEY}b:read:other` } },
      two: { from, env: { API_KEYS: `other:${KEY}o` } },
    })
    const [one, two] = nodes
    if (one === undefined || two === undefined) throw new Error('no node')
    const ann = { authorization: `Bearer ${KEY}` }
    t.match([(await resolve(two, project, ann)).status, (await resolve(one, project)).status], [401, 401])
    t.equal(answeredBy(await resolve(one, project, ann)), 'two')
    const hidden = await resolve(one, project, { authorization: `Bearer ${KEY}b` }, { mode: 'context' })
    t.match([hidden.status, answeredBy(hidden)], [404, 'one'], 'what a key may not see is not asked for')
    t.equal(answeredBy(await fetch(`${one.url}/health`)), null, 'who has no key hears of no node')

    const body = JSON.stringify({ stacktrace: SHOP_TRACE, project_name: project })
    const bodySha256 = createHash('sha256').update(body).digest('hex')
    const claims = { keyName: 'ann', access: FULL_ACCESS, ip: '::1', requestId: 'req_x', from: 'one', to: 'two' }
    const asked = { ...claims, method: 'POST', path: '/resolve', bodySha256 }
    const post = async (header: string, sent = body, path = '/resolve') => {
      const headers = { 'content-type': 'application/json', 'faultline-forward': header }
      const res = await fetch(`${two.url}${path}`, { method: 'POST', headers, body: sent })
      const { code } = (await res.json()) as { code?: string }
      return code ?? res.headers.get('faultline-taken')
    }
    const signed = signForward(asked, CLUSTER_SECRET)
    t.equal(await post(signed), '1')
    t.equal(await post(signed), 'UNAUTHORIZED', 'a second time')
    t.equal(await post(signForward(asked, 'x'.repeat(24))), 'UNAUTHORIZED')
    t.equal(await post(signForward({ ...asked, to: 'one' }, CLUSTER_SECRET)), 'UNAUTHORIZED')
    t.equal(await post(signForward(asked, CLUSTER_SECRET), body.replace('average', 'averagE')), 'UNAUTHORIZED')
    const clone = signForward({ ...asked, path: '/clone' }, CLUSTER_SECRET)
    t.equal(await post(clone, body, '/clone'), 'UNAUTHORIZED', 'a route that no node forwards')
    const reads = signForward({ ...asked, access: { mayWrite: false, projects: ['other'] } }, CLUSTER_SECRET)
    t.equal(await post(reads), 'PROJECT_NOT_FOUND', 'what a key may is checked again')
  })

  await t.test('a client that hangs up ends the work on the other node', async t => {
    const nodes = await startNodes(t, server, { one: { from }, two: { from } })
    const [one, two] = nodes
    if (one === undefined || two === undefined) throw new Error('no node')
    const begun = Promise.withResolvers<AbortSignal>()
    two.services.resolving.resolveToJson = async (_input, { signal } = {}) => {
      if (signal !== undefined) begun.resolve(signal)
      return new Promise(() => {})
    }
    const client = send(`${one.url}/resolve`, { method: 'POST', headers: { 'content-type': 'application/json' } })
    client.on('error', () => {})
    client.end(JSON.stringify({ stacktrace: SHOP_TRACE, project_name: project }))
    const signal = await begun.promise
    const ended = once(signal, 'abort')
    client.destroy()
    await ended
    t.pass('its signal fired')
  })

  await t.test('a project that many ask about is answered from a copy, which follows what is published', async t => {
    const nodes = await startNodes(t, server, { one: { from }, two: { from } })
    const [one, two] = nodes
    if (one === undefined || two === undefined) throw new Error('no node')
    const ask = async () => (await one.app.inject(`/projects/${project}`)).headers['x-faultline-node']
    t.equal(await ask(), 'two')
    for (let asked = 0; asked < 400; asked++) await ask()
    t.ok(await eventually(async () => (await ask()) === 'one'))
    t.equal(answeredBy(await resolve(one, project)), 'one')
    t.equal(answeredBy(await resolve(two, project)), 'two')
    t.equal((await two.app.inject({ method: 'DELETE', url: `/projects/${project}` })).statusCode, 204)
    t.ok(await eventually(async () => (await one.app.inject(`/projects/${project}`)).statusCode === 404))
  })

  await t.test('bodies keep their limits on the way', async t => {
    const nodes = await startNodes(t, server, { one: { from }, two: { from } })
    const [one] = nodes
    if (one === undefined) throw new Error('no node')
    const large = await resolve(one, project, {}, { stacktrace: `${SHOP_TRACE}\n`.repeat(20_000) })
    t.match([large.status, answeredBy(large)], [200, 'two'])
    const tooLarge = send(`${one.url}/resolve`, { method: 'POST', headers: { 'content-type': 'application/json' } })
    tooLarge.on('error', () => {})
    const answered = once(tooLarge, 'response') as Promise<[IncomingMessage]>
    tooLarge.end(JSON.stringify({ stacktrace: 'x'.repeat(40_000_000), project_name: project }))
    t.match(JSON.parse(await text((await answered)[0])), { code: 'PAYLOAD_TOO_LARGE' })
  })
})

test('a node that only runs jobs answers how it is, and nothing else', { skip: noPostgres(ANY_VERSION) }, async t => {
  const server = await startPostgres()
  t.teardown(() => server.close())
  const nodes = await startNodes(t, server, { one: { env: { ROLE: 'http' } }, two: { env: { ROLE: 'worker' } } })
  const [one, two] = nodes
  if (one === undefined || two === undefined) throw new Error('no node')
  for (const path of ['/health', '/ready', '/metrics', '/cluster']) {
    t.equal((await two.app.inject(path)).statusCode, 200, path)
  }
  for (const path of ['/projects', '/jobs', '/docs/json']) {
    const res = await two.app.inject(path)
    t.match(res.json(), { status: 421, code: 'NOT_SERVED_HERE', detail: /ROLE=worker/, fix: /role http/ }, path)
  }
  t.equal((await two.app.inject('/nowhere')).statusCode, 404)
  t.match((await one.app.inject('/ready')).json(), {
    ready: true,
    role: 'http',
    node: { name: 'one', draining: false },
  })
  t.match((await two.app.inject('/ready')).json(), {
    role: 'worker',
    database: { kind: 'postgresql', status: 'ok', schema_version: Number },
  })
})
