import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { test, type Test } from 'tap'
import { eventually } from './helpers/processes.ts'
import { createShop, SHOP_TRACE } from './helpers/sample-repository.ts'
import { startServerProcess } from './helpers/server-process.ts'
import { silentPort } from './helpers/silent-port.ts'
import { testFolder } from './helpers/test-folder.ts'

const OPEN_FILES = 256

/** Many connections that were opened at once. */
interface Flood {
  /** First lines of answers that came. */
  lines: string[]
  end: () => void
}

function flood(t: Test, url: string, { count, send }: { count: number; send: string }): Flood {
  const { port, hostname } = new URL(url)
  const lines: string[] = []
  const sockets = Array.from({ length: count }, () => {
    const socket: Socket = connect(Number(port), hostname)
    return socket
      .on('error', () => {}) // cut off
      .on('connect', () => socket.write(send))
      .once('data', (chunk: Buffer) => lines.push(chunk.toString('latin1').split('\r\n', 1)[0] ?? ''))
  })
  const end = () => {
    for (const socket of sockets) socket.destroy()
  }
  t.teardown(end)
  return { lines, end }
}

test(
  'a server that may open 256 files lives through any number of connections, and its jobs come to their ends',
  { timeout: 120_000 },
  async t => {
    const root = testFolder(t)
    const server = await startServerProcess(root, { ALLOW_PRIVATE_HOSTS: 'true' }, undefined, { openFiles: OPEN_FILES })
    t.teardown(() => server.end('SIGKILL'))
    let isGone = false
    server.child.once('exit', () => {
      isGone = true
    })
    const post = async (path: string, body: object) => {
      const response = await fetch(server.url + path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', connection: 'close' },
        body: JSON.stringify(body),
      })
      return { status: response.status, answer: (await response.json()) as { id: string; frames?: unknown[] } }
    }
    const get = async (path: string): Promise<{ status: number; body: string }> =>
      fetch(server.url + path, { headers: { connection: 'close' } }).then(
        async response => ({ status: response.status, body: await response.text() }),
        () => ({ status: 0, body: '' }), // cut off
      )
    const stateOf = async (id: string): Promise<string> => {
      const { status, body } = await get(`/jobs/${id}`)
      return status === 200 ? (JSON.parse(body) as { status: string }).status : `${status}`
    }

    const { port: silent } = await silentPort(t)
    const hanging = await post('/clone', { url: `http://127.0.0.1:${silent}/a/hangs.git`, project_name: 'hangs' })
    t.equal(hanging.status, 202)

    const head = `HTTP/1.1\r\nHost: localhost\r\n`
    const kinds: Record<string, string> = {
      silent: '',
      'keep-alive': `GET /health ${head}\r\n`,
      slow: `POST /resolve ${head}Content-Type: application/json\r\nContent-Length: 500\r\n\r\n{`,
      streams: `GET /jobs/${hanging.answer.id}/events ${head}Accept: text/event-stream\r\n\r\n`,
    }
    for (const [kind, send] of Object.entries(kinds)) {
      const repository = createShop(join(root, 'repos', `${kind}.git`))
      const job = await post('/clone', { url: repository.dir, project_name: kind })
      t.equal(job.status, 202, kind)
      const { lines, end } = flood(t, server.url, { count: 300, send })
      t.ok(await eventually(() => lines.some(line => line.includes(' 503 '))), `${kind}: some are put off`)
      t.notOk(isGone, kind)
      end()
      t.ok(await eventually(async () => (await stateOf(job.answer.id)) === 'succeeded'), `${kind}: the job ends well`)
      const resolved = await post('/resolve', { project_name: kind, stacktrace: SHOP_TRACE })
      t.equal(resolved.answer.frames?.length, 2, kind)
    }
    t.equal(await stateOf(hanging.answer.id), 'running')
    t.notOk(isGone)
    await server.end('SIGTERM')
  },
)

test('a server that may open too few files to serve says so at its start', async t => {
  const root = testFolder(t)
  await t.rejects(startServerProcess(root, {}, undefined, { openFiles: 100 }), {
    message: /may open 100 files at once, and needs 160 with JOBS_CONCURRENCY=4\. Raise the limit \(ulimit -n/,
  })
})

test('at HOST=localhost there is one server, whose connections are counted', async t => {
  const root = testFolder(t)
  const server = await startServerProcess(root, { HOST: 'localhost' })
  t.teardown(() => server.end('SIGKILL'))
  const { port } = new URL(server.url)
  t.equal((await fetch(`http://127.0.0.1:${port}/health`)).status, 200)
  await t.rejects(fetch(`http://[::1]:${port}/health`))
})
