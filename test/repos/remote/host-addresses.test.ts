import { test } from 'tap'
import { checkedAddresses } from '../../../src/repos/remote/host-addresses.ts'

const check = async (host: string, addresses: string[], allowPrivateHosts = false) =>
  await checkedAddresses(host, { resolveHost: async () => addresses, allowPrivateHosts, timeoutMs: 1_000 })

test('all public addresses of a host are answered, to be pinned', async t => {
  t.same(await check('git.example', ['1.1.1.1', '2606:4700:4700::1111']), ['1.1.1.1', '2606:4700:4700::1111'])
  t.same(await check('1.1.1.1', []), [], 'an address needs no resolver')
})

test('one private address among the answers refuses the host', async t => {
  for (const address of [
    '127.0.0.1',
    '10.0.0.1',
    '169.254.169.254',
    '::1',
    '::ffff:10.0.0.1',
    'fd00::1',
    '64:ff9b::a00:1',
  ]) {
    await t.rejects(
      check('git.example', ['1.1.1.1', address]),
      { code: 'ADDRESS_REFUSED', message: /git\.example/ },
      address,
    )
    t.same(await check('git.example', [address], true), [address])
  }
})

test('a name that does not resolve, resolves to nothing or takes too long is unreachable', async t => {
  await t.rejects(check('git.example', []), { code: 'REPOSITORY_UNREACHABLE' })
  await t.rejects(check('git.example', ['not an address']), { code: 'REPOSITORY_UNREACHABLE' })
  await t.rejects(
    checkedAddresses('git.example', {
      resolveHost: async () => {
        throw new Error('ENOTFOUND')
      },
      allowPrivateHosts: true,
      timeoutMs: 1_000,
    }),
    { code: 'REPOSITORY_UNREACHABLE' },
  )
  const never = async () => await new Promise<string[]>(() => {})
  const keepAlive = setInterval(() => {}, 1_000)
  t.teardown(() => clearInterval(keepAlive))
  await t.rejects(checkedAddresses('git.example', { resolveHost: never, allowPrivateHosts: false, timeoutMs: 5 }), {
    code: 'REPOSITORY_UNREACHABLE',
  })
  const controller = new AbortController()
  const waiting = checkedAddresses('git.example', {
    resolveHost: never,
    allowPrivateHosts: false,
    timeoutMs: 60_000,
    signal: controller.signal,
  })
  controller.abort(new Error('stop'))
  await t.rejects(waiting, { message: 'stop' })
})

test('the time limit of a name keeps no process running, and is gone with the answer', async t => {
  /** Timers that keep the process running. */
  const timers = () => process.getActiveResourcesInfo().filter(kind => kind === 'Timeout').length
  const before = timers()
  const named = Promise.withResolvers<string[]>()
  const waiting = checkedAddresses('git.example', {
    resolveHost: async () => await named.promise,
    allowPrivateHosts: false,
    timeoutMs: 60_000,
  })
  t.equal(timers(), before)
  named.resolve(['1.1.1.1'])
  t.same(await waiting, ['1.1.1.1'])
})

test('at most eight addresses are pinned', async t => {
  const addresses = Array.from({ length: 9 }, (_, last) => `1.1.1.${last}`)
  t.same(await check('git.example', addresses), addresses.slice(0, 8))
})
