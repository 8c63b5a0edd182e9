import { once } from 'node:events'
import { closeSync, existsSync, openSync, statSync } from 'node:fs'
import { createServer, request, type IncomingHttpHeaders, type RequestListener } from 'node:http'
import { connect, type AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { test, type Test } from 'tap'
import type { Usage } from '../../../src/core/job.ts'
import { startModelProxy, type ModelProxyOptions } from '../../../src/llm/proxy/model-proxy.ts'
import { eventually } from '../../helpers/processes.ts'
import { testFolder } from '../../helpers/test-folder.ts'

const KEY = 'sk-the-real-key-0123456789'
const ASK = { method: 'POST', path: '/v1/chat/completions', body: '{"model":"m","messages":[]}' }
const ANSWER = { choices: [], usage: { prompt_tokens: 7, completion_tokens: 3 } }

interface Asked {
  method?: string
  url?: string
  headers: IncomingHttpHeaders
  body: string
}

/** A server of models, and a proxy to it for one program. */
async function open(t: Test, respond?: RequestListener, options: Partial<ModelProxyOptions> = {}) {
  const asked: Asked[] = []
  const server = createServer((message, response) => {
    text(message).then(
      body => {
        asked.push({ method: message.method, url: message.url, headers: message.headers, body })
        if (respond === undefined) response.end(JSON.stringify(ANSWER))
        else respond(message, response)
      },
      () => {},
    )
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const usages: Usage[] = []
  const replaced: number[] = []
  const { folder = testFolder(t) } = options
  const proxy = await startModelProxy({
    server: {
      baseUrl: `http://127.0.0.1:${port}/base`,
      apiKey: KEY,
      headers: { 'x-team': 'faultline' },
      timeoutMs: 2_000,
    },
    folder,
    redact: text => ({ text: text.replaceAll('hunter2', '[REDACTED]'), count: text.split('hunter2').length - 1 }),
    whyNot: () => null,
    onUsage(usage, redactions) {
      usages.push(usage)
      replaced.push(redactions)
    },
    ...options,
  })
  const handle = openSync(dirname(proxy.socket), 'r')
  t.teardown(async () => {
    closeSync(handle)
    await proxy.close()
    server.closeAllConnections()
    server.close()
  })
  // the name of a socket has at most 107 characters
  return { proxy, socket: `/proc/self/fd/${handle}/model.sock`, asked, usages, replaced, server, folder, port }
}

type Opened = Awaited<ReturnType<typeof open>>
interface Sent {
  method?: string
  path?: string
  body?: string
  headers?: Record<string, string>
}

/** What the proxy answers; status 0 where it ends the connection. */
async function ask({ socket: socketPath }: Opened, { method = 'GET', path = '/', body, headers = {} }: Sent) {
  const { promise, resolve } = Promise.withResolvers<{ status: number; headers: IncomingHttpHeaders; body: string }>()
  const gone = () => resolve({ status: 0, headers: {}, body: '' })
  const sent = request({ socketPath, method, path, headers, agent: false }, response => {
    text(response).then(
      told => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: told }),
      gone,
    )
  })
  sent.on('error', gone).end(body)
  return promise
}

/** What comes back for bytes that no client would send. */
async function raw({ socket: path }: Opened, bytes: string): Promise<string> {
  const socket = connect(path)
  socket.on('error', () => {})
  socket.end(bytes)
  return text(socket).catch(() => '')
}

test('a question goes to the configured server with its key and headers, and the answer comes as it is', async t => {
  const opened = await open(t)
  const { proxy, asked, usages } = opened
  const headers = { authorization: 'Bearer stolen', 'x-team': 'other', cookie: 'a=b', host: 'evil.example' }
  for (const path of ['/v1/chat/completions', '/chat/completions', '/v1/chat/completions?x=1']) {
    const answer = await ask(opened, { ...ASK, path, headers })
    t.match(answer, { status: 200, body: JSON.stringify(ANSWER) })
    t.notMatch(JSON.stringify(answer), KEY)
  }
  t.equal(asked.length, 3)
  for (const one of asked) {
    t.match(one, {
      method: 'POST',
      url: '/base/chat/completions',
      headers: { authorization: `Bearer ${KEY}`, 'x-team': 'faultline', 'content-type': 'application/json' },
    })
    t.match(one.headers, { cookie: undefined, host: /^127/ })
    t.same(JSON.parse(one.body), JSON.parse(ASK.body))
  }
  t.equal(proxy.calls(), 3)
  t.same(usages[0], { llmCalls: 1, promptTokens: 7, completionTokens: 3, usd: null })
  t.match(await ask(opened, { path: '/v1/models' }), { status: 200 })
  t.match(asked[3], { method: 'GET', url: '/base/models', body: '' })
  t.same([proxy.calls(), usages.length], [3, 3], 'a list of models is no call')
})

test('a server without a key gets none', async t => {
  const bare = await open(t)
  const server = { baseUrl: `http://127.0.0.1:${bare.port}`, apiKey: null, headers: {}, timeoutMs: 2_000 }
  const opened = await open(t, undefined, { server })
  await ask(opened, { ...ASK, headers: { authorization: 'Bearer mine' } })
  t.match(bare.asked[0], { headers: { authorization: undefined } })
})

test('nothing else of the server is within reach, and no other server', async t => {
  const opened = await open(t)
  const { asked, port } = opened
  for (const path of [
    '/',
    '/v1',
    '/v1/embeddings',
    '/v1/files',
    '/v1/models/',
    '/v1/models/x',
    '/v1/../admin',
    '/v1/models/../../admin',
    '/v1/%2e%2e/admin',
    '/v1/chat/completions/../../admin',
    '//evil.example/v1/models',
    '/v1//models',
    '/V1/MODELS',
    '/v1/models%3f',
    `http://127.0.0.1:${port}/v1/models`,
    'http://evil.example/v1/models',
  ]) {
    t.match(await ask(opened, { path }), { status: 404 }, path)
  }
  for (const method of ['PUT', 'DELETE', 'PATCH', 'OPTIONS', 'HEAD', 'GET', 'TRACE']) {
    t.match(await ask(opened, { ...ASK, method, body: '' }), { status: 404 }, method)
  }
  t.match(await ask(opened, { ...ASK, path: '/v1/models' }), { status: 404 })
  const connected = await raw(opened, `CONNECT 127.0.0.1:${port} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`)
  t.notMatch(connected, /^HTTP\/1.1 2/)
  const upgraded = await raw(
    opened,
    'GET /v1/realtime HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: eA==\r\n\r\n',
  )
  t.notMatch(upgraded, /^HTTP\/1.1 [12]/)
  const smuggled = await raw(
    opened,
    'POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /admin HTTP/1.1\r\nHost: x\r\n\r\n',
  )
  t.notMatch(smuggled, /^HTTP\/1.1 2/)
  t.match(await raw(opened, 'nonsense\r\n\r\n'), /^HTTP\/1.1 400/)
  t.same(asked, [], 'none of it came to the server')
})

test('secrets of a question are taken out, in every place of it', async t => {
  const opened = await open(t)
  const body = JSON.stringify({ a: 'hunter2', b: [{ c: 'x hunter2' }, 1, null], __proto__: 1 }).replace(
    '"a"',
    '"__proto__"',
  )
  t.match(await ask(opened, { ...ASK, body }), { status: 200 })
  t.equal(opened.asked[0]?.body, '{"__proto__":"[REDACTED]","b":[{"c":"x [REDACTED]"},1,null]}')
})

test('what is no question is refused in words, and costs no call', async t => {
  const opened = await open(t)
  for (const body of ['', 'x', '[]', '"x"', 'null', '{"a":', '['.repeat(200_000)]) {
    t.match(await ask(opened, { ...ASK, body }), { status: 400, body: /no JSON object/ }, body.slice(0, 9))
  }
  const deep = `{"a":${'['.repeat(200_000)}${']'.repeat(200_000)}}`
  t.match(await ask(opened, { ...ASK, body: deep }), { status: 400 }, 'nested deeper than any question')
  const large = { ...ASK, body: JSON.stringify({ a: 'x'.repeat(5_000_000) }) }
  t.match(await ask(opened, large), { status: 413, body: /too large/ })
  t.match(await ask(opened, { ...large, headers: { 'content-length': String(large.body.length) } }), { status: 413 })
  t.match(await ask(opened, ASK), { status: 200 }, 'the next one is served')
  t.equal(opened.proxy.calls(), 1)
})

test('when the budget is over, or 200 calls were made, nothing more is sent', async t => {
  let why: string | null = 'The time of the budget is over.'
  const opened = await open(t, undefined, { whyNot: () => why })
  t.match(await ask(opened, ASK), { status: 402, body: /time of the budget/ })
  why = null
  const { promise: all, resolve } = Promise.withResolvers<unknown>()
  const headers = `Connection: close\r\nExpect: 100-continue\r\nContent-Length: ${ASK.body.length}`
  let begun = 0
  const answers = Array.from({ length: 230 }, async () => {
    const socket = connect(opened.socket)
    socket.write(`POST ${ASK.path} HTTP/1.1\r\nHost: x\r\n${headers}\r\n\r\n`)
    await once(socket, 'readable') // 100: the proxy waits for the body
    if (++begun === 230) resolve(null)
    await all
    socket.write(ASK.body)
    return /^HTTP\/1\.1 (?!100)(\d+)/m.exec(await text(socket))?.[1]
  })
  const statuses = await Promise.all(answers)
  t.equal(statuses.filter(status => status === '200').length, 200, 'also of those that are asked at once')
  t.equal(statuses.filter(status => status === '402').length, 30)
  t.equal(opened.asked.length, 200)
  t.match(await ask(opened, ASK), { status: 402, body: /200 times/ })
})

test('an error of the server comes through without the key that it may tell', async t => {
  const opened = await open(t, (message, response) => {
    const { authorization } = message.headers
    response.writeHead(401, { 'content-type': 'application/json', 'x-key': KEY, 'set-cookie': KEY })
    response.end(
      JSON.stringify({ error: { message: `Incorrect API key provided: ${KEY} (${authorization}) hunter2` } }),
    )
  })
  for (const one of [ASK, { path: '/v1/models' }]) {
    const answer = await ask(opened, one)
    t.match(answer, { status: 401, headers: { 'content-type': 'application/json' }, body: /Incorrect API key/ })
    t.notMatch(JSON.stringify(answer), KEY)
  }
})

test('a redirect is not followed, and its address not told', async t => {
  const other = await open(t)
  const location = `http://127.0.0.1:${other.port}/elsewhere`
  const opened = await open(t, (_message, response) => response.writeHead(307, { location }).end())
  const answer = await ask(opened, ASK)
  t.match(answer, { status: 502, body: /redirects are not followed/, headers: { location: undefined } })
  t.notMatch(answer.body, /elsewhere/)
  t.same(other.asked, [])
})

test('a stream comes piece by piece, and its last usage counts', async t => {
  const { promise: first, resolve } = Promise.withResolvers<undefined>()
  const opened = await open(t, (_message, response) => {
    response
      .writeHead(200, { 'content-type': 'text/event-stream' })
      .write('data: {"choices":[{"delta":{"content":"a"}}]}\n\n')
    first.then(() =>
      response.end(
        'data: {"usage":{"prompt_tokens":5,"completion_tokens":"x"}}\n\ndata: {"choices":[]}\n\ndata: [DONE]\n\n',
      ),
    )
  })
  const { promise, resolve: done } = Promise.withResolvers<string>()
  const sent = request({ socketPath: opened.socket, ...ASK, agent: false }, response => {
    t.equal(response.headers['content-type'], 'text/event-stream')
    response.once('data', () => resolve(undefined))
    text(response).then(done, () => {})
  })
  sent.end(ASK.body)
  t.match(await promise, /"content":"a"[\s\S]*\[DONE\]/)
  t.same(opened.usages, [{ llmCalls: 1, promptTokens: 5, completionTokens: 0, usd: null }])
})

test('a stream is asked what it costs, which nobody tells otherwise', async t => {
  const opened = await open(t)
  const streamed = { model: 'm', messages: [], stream: true, stream_options: { chunk_size: 1 } }
  await ask(opened, { ...ASK, body: JSON.stringify(streamed) })
  await ask(opened, ASK)
  const [stream, whole] = opened.asked.map(({ body }) => JSON.parse(body))
  t.same(stream.stream_options, { chunk_size: 1, include_usage: true })
  t.notOk('stream_options' in whole)
})

test('a server that is gone, that breaks off or says nothing is told; a call that was made counts', async t => {
  const gone = await open(t)
  gone.server.close()
  t.match(await ask(gone, ASK), { status: 502, body: /did not answer/ })
  const breaking = await open(t, (_message, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' }).write('{"usage":')
    response.once('finish', () => {})
    setImmediate(() => response.destroy())
  })
  t.equal((await ask(breaking, ASK)).status, 0, 'it is not taken for a whole answer')
  t.match(breaking.usages, [{ llmCalls: 1, promptTokens: 0 }])
  const silent = await open(t, () => {})
  t.match(await ask(silent, ASK), { status: 502 })
  t.match(silent.usages, [{ llmCalls: 1 }])
  const endless = await open(t, (_message, response) => {
    response.writeHead(200)
    const more = () => {
      while (response.write(Buffer.alloc(1_048_576))) if (response.destroyed) return
      if (!response.destroyed) response.once('drain', more)
    }
    more()
  })
  t.equal((await ask(endless, ASK)).status, 0, 'an answer without an end is ended')
})

test('a program that hangs up ends its call of the server', async t => {
  const { promise: ended, resolve } = Promise.withResolvers<undefined>()
  const opened = await open(t, (_message, response) => {
    response.once('close', () => resolve(undefined))
  })
  const sent = request({ socketPath: opened.socket, ...ASK, agent: false })
  sent.on('error', () => {}).end(ASK.body)
  t.ok(await eventually(() => opened.asked.length === 1))
  sent.destroy()
  await ended
  t.match(await eventually(() => opened.usages.length === 1), true, 'it counts all the same')
})

test('after the end nothing is left: no socket, no folder, no call', async t => {
  const opened = await open(t, () => {})
  const { proxy, folder, asked } = opened
  t.equal(statSync(join(proxy.socket, '..')).mode & 0o777, 0o711, 'a folder that others cannot list')
  const pending = ask(opened, ASK)
  t.ok(await eventually(() => asked.length === 1))
  await proxy.close()
  t.match(opened.usages, [{ llmCalls: 1 }], 'a call that was under way is counted by then')
  t.equal((await pending).status, 0)
  t.equal(existsSync(join(proxy.socket, '..')), false)
  t.ok(existsSync(folder))
  t.equal((await ask(opened, ASK)).status, 0)
  await proxy.close()
})

test('a folder of any length has a socket, and two proxies are two', async t => {
  const folder = join(testFolder(t), 'x'.repeat(120), 'y'.repeat(120))
  const [one, other] = [await open(t, undefined, { folder }), await open(t, undefined, { folder })]
  t.match(await ask(one, ASK), { status: 200 })
  t.not(one.proxy.socket, other.proxy.socket)
  t.ok(existsSync(one.proxy.socket))
  await other.proxy.close()
  t.ok(existsSync(one.proxy.socket))
})

test('the secrets that are replaced in what a program sends are counted, call by call', async t => {
  const opened = await open(t)
  const bodyOf = (content: string) => JSON.stringify({ model: 'm', messages: [{ role: 'user', content }] })
  await ask(opened, { ...ASK, body: bodyOf('hunter2 and hunter2') })
  await ask(opened, { ...ASK, body: bodyOf('nothing') })
  t.same(opened.replaced, [2, 0])
})
