import { execFileSync } from 'node:child_process'
import { test } from 'tap'
import { EXIT } from '../../src/cli/exit-codes.ts'
import { mergesHere } from '../../src/cli/merge-here.ts'
import type { Session } from '../../src/cli/session.ts'

/** A session of which only the place, the settings and the folder are used. */
const sessionOf = (isRemote: boolean, cwd = '.', flags: Session['flags'] = {}): Session =>
  ({ isRemote, flags, cwd }) as unknown as Session

test('a task is merged here only where that was asked for and the server works on this machine', async t => {
  const cwd = t.testdir({ shop: {} })
  const shop = `${cwd}/shop`
  execFileSync('git', ['init', '--quiet', shop]) // not the repository that this test lies in
  const [here, there] = [sessionOf(false, cwd), sessionOf(true, cwd)]
  t.equal(await mergesHere(here, null, true), false, 'the server merges what it has alone')
  for (const session of [here, there]) {
    t.equal(await mergesHere(session, shop, false), false)
    t.equal(await mergesHere(session, shop, undefined), false, 'nothing is said of it')
  }
  await t.rejects(mergesHere(there, shop, true), { code: 'USAGE', exitCode: EXIT.usage, fix: /^Leave --server out/ })
  const isSet = sessionOf(false, cwd, { AUTO_MERGE: 'true' })
  for (const ask of [() => mergesHere(here, shop, true), () => mergesHere(isSet, shop, undefined)]) {
    await t.rejects(ask, { code: 'CHECKOUT_NOT_READY' }, 'the folder is looked at before anything begins')
  }
})
