import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { test, type Test } from 'tap'
import { connectionsFor, limitConnections } from '../../src/http/connections.ts'
import { eventually } from '../helpers/processes.ts'

test('half of the files that the server does not need itself are for connections, and 1,000 at most', async t => {
  const jobs = { jobsConcurrency: 4 }
  t.equal(connectionsFor(256, jobs), 64)
  t.equal(connectionsFor(1024, jobs), 448)
  t.equal(connectionsFor(1024, { jobsConcurrency: 64 }), 208)
  t.equal(connectionsFor(1_048_576, jobs), 1000)
  t.equal(connectionsFor(Infinity, jobs), 1000)
  t.equal(connectionsFor(160, jobs), 16)
  t.throws(() => connectionsFor(159, jobs), {
    code: 'CONFIG_INVALID',
    message: 'This process may open 159 files at once, and needs 160 with JOBS_CONCURRENCY=4.',
    fix: /ulimit -n/,
  })
})

interface Limited {
  /** Opens a connection; with a text, sends it. */
  open: (send?: string, options?: { allowHalfOpen: boolean }) => Promise<Socket>
  isCrowded: () => boolean
  /** Answers the request at /held. */
  release: () => void
}

/** A server that answers /held when it is told to. */
async function limited(t: Test, connections: number, refusalMs?: number): Promise<Limited> {
  const held = Promise.withResolvers<void>()
  const server = createServer((request, response) => {
    const answer = () => response.end('fine')
    if (request.url === '/held') held.promise.then(answer, answer)
    else answer()
  })
  const { isCrowded } = limitConnections(server, { connections, refusalMs })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return {
    isCrowded,
    release: held.resolve,
    async open(send, options) {
      const socket = connect({ port, host: '127.0.0.1', ...options })
      t.teardown(() => socket.destroy())
      socket.on('error', () => {})
      await once(socket, 'connect')
      if (send !== undefined) socket.write(`GET ${send} HTTP/1.1\r\nHost: localhost\r\n\r\n`)
      return socket
    },
  }
}

const firstLine = async (socket: Socket): Promise<string> => {
  const [chunk] = (await once(socket, 'data')) as [Buffer]
  return chunk.toString('latin1').split('\r\n', 1)[0] ?? ''
}

test('one connection more than there may be gets 503 as a problem, also before it asks anything', async t => {
  const { open, release } = await limited(t, 2)
  const served = [await open('/held'), await open('/held')]
  for (const request of [undefined, '/']) {
    const answer = await text(await open(request))
    t.match(answer, /^HTTP\/1\.1 503 [^]*retry-after: 1\r\n[^]*connection: close/i)
    t.match(JSON.parse(answer.split('\r\n\r\n')[1] ?? ''), { status: 503, code: 'OVERLOADED', fix: /few seconds/ })
  }
  const answers = Promise.all(served.map(firstLine))
  release()
  t.same(await answers, ['HTTP/1.1 200 OK', 'HTTP/1.1 200 OK'], 'those before it are served')
})

test('connections that wait for a next request make room', async t => {
  const { open, isCrowded } = await limited(t, 2)
  const idle = [await open('/'), await open('/')]
  t.same(await Promise.all(idle.map(firstLine)), ['HTTP/1.1 200 OK', 'HTTP/1.1 200 OK'])
  t.equal(isCrowded(), true)
  const ended = Promise.all(idle.map(socket => once(socket, 'close')))
  idle.forEach(socket => socket.resume())
  t.equal(await firstLine(await open('/')), 'HTTP/1.1 200 OK')
  await ended
})

test('a place is free again when its connection ends', async t => {
  const { open, isCrowded } = await limited(t, 2)
  const slow = [await open(), await open()]
  t.match(await text(await open()), /^HTTP\/1\.1 503 /)
  slow.forEach(socket => socket.destroy())
  t.ok(await eventually(() => !isCrowded()))
  t.equal(await firstLine(await open('/')), 'HTTP/1.1 200 OK')
})

test('refusals end, too: a client that stays is cut off, and those beyond are closed at once', async t => {
  const { open } = await limited(t, 2, 100)
  await open()
  await open()
  // it reads the end of the server, and does not end itself
  const stays = await open(undefined, { allowHalfOpen: true })
  t.match(await text(stays), /^HTTP\/1\.1 503 /)
  t.equal(stays.destroyed, false)
  t.match(await text(await open()), /^HTTP\/1\.1 503 /, 'beside it there is no refusal that waits')
  const trickle = setInterval(() => stays.write('GET / HTTP/1.1\r\n'), 10)
  const [error] = (await once(stays, 'error')) as [NodeJS.ErrnoException]
  clearInterval(trickle)
  t.match(error.code, /ECONNRESET|EPIPE/)
  t.match(await text(await open()), /^HTTP\/1\.1 503 /)
})
