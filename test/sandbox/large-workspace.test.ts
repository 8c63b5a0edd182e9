import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'tap'
import { inJail, testSandbox } from '../helpers/sandbox.ts'

test('100,000 files are collected as far as the limit goes, and deleted', inJail, async t => {
  const { sandbox, workspace, workspacesDir, run } = await testSandbox(t)
  t.match(
    await run(['perl', '-e', 'for my $d (0..99) { mkdir "d$d"; for (0..999) { open(my $f, ">", "d$d/f$_") } }']),
    { exitCode: 0, killedBy: null },
  )
  const { files, skipped } = await sandbox.collect(workspace)
  t.same(skipped, [{ path: '', reason: 'too_many' }])
  t.ok(files.length > 9_000 && files.length <= 10_000, String(files.length))
  await sandbox.remove(workspace, { later: true })
  t.notOk(existsSync(workspace), 'out of its place at once')
  await sandbox.close()
  t.same(readdirSync(join(workspacesDir, '.trash')), [], 'and deleted before the end')
})
