import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import fastify, { type InjectOptions } from 'fastify'
import { test, type Test } from 'tap'
import type { ForwardedCaller } from '../../../src/core/node.ts'
import accessPlugin from '../../../src/http/plugins/access.ts'
import apiKeys from '../../../src/http/plugins/api-keys.ts'
import auth from '../../../src/http/plugins/auth.ts'
import clientSignal from '../../../src/http/plugins/client-signal.ts'
import forwarded from '../../../src/http/plugins/forwarded.ts'
import nodes from '../../../src/http/plugins/nodes.ts'

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')
const KEY = 'ann-has-a-key-of-some-length'
const ANN = { authorization: `Bearer ${KEY}` }
const BODY = { project_name: 'shop', note: 'x' }
const SENT = JSON.stringify(BODY)

type Sent = Record<string, unknown> & { to: string }

interface Cluster {
  roles?: string[]
  withKeys?: boolean
  /** Null: nothing is forwarded at all. */
  targets?: Record<string, string> | null
  /** What the other node answers; null: it does not take the request. */
  answer?: { status: number; headers: Record<string, string>; text: string } | null
  caller?: ForwardedCaller | { problem: string }
  isAlone?: boolean
  hasIndex?: (project: string) => boolean
}

/** A node of several, and what it sent to others. */
async function startNode(t: Test, cluster: Cluster) {
  const { roles = ['http'], withKeys = true, targets = {}, answer = null, caller = { problem: 'none came' } } = cluster
  const sent: Sent[] = []
  const received: unknown[] = []
  const forwarder = {
    targetFor(project: string) {
      const name = targets?.[project]
      return name === undefined ? null : { name }
    },
    receive(header: string, request: object) {
      received.push({ header, ...request })
      return caller
    },
    async send({ name }: { name: string }, { signal, body, ...request }: Record<string, unknown>) {
      sent.push({
        to: name,
        body: body === null ? null : String(body),
        isOver: (signal as AbortSignal).aborted,
        ...request,
      })
      return answer === null ? null : { ...answer, body: Readable.from([answer.text]) }
    },
  }
  const of = {
    forwarder: targets === null ? null : forwarder,
    hasIndex: async (project: string) => cluster.hasIndex?.(project) ?? true,
  }
  const app = fastify({ genReqId: () => 'req_own' })
  t.teardown(() => app.close())
  app.decorate('services', {
    closing: new AbortController().signal,
    hasModel: false,
    node: {
      name: 'one',
      roles,
      cluster: cluster.isAlone === true ? null : of,
    },
  } as never)
  const access = { mayWrite: true, projects: null }
  const keys = withKeys ? [{ name: 'ann', sha256: createHash('sha256').update(KEY).digest(), access }] : []
  await app.register(clientSignal)
  await app.register(forwarded)
  await app.register(apiKeys, { apiKeys: keys })
  await app.register(auth, { apiKeys: keys, host: '127.0.0.1', allowedHosts: [] })
  await app.register(accessPlugin)
  await app.register(nodes)
  const config = {
    needsIndexOf({ body, query }: { body: unknown; query: unknown }) {
      const { project_name: name = null } = (body ?? query) as { project_name?: string }
      return name
    },
  }
  app.post('/resolve', { config, handlerTimeout: 1234 }, async ({ headers, sentBody }) => ({
    here: headers['idempotency-key'] ?? null,
    isHeld: sentBody !== null,
  }))
  app.get('/projects/:name', { config }, async () => ({ here: true }))
  for (const path of ['/health', '/ready', '/metrics', '/cluster', '/projects']) app.get(path, async () => 'well')
  app.post('/clone', async () => 'cloned')
  const ask = async (options: InjectOptions) => app.inject({ ...options, headers: { ...ANN, ...options.headers } })
  const resolve = (headers: Record<string, string> = {}, body: object = BODY) =>
    ask({ method: 'POST', url: '/resolve', headers, body })
  return { app, ask, resolve, sent, received }
}

const ANSWER = { status: 203, headers: { 'x-faultline-node': 'two', 'x-more': 'yes' }, text: 'from two' }

test('a request goes to the node of its project with all that this one knows of who asks', async t => {
  const { ask, resolve, sent } = await startNode(t, { targets: { shop: 'two' }, answer: ANSWER })
  const posted = await resolve({ accept: 'text/plain' })
  t.match([posted.statusCode, posted.body], [203, 'from two'])
  t.match(posted.headers, ANSWER.headers)
  const access = { mayWrite: true, projects: null }
  const who = { to: 'two', keyName: 'ann', access, ip: '127.0.0.1', requestId: 'req_own', isOver: false }
  t.match(sent[0], {
    ...who,
    method: 'POST',
    path: '/resolve',
    body: SENT,
    bodySha256: sha256(SENT),
    timeoutMs: 1234,
    headers: { accept: 'text/plain', 'idempotency-key': 'forwarded-req_own' },
  })
  await resolve({ 'idempotency-key': 'of-the-client' })
  t.match(sent[1], { headers: { 'idempotency-key': 'of-the-client' } })
  for (const method of ['GET', 'HEAD'] as const) {
    await ask({ method, url: '/projects/shop?project_name=shop' })
    const last = sent.at(-1)
    const path = '/projects/shop?project_name=shop'
    t.match(last, { ...who, method, path, body: null, bodySha256: sha256(''), timeoutMs: 0 })
    t.notOk('idempotency-key' in (last?.headers as object), 'what changes nothing needs none')
  }
  t.equal(sent.length, 4)
})

