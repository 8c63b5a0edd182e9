import { join } from 'node:path'
import { test } from 'tap'
import { createCommitDifferences, readChangedLines } from '../../../src/repos/history/changed-lines.ts'
import { createGitRepository } from '../../helpers/git-repository.ts'
import { testFolder } from '../../helpers/test-folder.ts'

const NUMBERS = Array.from({ length: 9 }, (_, at) => `line ${at + 1}\n`)
const signal = new AbortController().signal

test('lines are those of the newer commit, and what went marks its neighbours', async t => {
  const root = testFolder(t)
  const shop = createGitRepository(join(root, 'shop'), {
    files: { 'a.txt': NUMBERS.join(''), 'ä "b".txt': 'x\n', 'c.txt': 'x' },
  })
  const base = shop.git('rev-parse', 'HEAD')
  const fresh = ['new\n', ...NUMBERS.slice(0, 3), 'other\n', ...NUMBERS.slice(4, 6), ...NUMBERS.slice(7)]
  shop.commit({ 'a.txt': fresh.join(''), 'c.txt': 'y' })
  const commit = shop.git('rev-parse', 'HEAD')
  const { changedLines, isAncestor } = createCommitDifferences({ clonedReposDir: root })
  const pair = { repository: shop.dir.slice(root.length + 1), base, commit }
  t.same(await changedLines({ ...pair, paths: ['a.txt', 'c.txt', ':(glob)**'] }, signal), [
    { path: 'a.txt', startLine: 1, endLine: 1 },
    { path: 'a.txt', startLine: 5, endLine: 5 },
    { path: 'a.txt', startLine: 7, endLine: 8 },
    { path: 'c.txt', startLine: 1, endLine: 1 },
  ])
  t.same(await changedLines({ ...pair, paths: [] }, signal), [])
  t.equal(await isAncestor(pair, signal), true)
  t.equal(await isAncestor({ ...pair, base: commit, commit: base }, signal), false)
  t.equal(await changedLines({ ...pair, base: 'f'.repeat(40), paths: ['a.txt'] }, signal), null)
  t.equal(await changedLines({ ...pair, base: '--output=x', paths: ['a.txt'] }, signal), null, 'no name of git')
})

test('lines of files that look like headers are none', async t => {
  const diff = [
    'diff --git a/a.txt b/a.txt',
    '--- a/a.txt',
    '+++ b/a.txt',
    '@@ -1 +1,3 @@',
    '-old',
    '\\ No newline at end of file',
    '+++ b/other.txt',
    '+@@ -1 +700 @@',
    '+diff --git a/x b/x',
    '@@ -9 +11 @@',
    '-a',
    '+b',
    '',
  ].join('\n')
  t.same(readChangedLines(diff), [
    { path: 'a.txt', startLine: 1, endLine: 3 },
    { path: 'a.txt', startLine: 11, endLine: 11 },
  ])
})
