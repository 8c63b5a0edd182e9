import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test, type Test } from 'tap'
import type { SandboxOptions } from '../../src/sandbox/sandbox-options.ts'
import { buildApp } from '../helpers/build-app.ts'
import { inJail, openFolder, testSandbox } from '../helpers/sandbox.ts'

/** A program in bubblewrap's place that fails as it does on machines of other kinds. */
function failing(t: Test, says: string): Partial<SandboxOptions> {
  const file = join(t.testdir(), 'bwrap')
  writeFileSync(file, `#!/bin/sh\necho "${says}" >&2\nexit 1\n`)
  chmodSync(file, 0o755)
  return { programs: { bwrap: [file] } }
}

test('without bubblewrap nothing runs, and the package to install is named', async t => {
  const { sandbox, bash } = await testSandbox(t, { programs: { bwrap: ['/nonexistent/bwrap'] } })
  t.match(await sandbox.probe(), {
    available: false,
    reason: /bubblewrap is not installed/,
    fix: /apt-get install bubblewrap/,
  })
  await t.rejects(bash('echo ran'), {
    code: 'SANDBOX_UNAVAILABLE',
    message: /bubblewrap/,
    fix: /apt-get install bubblewrap/,
  })
})

test(
  'a server of root without setpriv runs nothing, rather than programs of root',
  { skip: process.getuid?.() === 0 ? inJail.skip : 'only root needs it' },
  async t => {
    const { bash } = await testSandbox(t, { programs: { setpriv: ['/nonexistent/setpriv'] } })
    await t.rejects(bash('echo ran'), { code: 'SANDBOX_UNAVAILABLE', message: /setpriv/, fix: /util-linux/ })
  },
)

test('what keeps a jail from starting is said with what helps', inJail, async t => {
  const cases: Array<[says: string, reason: RegExp, fix: RegExp]> = [
    ['bwrap: Creating new namespace failed: Operation not permitted', /no namespaces/, /AppArmor/],
    [
      'bwrap: No permissions to create new namespace, likely because the kernel does not allow',
      /no namespaces/,
      /never --privileged/i,
    ],
    ['bwrap: setting up uid map: Permission denied', /no namespaces/, /AppArmor/],
    ['bwrap: Unknown option --disable-userns', /too old/, /0\.8/],
    ["bwrap: Can't mount proc on /newroot/proc: Operation not permitted", /\/proc/, /unmask/],
    [
      "bwrap: Can't find source path /home/ann/secret: No such file",
      /The jail did not start: bwrap: Can't find source path …: No such file/,
      /doctor/,
    ],
  ]
  for (const [says, reason, fix] of cases) {
    const { sandbox, bash } = await testSandbox(t, failing(t, says))
    t.match(await sandbox.probe(), { available: false, reason, fix }, says)
    await t.rejects(bash('echo ran'), { code: 'SANDBOX_UNAVAILABLE', message: reason, fix })
  }
})

test('SANDBOX=none runs nothing', async t => {
  const { sandbox, bash } = await testSandbox(t, { mode: 'none' })
  t.match(await sandbox.probe(), { available: false, reason: /SANDBOX=none/, fix: /SANDBOX=auto/ })
  await t.rejects(bash('echo ran'), { code: 'SANDBOX_UNAVAILABLE' })
})

test(
  'SANDBOX=unsafe-host is refused for root',
  { skip: process.getuid?.() === 0 ? false : 'this is not root' },
  async t => {
    const { sandbox, bash } = await testSandbox(t, { mode: 'unsafe-host' })
    t.match(await sandbox.probe(), { available: false, reason: /root/ })
    await t.rejects(bash('echo ran'), { code: 'SANDBOX_UNAVAILABLE' })
  },
)

test('a machine where it works is asked once in a while', inJail, async t => {
  const folder = openFolder(t)
  const starts = join(folder, 'starts')
  const bwrap = join(folder, 'bwrap')
  writeFileSync(starts, '')
  chmodSync(starts, 0o666) // the jail may belong to another account
  writeFileSync(bwrap, `#!/bin/sh\necho started >> ${starts}\nexec /usr/bin/bwrap "$@"\n`)
  chmodSync(bwrap, 0o755)
  const { sandbox } = await testSandbox(t, { programs: { bwrap: [bwrap] } })
  t.match(await sandbox.probe(), { available: true, reason: null, fix: null })
  const once = readFileSync(starts, 'utf8')
  t.not(once, '')
  for (let count = 0; count < 1_000; count++) await sandbox.probe()
  t.equal(readFileSync(starts, 'utf8'), once)
})

test('/ready says whether programs can be run, and a server that runs none is ready all the same', async t => {
  const { app } = await buildApp(t, { env: { SANDBOX: 'none' } })
  t.match((await app.inject('/ready')).json(), {
    ready: true,
    sandbox: { available: false, reason: /SANDBOX=none/, fix: /SANDBOX=auto/ },
  })
})
