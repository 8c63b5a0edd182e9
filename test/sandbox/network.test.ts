import { once } from 'node:events'
import { closeSync, existsSync, openSync, readdirSync } from 'node:fs'
import { createServer, request } from 'node:http'
import { createServer as createSocketServer, type AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { test, type Test } from 'tap'
import { startRegistryProxy } from '../../src/sandbox/network/registry-proxy.ts'
import { inJail, openFolder, testSandbox } from '../helpers/sandbox.ts'

/** A registry on loopback, and a service beside it that nobody may reach. */
async function loopback(t: Test) {
  const asked: string[] = []
  const service = createServer((_request, response) => {
    asked.push('INNER')
    response.end('secret')
  }).listen(0, '127.0.0.1')
  await once(service, 'listening')
  const inner = service.address() as AddressInfo
  const registry = createServer((request, response) => {
    asked.push(`${request.method} ${request.url} ${request.headers.host}`)
    if (request.url === '/large') response.end(Buffer.alloc(3_000_000, 120))
    else if (request.url === '/moved') {
      response.writeHead(302, { location: `http://127.0.0.1:${inner.port}/secret` }).end()
    } else response.end('a package')
  }).listen(0, '127.0.0.1')
  const echo = createSocketServer(socket => {
    socket.on('error', () => {}).pipe(socket)
  }).listen(0, '127.0.0.1')
  await Promise.all([registry, echo].map(server => once(server, 'listening')))
  t.teardown(() => {
    for (const server of [registry, service, echo]) server.close()
  })
  return {
    asked,
    port: (registry.address() as AddressInfo).port,
    innerPort: inner.port,
    echoPort: (echo.address() as AddressInfo).port,
  }
}

/** A program for the jail: asks through the proxy and prints status and body of each answer. */
const ASK = `
const { request } = require('node:http')
const get = path => new Promise(done => request({ host: '127.0.0.1', port: 3128, path, headers: { host: new URL(path).host } }, res => {
  let text = ''; res.on('data', part => { text += part }).on('end', () => done(res.statusCode + ' ' + text.trim().slice(0, 50))).on('error', error => done('cut')).on('aborted', () => done('cut'))
}).on('error', error => done(error.code)).end())
const tunnel = (to, say) => new Promise(done => request({ host: '127.0.0.1', port: 3128, method: 'CONNECT', path: to }).on('connect', (res, socket) => {
  if (res.statusCode !== 200) return done(res.statusCode + '')
  socket.on('data', part => { done('200 ' + part); socket.destroy() }).on('error', error => done(error.code)).on('close', () => done('closed')).write(say)
}).on('error', error => done(error.code)).end())
`

test(
  'with network: registries a program reaches the listed hosts through the proxy, and nothing else',
  inJail,
  async t => {
    const { asked, port, innerPort, echoPort } = await loopback(t)
    const seen: string[] = []
    const { run, workspacesDir } = await testSandbox(t, {
      allowPrivateHosts: true,
      registries: [`127.0.0.1:${port}`, `localhost:${echoPort}`],
      registryEnv: { npm_config_registry: 'https://npm.example.com/' },
      onConnection: (host, allowed) => {
        seen.push(`${host} ${allowed}`)
      },
    })
    const { stdout, stderr, exitCode } = await run(
      [
        'node',
        '-e',
        `${ASK}
    void (async () => {
      console.log(await get('http://127.0.0.1:${port}/left-pad'))
      console.log(await get('http://127.0.0.1:${innerPort}/'))
      console.log(await get('http://169.254.169.254/latest'))
      console.log(await tunnel('localhost:${echoPort}', 'hello'))
      console.log(await tunnel('127.0.0.1:${innerPort}', 'x'), await tunnel('1.1.1.1:443', 'x'), await tunnel('127.0.0.1:${echoPort}', 'x'))
      console.log(process.env.HTTPS_PROXY, process.env.npm_config_registry, process.env.npm_config_ignore_scripts, process.env.NODE_USE_SYSTEM_CA)
      require('node:net').connect(${port}, '127.0.0.1').on('error', error => { console.log('direct', error.code); process.exit() })
    })()`,
      ],
      { network: 'registries' },
    )
    t.equal(exitCode, 0, stderr)
    t.same(stdout.trim().split('\n'), [
      '200 a package',
      `403 ${`127.0.0.1:${innerPort} is not one of the package registries`.slice(0, 50)}`,
      '403 169.254.169.254:80 is not one of the package regis',
      '200 hello',
      '403 403 403',
      'http://127.0.0.1:3128 https://npm.example.com/ true 1',
      'direct ECONNREFUSED',
    ])
    t.same(asked, [`GET /left-pad 127.0.0.1:${port}`])
    t.same(seen, [
      '127.0.0.1 true',
      '127.0.0.1 false',
      '169.254.169.254 false',
      'localhost true',
      '127.0.0.1 false',
      '1.1.1.1 false',
      '127.0.0.1 false',
    ])
    t.same(readdirSync(join(workspacesDir, '.run')), [], 'its socket is gone')
  },
)

test('without it there is no proxy and no way to one', inJail, async t => {
  const { bash } = await testSandbox(t)
  t.match(await bash('ls /run; env | grep -ci proxy; (exec 3<>/dev/tcp/127.0.0.1/3128) 2>&1'), {
    stdout: /^0\n.*Connection refused/,
  })
})

test(
  'private addresses are refused by the proxy unless the operator allows them, also as what a public name resolves to',
  inJail,
  async t => {
    const { asked, port } = await loopback(t)
    const { run } = await testSandbox(t, { registries: [`127.0.0.1:${port}`, `localhost:${port}`] })
    const { stdout } = await run(
      [
        'node',
        '-e',
        `${ASK}
    void (async () => console.log(await get('http://127.0.0.1:${port}/'), await tunnel('127.0.0.1:${port}', 'x'), await tunnel('localhost:${port}', 'x')))()`,
      ],
      { network: 'registries' },
    )
    t.equal(stdout, '403 plain HTTP is not allowed; use https 403 403\n')
    t.same(asked, [])
  },
)

test('the proxy does not follow a redirect, carries a limited number of bytes, and goes away with its run', async t => {
  const { asked, port } = await loopback(t)
  const workspacesDir = join(openFolder(t), 'a-folder-with-a-long-name-'.repeat(5))
  const proxy = await startRegistryProxy({
    workspacesDir,
    registries: [`127.0.0.1:${port}`],
    allowPrivateHosts: true,
    maxBytes: 1_000_000,
  })
  const folder = openSync(dirname(proxy.socket), 'r') // the name of a socket has at most 107 characters
  t.teardown(() => closeSync(folder))
  const get = (path: string, headers: Record<string, string> = {}) =>
    new Promise<string>(resolve => {
      request({ socketPath: `/proc/self/fd/${folder}/egress.sock`, path, headers }, response => {
        let bytes = 0
        response
          .on('data', (chunk: Buffer) => {
            bytes += chunk.length
          })
          .on('error', () => resolve('cut'))
          .on('end', () => resolve(`${response.statusCode} ${bytes}`))
      })
        .on('error', () => resolve('cut'))
        .end()
    })
  t.equal(await get(`http://127.0.0.1:${port}/moved`), '302 0')
  t.equal(await get('/no-url'), '403 34')
  t.equal(await get(`http://127.0.0.1:${port}/large`), 'cut')
  t.match(await get(`http://127.0.0.1:${port}/more`), /^403/)
  t.notOk(asked.includes('INNER'))
  await proxy.close()
  t.notOk(existsSync(proxy.socket))
})
