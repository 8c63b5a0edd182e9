import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'tap'
import { createGitRepository } from '../../helpers/git-repository.ts'
import { processesWith } from '../../helpers/processes.ts'
import { contentBelow, withServer } from '../sync-from-server.ts'
import { testRepos } from '../test-repos.ts'

test('git connects to the address that was checked, not to what the name means by then', async t => {
  let lookups = 0
  const { server, sync } = await withServer(
    t,
    {},
    {
      resolveHost: async () => {
        lookups++
        return ['127.0.0.1']
      },
    },
  )
  const synced = await sync(`http://does-not-exist.example:${server.port}/shop.git`)
  t.match(synced, { repository: 'shop', url: `http://does-not-exist.example:${server.port}/shop.git` })
  t.equal(lookups, 1)
})

test('a name with a private address is refused by the check and by the sync, before anything connects', async t => {
  const answers = [['1.1.1.1'], ['127.0.0.1'], ['1.1.1.1', '10.0.0.1'], ['::ffff:127.0.0.1']]
  const { server, repos, sync } = await withServer(
    t,
    {},
    { allowPrivateHosts: false, resolveHost: async () => answers.shift() ?? [] },
  )
  const url = `https://rebinding.example:${server.port}/shop.git`
  t.match(await repos.check(url), { host: 'rebinding.example' })
  await t.rejects(sync(url), { code: 'ADDRESS_REFUSED' }, 'what was public at the request is private now')
  await t.rejects(repos.check(url), { code: 'ADDRESS_REFUSED' })
  await t.rejects(sync(url), { code: 'ADDRESS_REFUSED' })
  t.ok(await repos.check(url), 'a name that does not resolve is left to the job')
  await t.rejects(sync(url), { code: 'REPOSITORY_UNREACHABLE' }, 'which fails closed')
  t.equal(server.requests.length, 0)
})

test('a token reaches its host as a header and is found neither on disk, nor in argv, nor in an error', async t => {
  const token = 'ghp_T0ken0123456789'
  const gitTokens = new Map([['elsewhere.example', 'other-token']])
  const { server, url, sync, clones } = await withServer(
    t,
    { credentials: `x-access-token:${token}`, stall: true },
    { gitTokens, tokenForServer: token },
  )
  const controller = new AbortController()
  const running = sync(url, { signal: controller.signal })
  await server.stalled
  const encoded = Buffer.from(`x-access-token:${token}`).toString('base64')
  t.ok(processesWith(url).length > 0, 'git is at work')
  t.same([...processesWith(token), ...processesWith(encoded)], [])
  controller.abort(new Error('stop'))
  await t.rejects(running, { message: 'stop' })

  server.behaviour = { credentials: `x-access-token:${token}` }
  await sync(url)
  t.notMatch(contentBelow(clones), new RegExp(`${token}|${encoded}`))
  t.ok(server.requests.every(({ authorization }) => authorization === `Basic ${encoded}`))
  server.behaviour = { credentials: 'changed:since' }
  const error = await sync(url).catch(error => error)
  t.equal(error.code, 'REPOSITORY_AUTH_FAILED')
  t.notMatch(
    JSON.stringify([error.message, error.fix, error.stack, String(error.cause)]),
    new RegExp(`${token}|${encoded}`),
  )
})

test('a token goes over plain HTTP only where it is written with http://, port included', async t => {
  const gitTokens = new Map([
    ['127.0.0.1', 'bare'],
    ['elsewhere.example', 'x'],
    ['http://127.0.0.1:1', 'y'],
    ['http://127.0.0.1', 'z'],
  ])
  const { server, url, sync } = await withServer(t, {}, { gitTokens, tokenForHttps: 'for https' })
  await sync(url)
  t.ok(server.requests.length > 0 && server.requests.every(({ authorization }) => authorization === undefined))
})

test('a token written as a pair is sent as it is', async t => {
  const { url, sync } = await withServer(t, { credentials: 'me:pass:word' }, { tokenForServer: 'me:pass:word' })
  t.ok(await sync(url))
})

test('git takes nothing from a repository that the data folders lie in', async t => {
  const { root, remotes, repos } = testRepos(t)
  const shop = createGitRepository(join(remotes, 'shop.git'), { files: { 'a.py': 'x = 1\n' } })
  execFileSync('git', ['init', '-q', root])
  execFileSync('git', ['-C', root, 'config', 'url.file:///nonexistent/.insteadOf', 'file:///'])
  execFileSync('git', ['-C', root, 'config', 'uploadpack.packObjectsHook', '/bin/false'])
  const synced = await repos.sync(
    { url: shop.dir, projectName: 'shop' },
    { signal: new AbortController().signal, onProgress() {} },
  )
  t.match(synced, { repository: 'shop' })
})
