import { test } from 'tap'
import {
  beginsDiff,
  hunkCounts,
  isFileHeader,
  isGitHeaderAt,
  isHalfHeader,
} from '../../../../src/edits/read/diff/diff-lines.ts'

test('the numbers of a header are read as far as it has any', async t => {
  t.same(hunkCounts('@@ -1,2 +3,4 @@ def x():'), { oldStart: 1, oldCount: 2, newCount: 4 })
  t.same(hunkCounts('@@ -5 +6 @@'), { oldStart: 5, oldCount: 1, newCount: 1 }, 'a count of one is left out')
  t.same(hunkCounts('@@-7,0+8,9@@'), { oldStart: 7, oldCount: 0, newCount: 9 })
  t.same(hunkCounts('@@ -12,3 @@'), { oldStart: 12, oldCount: null, newCount: null })
  t.same(hunkCounts('@@ ... @@'), { oldStart: null, oldCount: null, newCount: null })
})

test('the names of a file are two lines, or one right before a hunk', async t => {
  t.equal(isFileHeader(['--- a/x', '+++ b/x'], 0), true)
  for (const lines of [
    ['--- a/x', 'x'],
    ['x', '+++ b/x'],
    ['--- ', '+++ b/x'],
    ['--- a/x', '+++  '],
    ['---a', '+++b'],
  ]) {
    t.equal(isFileHeader(lines, 0), false, lines.join('|'))
  }
  t.equal(isHalfHeader(['+++ b/x', '@@'], 0), true)
  t.equal(isHalfHeader(['--- a/x', '@@ -1 +1 @@'], 0), true)
  for (const lines of [['+++ b/x', 'x'], ['+++ ', '@@'], ['x', '@@'], ['+++ b/x']]) {
    t.equal(isHalfHeader(lines, 0), false, lines.join('|'))
  }
})

test('a header of git in a hunk is one where a line of a header follows', async t => {
  const git = 'diff --git a/x b/x'
  for (const next of [
    '',
    'index 1..2 100644',
    'old mode 100644',
    'new file mode 100644',
    'deleted file mode 100644',
    'similarity index 90%',
    'dissimilarity index 90%',
    'rename from x',
    'copy to x',
    '--- a/x',
    '+++ b/x',
    '@@ -1 +1 @@',
    'Binary files a/x and b/x differ',
    'GIT binary patch',
    git,
  ]) {
    t.equal(isGitHeaderAt([git, next], 0), true, next)
  }
  for (const next of ['x', ' ', '-a', 'newer', 'indexes']) t.equal(isGitHeaderAt([git, next], 0), false, next)
  t.equal(isGitHeaderAt(['x', ''], 0), false)
  t.equal(isGitHeaderAt([git], 0), true, 'the last line')
})

test('a diff begins with names, with the numbers of a hunk, or with an envelope', async t => {
  for (const lines of [
    ['diff --git a/x b/x'],
    ['--- a/x', '+++ b/x'],
    ['+++ b/x', '@@'],
    ['@@ -1 +1 @@'],
    ['*** Begin Patch'],
  ]) {
    t.equal(beginsDiff(lines, 0), true, lines.join('|'))
  }
  for (const lines of [['@@'], ['--- a/x'], ['+ x'], ['*** x'], ['diff a b'], ['x'], []]) {
    t.equal(beginsDiff(lines, 0), false, lines.join('|'))
  }
})
