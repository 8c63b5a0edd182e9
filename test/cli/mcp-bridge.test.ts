import { PassThrough } from 'node:stream'
import { test } from 'tap'
import { bridgeMcp, type McpReply, type PostMessage } from '../../src/cli/mcp-bridge.ts'

const JSON_REPLY = (body: object): McpReply => ({
  status: 200,
  contentType: 'application/json',
  body: JSON.stringify(body, null, 2),
})

/** A bridge over some lines; resolves with what it wrote. */
async function bridged(lines: string[], post: PostMessage, signal = new AbortController().signal) {
  const input = new PassThrough()
  const written: string[] = []
  const done = bridgeMcp({ input, write: line => written.push(line), post, signal })
  input.end(lines.map(line => `${line}\n`).join(''))
  await done
  return written
}

const request = (id: number, method: string, params: object = {}): string =>
  JSON.stringify({ jsonrpc: '2.0', id, method, params })

test('each message is one request, with the headers that the protocol wants, and each answer one line', async t => {
  const sent: Array<Record<string, string>> = []
  const _meta = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' }
  const written = await bridged(
    [
      request(1, 'tools/call', { name: 'searçh', _meta }),
      '',
      request(2, 'tools/list', { _meta }),
      request(3, 'initialize', { protocolVersion: '2025-11-25' }),
      JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }),
    ],
    async (body, headers) => {
      sent.push({ ...headers })
      const { id } = JSON.parse(body) as { id?: number }
      if (id === undefined) return { status: 202, contentType: '', body: '' }
      if (id !== 3) return JSON_REPLY({ jsonrpc: '2.0', id, result: {} })
      const event = `event: message\ndata: {"jsonrpc":"2.0",\ndata: "id":3,"result":{}}\n\n: ping\n\n`
      return { status: 200, contentType: 'text/event-stream; charset=utf-8', body: event }
    },
  )
  t.match(sent[0], {
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': 'tools/call',
    'mcp-name': `=?base64?${Buffer.from('searçh').toString('base64')}?=`,
  })
  t.equal(sent[1]?.['mcp-name'], undefined)
  t.equal(sent[2]?.['mcp-method'], undefined, 'the version before knows no such headers')
  t.same(written.map(line => (JSON.parse(line) as { id: number }).id).sort(), [1, 2, 3])
  t.notOk(written.some(line => line.includes('\n')))
})

test('a line ends at a line feed, and at no other sign that JSON has within its strings', async t => {
  const message = request(1, 'tools/call', { name: 'résolve\u2028\u2029\u0085' })
  const sent: string[] = []
  const input = new PassThrough()
  const done = bridgeMcp({
    input,
    write: line => t.match(line, /"id":1/),
    signal: new AbortController().signal,
    async post(body) {
      sent.push(body.trim())
      return JSON_REPLY({ jsonrpc: '2.0', id: 1, result: {} })
    },
  })
  for (const byte of Buffer.from(`${message}\r\n\n${message}`)) input.write(Buffer.from([byte]))
  input.end()
  await done
  t.same(sent, [message, message])
})

test('the signal ends the bridge, whatever is under way', async t => {
  const stopping = new AbortController()
  const input = new PassThrough()
  const done = bridgeMcp({
    input,
    write: line => t.fail(line),
    signal: stopping.signal,
    async post(_body, _headers, signal) {
      setImmediate(() => stopping.abort())
      return await new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    },
  })
  input.write(`${request(1, 'tools/list')}\n`)
  await done
})

test('what the client cancels is given up, and is not answered', async t => {
  const began = Promise.withResolvers<undefined>()
  const input = new PassThrough()
  const written: string[] = []
  const done = bridgeMcp({
    input,
    write: line => written.push(line),
    signal: new AbortController().signal,
    post: async (body, _headers, signal) => {
      if (!body.includes('tools/call')) return { status: 202, contentType: '', body: '' }
      began.resolve(undefined)
      await new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
      throw new Error('never')
    },
  })
  input.write(`${request(7, 'tools/call', { name: 'get_job' })}\n`)
  await began.promise
  input.end(`${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 7 } })}\n`)
  await done
  t.same(written, [])
})

test('a problem of the server is an error of the protocol with its code and cure', async t => {
  const problem = { code: 'UNAUTHORIZED', detail: 'An API key is needed.', fix: 'Send one.' }
  const answers = await bridged([request(1, 'tools/list'), request(2, 'tools/list')], async body =>
    body.includes('"id":1')
      ? { status: 401, contentType: 'application/problem+json; charset=utf-8', body: JSON.stringify(problem) }
      : { status: 502, contentType: 'text/html', body: '<h1>Bad gateway</h1>' },
  )
  t.match(
    answers.map(line => JSON.parse(line) as object).sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)),
    [
      { id: 1, error: { code: -32000, message: /^UNAUTHORIZED: An API key is needed\. Send one\.$/, data: problem } },
      { id: 2, error: { code: -32000, message: /answered 502/ } },
    ],
  )
})

test('an answer in JSON that is none of the protocol is an error, too, so that no request waits for one', async t => {
  const replies: Array<Pick<McpReply, 'status' | 'body'> & { contentType?: string }> = [
    { status: 404, body: '{"error":"Not Found"}' },
    { status: 200, body: '<h1>Welcome</h1>' },
    { status: 200, body: '' },
    { status: 401, body: '{"title":"Unauthorized"}', contentType: 'application/problem+json' },
    { status: 200, body: ': ping\n\n', contentType: 'text/event-stream' },
  ]
  for (const reply of replies) {
    const [answer, ...more] = await bridged([request(1, 'tools/list')], async () => ({
      contentType: 'application/json',
      ...reply,
    }))
    t.same(more, [])
    const message = `The server answered ${reply.status}, which is no answer of Faultline. Check --server.`
    t.match(JSON.parse(answer ?? ''), { id: 1, error: { code: -32000, message } })
  }
})

test('an error that does not say whose it is answers the request that it came for', async t => {
  const error = { code: -32000, message: 'Bad Request' }
  const written = await bridged([request(1, 'tools/list')], async () => ({
    ...JSON_REPLY({ jsonrpc: '2.0', error, id: null }),
    status: 400,
  }))
  t.same(
    written.map(line => JSON.parse(line) as object),
    [{ jsonrpc: '2.0', error, id: 1 }],
  )
})

test('an answer of the client is passed on, and has none itself', async t => {
  const accepted = { status: 202, contentType: '', body: '' }
  t.same(await bridged([JSON.stringify({ jsonrpc: '2.0', id: 5, result: {} })], async () => accepted), [])
})

test('a bridge that was ended before it began passes nothing', async t => {
  const post = () => Promise.reject(new Error('not to be asked'))
  t.same(await bridged([request(1, 'tools/list')], post, AbortSignal.abort()), [])
})
