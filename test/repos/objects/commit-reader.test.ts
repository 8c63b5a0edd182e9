import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'tap'
import { createCommitReader } from '../../../src/repos/objects/commit-reader.ts'
import { setup } from './commit-to.ts'

test('what a commit holds is listed, read and checked out: files with their modes, no links', async t => {
  const { root, base, reader } = await setup(t)
  const at = { repository: 'shop', commit: base }
  const { files, others } = await reader.listFiles(at)
  t.same(
    files.map(({ path }) => path).sort(),
    ['-rf', 'a.py', 'logo.png', 'my folder/with space.txt', 'run.sh', 'say "hi".txt', 'ünï/日本.txt'].sort(),
  )
  t.same(others.sort(), ['link', 'linked-folder', 'module'])
  const oids = ['a.py', 'logo.png', 'run.sh'].map(path => files.find(file => file.path === path)?.oid ?? '')
  t.same(await reader.readTexts({ repository: 'shop', oids }), ['one\ntwo\n', null, '#!/bin/sh\necho hi\n'])
  const dir = join(root, 'out')
  mkdirSync(dir)
  await reader.checkout({ ...at, dir, without: ['a.py'] })
  t.same(readdirSync(dir).sort(), ['-rf', 'logo.png', 'my folder', 'run.sh', 'say "hi".txt', 'ünï'].sort())
  t.equal(statSync(join(dir, 'run.sh')).mode & 0o777, 0o755)
  t.equal(statSync(join(dir, '-rf')).mode & 0o777, 0o644)
  t.equal(readFileSync(join(dir, 'ünï/日本.txt'), 'utf8'), 'x\n')
  t.equal(await reader.checkPatch({ ...at, patch: '--- a/a.py\n+++ b/a.py\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n' }), null)
  t.match(
    await reader.checkPatch({ ...at, patch: '--- a/a.py\n+++ b/a.py\n@@ -1,2 +1,2 @@\n one\n-three\n+2\n' }),
    /patch failed/,
  )
  t.same(
    readdirSync(join(root, 'clones')).filter(name => name.startsWith('.tmp')),
    [],
  )
})

test('the mail of a commit is one that git am takes', async t => {
  const { root, base, remote, commitTo, reader } = await setup(t)
  const { commit } = await commitTo(
    { 'a.py': 'one\n2\n', 'ünï/日本.txt': null, 'new.txt': 'no newline', 'run.sh': '#!/bin/sh\n' },
    { message: 'Grüße an alle\n\nMehr davon.\n' },
  )
  const patch = await reader.formatPatch({ repository: 'shop', commit })
  const tree = join(root, 'tree')
  execFileSync('git', ['clone', '-q', '--no-recurse-submodules', remote.dir, tree])
  const inTree = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@example.com', ...args], {
      cwd: tree,
      ...(args[0] === 'am' ? { input: patch } : {}),
    })
      .toString()
      .trim()
  inTree('checkout', '-q', base)
  inTree('am', '-q')
  t.equal(
    inTree('rev-parse', 'HEAD^{tree}'),
    execFileSync('git', ['rev-parse', `${commit}^{tree}`], { cwd: join(root, 'clones', 'shop') })
      .toString()
      .trim(),
  )
  t.equal(inTree('log', '-1', '--format=%B'), 'Grüße an alle\n\nMehr davon.')
})

test('a commit that no workspace would hold is not checked out; what is left out does not count', async t => {
  const { root, base } = await setup(t, { files: { 'a.txt': 'x'.repeat(600), 'b.txt': 'x'.repeat(400), 'c.txt': 'x' } })
  const reader = createCommitReader({ clonedReposDir: join(root, 'clones'), maxCheckoutBytes: 1000 })
  const dir = join(root, 'out')
  mkdirSync(dir)
  const at = { repository: 'shop', commit: base, dir }
  await t.rejects(reader.checkout({ ...at, without: [] }), { code: 'REPOSITORY_TOO_LARGE' })
  t.same(readdirSync(dir), [], 'nothing was written')
  await reader.checkout({ ...at, without: ['c.txt'] })
  t.same(readdirSync(dir).sort(), ['a.txt', 'b.txt'], 'exactly as much as there may be')
})
