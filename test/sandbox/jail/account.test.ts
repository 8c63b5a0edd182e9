import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'tap'
import { closedFolder, sandboxAccount } from '../../../src/sandbox/jail/account.ts'

test('only a server of root has an account of its own for programs', async t => {
  t.equal(sandboxAccount(1000), null)
  t.equal(sandboxAccount(undefined), null)
  const account = sandboxAccount(0)
  t.ok(account !== null && account.uid > 0 && account.gid > 0)
})

test('the first folder that the account may not pass is named, unless the server opens it itself', async t => {
  const open = t.testdir({ closed: { inner: {} } })
  const closed = join(open, 'closed')
  const nobody = { uid: 64_001, gid: 64_001 }
  const above = closedFolder(closed, nobody)
  chmodSync(closed, 0o700)
  t.equal(closedFolder(join(closed, 'inner', 'job'), nobody), above ?? closed)
  chmodSync(closed, 0o711)
  t.equal(closedFolder(join(closed, 'inner', 'job'), nobody), above)
  chmodSync(closed, 0o700)
  if (above === null) t.equal(closedFolder(join(closed, 'inner', 'job'), nobody, [closed]), null)
})

test('folders that do not exist yet do not count', async t => {
  t.equal(closedFolder(join(t.testdir(), 'later', 'job'), null), null)
})
