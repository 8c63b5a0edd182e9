import { mkdirSync } from 'node:fs'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { test, type Test } from 'tap'
import { EXIT } from '../../../src/cli/exit-codes.ts'
import { lockFolders } from '../../../src/jobs/lock.ts'
import { buildApp, listen } from '../../helpers/build-app.ts'
import { cliFolder } from '../../helpers/cli-folder.ts'
import { cloneShop } from '../../helpers/cloned-shop.ts'
import { SHOP_TRACE } from '../../helpers/sample-repository.ts'
import { testFolder } from '../../helpers/test-folder.ts'
import { createCli } from '../../helpers/run-cli.ts'

const KEY = 'k'.repeat(24)

const foldersOf = (root: string) => [
  ...['--data-dir', join(root, 'data')],
  ...['--vector-store-dir', join(root, 'vector_store')],
  ...['--cloned-repos-dir', join(root, 'cloned_repos')],
]

function lockBelow(root: string, program: string) {
  const [DATA_DIR = '', VECTOR_STORE_DIR = '', CLONED_REPOS_DIR = ''] = ['data', 'vector_store', 'cloned_repos'].map(
    name => join(root, name),
  )
  return lockFolders({ DATA_DIR, VECTOR_STORE_DIR, CLONED_REPOS_DIR }, program)
}

/** A project in folders that a server had, which has ended. */
async function shopFolder(t: Test) {
  const root = testFolder(t)
  const built = await buildApp(t, { root })
  await cloneShop(t, built)
  await built.close()
  return { root, cli: createCli(root), data: foldersOf(root) }
}

test('a server that wants a key is not asked without one, and says which setting is missing', async t => {
  const root = testFolder(t)
  const built = await buildApp(t, { root, env: { API_KEYS: `me:${KEY}` } })
  const url = await listen(t, built)
  built.services.announce(url)
  const cli = createCli(root)
  const refused = await cli.call(['jobs', ...foldersOf(root)])
  t.match(refused, {
    exitCode: EXIT.missing,
    stderr:
      /faultline: The server at http:.*, which holds this data folder, refuses: An API key is needed\.\nfix: Set FAULTLINE_API_KEY/,
  })
  t.ok(refused.stderr.includes(url))
  t.match(await cli.call(['jobs', '--api-key', KEY, ...foldersOf(root)]), { exitCode: EXIT.done, stdout: 'No jobs.\n' })
  t.match(await cli.call(['jobs', '--no-server', ...foldersOf(root)]), {
    exitCode: EXIT.done,
    stdout: 'No jobs.\n',
    stderr: '',
  })
})

test('while another command holds the folders, what only looks works and what writes says who it is', async t => {
  const { root, cli, data } = await shopFolder(t)
  const lock = lockBelow(root, 'faultline clone')
  t.teardown(() => lock[Symbol.dispose]())
  for (const command of [
    ['projects'],
    ['projects', 'show', 'shop'],
    ['search', 'average'],
    ['jobs'],
    ['audit'],
    ['doctor'],
  ]) {
    t.match(await cli.call([...command, ...data]), { exitCode: EXIT.done, stderr: '' }, command.join(' '))
  }
  const [job] = JSON.parse((await cli.call(['jobs', '--json', ...data])).stdout).data
  for (const command of ['show', 'events', 'files']) {
    t.match(await cli.call(['jobs', command, job.id, ...data]), { exitCode: EXIT.done, stderr: '' }, command)
  }
  for (const command of [
    ['jobs', 'retry', job.id],
    ['projects', 'delete', 'shop', '--yes'],
    ['clone', join(root, 'repos', 'shop.git')],
  ]) {
    t.match(
      await cli.call([...command, ...data]),
      {
        exitCode: EXIT.missing,
        stdout: '',
        stderr: new RegExp(
          `^faultline: Another Faultline process uses this DATA_DIR: faultline clone, process ${process.pid}, since .*\\n` +
            'fix: Wait until it has ended',
        ),
      },
      command.join(' '),
    )
  }
})

test('a trace is resolved beside another command, though the answer is not kept', async t => {
  const { root, cli, data } = await shopFolder(t)
  const resolve = ['resolve', '-', '--project', 'shop', ...data]
  const lock = lockBelow(root, 'faultline clone')
  const held = await cli.call(resolve, { input: SHOP_TRACE })
  lock[Symbol.dispose]()
  t.match(held, {
    exitCode: EXIT.done,
    stdout: /ZeroDivisionError/,
    stderr: /^The data folder is in use \(faultline clone, process \d+, since .*\): the answer will not be kept\.\n$/,
  })
  t.match(await cli.call(resolve, { input: SHOP_TRACE }), { exitCode: EXIT.done, stderr: '' })
})

test('neither trace nor key goes to a program that listens where a killed server did', async t => {
  const { root, cli, data } = await shopFolder(t)
  const asked: string[] = []
  const stranger = createServer((request, response) => {
    asked.push(`${request.method} ${request.url} ${request.headers.authorization ?? ''}`)
    request.resume()
    response.setHeader('content-type', 'application/json').end('{"status":"ok","data":[],"next_cursor":null}')
  }).listen(0, '127.0.0.1')
  await once(stranger, 'listening')
  t.teardown(() => {
    stranger.closeAllConnections()
    stranger.close()
  })
  const lock = lockBelow(root, 'faultline serve')
  lock.announce(`http://127.0.0.1:${(stranger.address() as AddressInfo).port}`)
  const resolve = ['resolve', '-', '--project', 'shop', '--api-key', KEY, ...data]
  t.match(await cli.call(resolve, { input: SHOP_TRACE }), { exitCode: EXIT.done, stdout: /ZeroDivisionError/ })
  lock[Symbol.dispose]()
  t.equal(asked.length, 1)
  t.match(asked[0], /^GET \/health\?challenge=[0-9a-f]+ $/)
})

test('looking at a folder that nothing has used yet makes none', async t => {
  const { home, cli } = cliFolder(t)
  const data = ['--data-dir', join(home, 'nothing', 'yet')]
  t.match(await cli.call(['projects', ...data]), { exitCode: EXIT.done, stdout: /No projects yet/ })
  t.match(await cli.call(['clone', 'https://example.com/a.git', '--detach', ...data]), { exitCode: EXIT.usage })
  t.doesNotThrow(() => mkdirSync(join(home, 'nothing')))
})