test('what the other node does not take, and what has no other node, is answered here', async t => {
  const refused = await startNode(t, { targets: { shop: 'two' } })
  const answer = await refused.resolve()
  t.same(answer.json(), { here: 'forwarded-req_own', isHeld: false }, 'under the key that the other one got')
  t.equal(answer.headers['x-faultline-node'], 'one')
  t.equal(refused.sent.length, 1)
  const own = await startNode(t, { targets: { shop: 'two' }, answer: ANSWER })
  t.same((await own.resolve({}, { project_name: 'other' })).json(), { here: null, isHeld: false })
  t.same((await own.resolve({}, { note: 'of no project' })).json(), { here: null, isHeld: true })
  t.equal((await own.ask({ url: '/projects' })).body, 'well')
  t.same(own.sent, [])
  const silent = await startNode(t, { targets: null })
  t.same((await silent.resolve()).json(), { here: null, isHeld: false })
  const alone = await (await startNode(t, { isAlone: true })).resolve()
  t.match([alone.statusCode, alone.headers['x-faultline-node']], [200, undefined])
})

const CALLER: ForwardedCaller = {
  keyName: 'bob',
  access: { mayWrite: true, projects: null },
  ip: '10.1.2.3',
  requestId: 'req_of_two',
  from: 'two',
  bodySha256: sha256(SENT),
}

test('a request that another node forwarded is taken as signed, under its id, and goes no further', async t => {
  const forwardedBy = { 'faultline-forward': 'signed', authorization: '' }
  const node = await startNode(t, { targets: { shop: 'two' }, answer: ANSWER, caller: CALLER })
  const taken = await node.resolve(forwardedBy)
  t.equal(taken.statusCode, 200)
  t.match(taken.headers, { 'faultline-taken': '1', 'x-request-id': 'req_of_two', 'x-faultline-node': 'one' })
  t.same(node.received, [{ header: 'signed', method: 'POST', path: '/resolve' }])
  t.same(node.sent, [])
  const changed = await node.resolve(forwardedBy, { project_name: 'shop', note: 'y' })
  t.match(changed.json(), { code: 'UNAUTHORIZED', message: /not the one that the other node signed/ })
  const clone = await node.ask({ method: 'POST', url: '/clone', headers: forwardedBy })
  t.match(clone.json(), { code: 'UNAUTHORIZED', message: /this route is not forwarded/ })
  const bound = { ...CALLER, access: { mayWrite: true, projects: ['api'] } }
  const hidden = await (await startNode(t, { caller: bound })).resolve(forwardedBy)
  t.match(hidden.json(), { code: 'PROJECT_NOT_FOUND' }, 'what the key may is checked here, too')
})

test('a forwarded request is not taken without an index, nor with a signature that is not believed', async t => {
  const forwardedBy = { 'faultline-forward': 'signed' }
  const lacking = await startNode(t, { caller: CALLER, hasIndex: project => project !== 'shop' })
  const refused = await lacking.resolve(forwardedBy)
  t.match(refused.json(), { code: 'NOT_SERVED_HERE', message: /no index of the project "shop"/ })
  t.equal(refused.headers['faultline-taken'], undefined)
  const doubted = await startNode(t, { caller: { problem: 'it came before' } })
  t.match((await doubted.resolve(forwardedBy)).json(), { code: 'UNAUTHORIZED', message: /it came before/ })
  const alone = await startNode(t, { targets: null, caller: CALLER })
  t.equal((await alone.resolve(forwardedBy)).statusCode, 200, 'without a secret the header means nothing')
  t.match((await alone.resolve({ ...forwardedBy, authorization: '' })).json(), { code: 'UNAUTHORIZED' })
})

test('the node is named to whoever has a key, and where none is needed on all but the open routes', async t => {
  const nodeOf = async ({ app }: Awaited<ReturnType<typeof startNode>>, url: string, headers = {}) =>
    (await app.inject({ url, headers })).headers['x-faultline-node']
  const withKeys = await startNode(t, {})
  t.same([await nodeOf(withKeys, '/health'), await nodeOf(withKeys, '/health', ANN)], [undefined, 'one'])
  const without = await startNode(t, { withKeys: false })
  t.same([await nodeOf(without, '/health'), await nodeOf(without, '/projects')], [undefined, 'one'])
})

test('a node that only runs jobs says how it is, and that it answers nothing else', async t => {
  const { ask } = await startNode(t, { roles: ['worker'] })
  for (const url of ['/health', '/ready', '/metrics', '/cluster']) t.equal((await ask({ url })).body, 'well', url)
  t.match((await ask({ url: '/projects' })).json(), { code: 'NOT_SERVED_HERE', message: /ROLE=worker/ })
  t.equal((await ask({ url: '/nowhere' })).statusCode, 404)
  const both = await startNode(t, { roles: ['worker', 'http'] })
  t.equal((await both.ask({ url: '/projects' })).body, 'well')
})
