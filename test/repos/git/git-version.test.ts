import { test } from 'tap'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { rememberGit, versionWarning } from '../../../src/repos/git/git-version.ts'
import { setup } from '../open-repos.ts'

test('an old git is warned about, a fixed one is not', async t => {
  for (const version of ['2.39.5', '2.43.6', '2.44.3', '2.50.0', '1.9.1']) t.match(versionWarning(version), version)
  for (const version of ['2.43.7', '2.44.4', '2.50.1', '2.51.0', '2.60', '3.0.0']) {
    t.equal(versionWarning(version), null, version)
  }
  for (const version of ['2.36.9', '1.9.1', '1.40', '0.99']) t.match(versionWarning(version), 'older than 2.37')
  for (const version of ['2.37.0', '2.37.9']) t.match(versionWarning(version), 'older than 2.38 and cannot merge')
  for (const version of ['2.38.0', '2.42.9']) t.match(versionWarning(version), 'older than 2.43.7')
  t.match(await setup(t).repos.gitVersion(), { version: /^\d+\.\d+/ })
})

test('the installed git is looked up once a minute', async t => {
  const root = t.testdir({ bin: {}, calls: '' })
  writeFileSync(join(root, 'bin', 'git'), `#!/bin/sh\necho x >> '${join(root, 'calls')}'\necho git version 2.50.1\n`, {
    mode: 0o755,
  })
  let now = 0
  const gitVersion = rememberGit(`${join(root, 'bin')}:/usr/bin:/bin`, () => now)
  const calls = () => readFileSync(join(root, 'calls'), 'utf8').length / 2
  for (const at of [0, 59_999]) {
    now = at
    t.match(await gitVersion(), { version: '2.50.1', warning: null })
  }
  t.equal(calls(), 1)
  now = 60_000
  await gitVersion()
  t.equal(calls(), 2)
})
