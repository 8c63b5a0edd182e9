import { test } from 'tap'
import { FD, GATE, gateWithBridge, jailArgv, LAST_FD, type JailPlan } from '../../../src/sandbox/jail/command-line.ts'

const PLAN: JailPlan = {
  bwrap: '/usr/bin/bwrap',
  account: null,
  home: null,
  before: [],
  copied: null,
  workspace: '/srv/workspaces/job',
  toolchains: [],
  env: { PATH: '/usr/bin' },
  egressSocket: null,
  command: ['/bin/true'],
}

test('a jail shares nothing with this machine and ends with its parent', async t => {
  const argv = jailArgv(PLAN)
  t.equal(argv[0], '/usr/bin/bwrap')
  for (const option of ['--unshare-user', '--unshare-pid', '--unshare-net', '--die-with-parent', '--clearenv']) {
    t.ok(argv.includes(option), option)
  }
  t.equal(argv.at(-1), '/bin/true')
  t.ok(argv.includes('/srv/workspaces/job'))
})

test('a server of root becomes another account before bubblewrap starts', async t => {
  const argv = jailArgv({ ...PLAN, account: { uid: 64_001, gid: 64_002, setpriv: '/usr/bin/setpriv' } })
  t.same(argv.slice(0, 9), [
    '/usr/bin/setpriv',
    '--reuid',
    '64001',
    '--regid',
    '64002',
    '--clear-groups',
    '--no-new-privs',
    '--',
    '/usr/bin/bwrap',
  ])
})

test('the socket of the proxy is in the jail only where there is one', async t => {
  const socket = '/srv/.run/proxy.sock'
  t.notOk(jailArgv(PLAN).includes(socket))
  t.ok(jailArgv({ ...PLAN, egressSocket: socket }).includes(socket))
})

test('the gate waits for the server and closes what the jail was started with', async t => {
  t.equal(LAST_FD, Math.max(...Object.values(FD)))
  t.equal(new Set(Object.values(FD)).size, Object.keys(FD).length, 'no two share a pipe')
  t.match(GATE, new RegExp(`read -r -N 1 -u ${FD.gate} go`))
  for (const fd of Object.values(FD)) t.match(GATE, `${fd}>&-`)
  t.ok(gateWithBridge('/opt/node/bin/node').endsWith(GATE))
})
