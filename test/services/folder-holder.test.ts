import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { test, type Test } from 'tap'
import { lockFolders } from '../../src/jobs/lock.ts'
import { findRunningServer, holderOf, isHeld } from '../../src/services/folder-holder.ts'
import { buildApp, listen } from '../helpers/build-app.ts'
import { testFolder } from '../helpers/test-folder.ts'

const foldersIn = (root: string) => ({
  dataDir: join(root, 'data'),
  vectorStoreDir: join(root, 'vector_store'),
  clonedReposDir: join(root, 'cloned_repos'),
})

function lockAll(root: string) {
  const { dataDir, vectorStoreDir, clonedReposDir } = foldersIn(root)
  return lockFolders({ DATA_DIR: dataDir, VECTOR_STORE_DIR: vectorStoreDir, CLONED_REPOS_DIR: clonedReposDir })
}

/** A program that listens, and what it was sent. */
async function listening(t: Test, handle: RequestListener) {
  const asked: string[] = []
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url} ${request.headers.authorization ?? ''}`)
    handle(request, response)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked }
}

test('the server that holds all folders is found by them', async t => {
  const root = testFolder(t)
  const built = await buildApp(t, { root })
  const folders = foldersIn(root)
  t.equal(await findRunningServer(folders), null, 'it does not listen yet')
  const url = await listen(t, built)
  built.services.announce(url)
  t.equal(await findRunningServer(folders), url)
  t.equal(await findRunningServer({ ...folders, vectorStoreDir: join(root, 'other') }), null, 'other data')
  t.match(holderOf(folders), /^faultline, process \d+, since /)
  t.ok(isHeld(folders))
  await t.rejects(findRunningServer(folders, AbortSignal.abort(new Error('Ctrl-C'))), /Ctrl-C/)
})

test('whoever listens where a killed server did gets a challenge and nothing else', async t => {
  const root = testFolder(t)
  using lock = lockAll(root)
  const answers: Record<string, RequestListener> = {
    page: (_request, response) => response.end('<p>hello'),
    healthy: (_request, response) => response.end('{"status":"ok"}'),
    guess: (_request, response) => response.end(JSON.stringify({ status: 'ok', proof: '0'.repeat(64) })),
    null: (_request, response) => response.end('null'),
    long: (_request, response) => response.end(`{"proof":"${'x'.repeat(10_000)}"}`),
    elsewhere: (_request, response) => response.writeHead(307, { location: '/' }).end(),
  }
  for (const [name, handle] of Object.entries(answers)) {
    const { url, asked } = await listening(t, handle)
    lock.announce(url)
    t.equal(await findRunningServer(foldersIn(root)), null, name)
    t.match(asked, [/^GET \/health\?challenge=[0-9a-f]{48} $/], name)
    t.equal(asked.length, 1)
  }
  const server = await listening(t, (request, response) => {
    const [, challenge = ''] = /challenge=(\w+)/.exec(String(request.url)) ?? []
    response.end(JSON.stringify({ proof: lock.prove(challenge) }))
  })
  lock.announce(server.url)
  t.equal(await findRunningServer(foldersIn(root)), server.url, 'the rest of the answer does not matter')
  lock.announce('http://127.0.0.1:1')
  t.equal(await findRunningServer(foldersIn(root)), null, 'nobody')
})

test('no address of another machine is asked', async t => {
  const root = testFolder(t)
  using lock = lockAll(root)
  t.intercept(globalThis, 'fetch', { value: () => t.fail('something was sent') })
  for (const url of ['http://192.0.2.1:80', 'http://example.com', 'http://169.254.169.254']) {
    lock.announce(url)
    t.equal(await findRunningServer(foldersIn(root)), null, url)
  }
})
