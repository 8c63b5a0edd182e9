import { test } from 'tap'
import { readGitNames } from '../../../../src/core/git-names.ts'
import { readDiffName } from '../../../../src/edits/read/diff/diff-name.ts'
import { app, checkReplies, diffOf, fenced, HUNK, of, SAVED } from '../../../helpers/reply-cases.ts'

test('names in the header of a diff are read however they are spelled', async t => {
  checkReplies(t, [
    [
      'dates behind the names',
      fenced(`--- a/src/app.py\t2026-01-01 10:00:00\n+++ b/src/app.py 2026-01-01 10:00:00.000 +0000\n${HUNK}`),
      app(SAVED),
    ],
    [
      'remarks behind the names',
      fenced(`--- a/src/app.py (original)\n+++ b/src/app.py (modified)\n${HUNK}`),
      app(SAVED),
    ],
    [
      'a quoted name',
      fenced('--- "a/\\303\\251.txt"\n+++ "b/\\303\\251.txt"\n@@ -1 +1 @@\n-x\n+y\n'),
      of('y\n', 'é.txt'),
      of('x\n', 'é.txt'),
    ],
    ['a path from the root', fenced(`--- /src/app.py\n+++ /src/app.py\n${HUNK}`), ['bad_path']],
    [
      'a name in brackets',
      diffOf('@@ -1 +1 @@\n-x\n+y\n', 'app/[slug]/page.tsx'),
      of('y\n', 'app/[slug]/page.tsx'),
      of('x\n', 'app/[slug]/page.tsx'),
    ],
    ['names in backticks', fenced(`--- \`src/app.py\`\n+++ \`src/app.py\`\n${HUNK}`), app(SAVED)],
    [
      'a name with blanks',
      fenced('--- a/my file.txt\t\n+++ b/my file.txt\t\n@@ -1 +1 @@\n-x\n+y\n'),
      of('y\n', 'my file.txt'),
      of('x\n', 'my file.txt'),
    ],
  ])
})

test('a name is told from the words beside it, and from words that name nothing', async t => {
  for (const [rest, name] of [
    ['a/src/app.py', 'a/src/app.py'],
    ['"a/a b\\t\\"c\\".txt"', 'a/a b\t"c".txt'],
    ['"a/\\303\\251\\x.txt"', 'a/é\\x.txt'],
    ['"\\a\\b\\t\\n\\v\\f\\r\\"\\\\"', '\x07\b\t\n\v\f\r"\\'],
    ['"a', '"a'],
    ["'src/app.py'", 'src/app.py'],
    ['**src/app.py**', 'src/app.py'],
    ["''", "''"],
    ['src/app.py (original)', 'src/app.py'],
    ['app/(auth)/page.tsx', 'app/(auth)/page.tsx'],
    [' (original)', '(original)'],
    ['/dev/null', null],
    ['b/dev/null', null],
    ['NUL', null],
    ['""', undefined],
    ['', undefined],
    ['Original', undefined],
  ] as const) {
    t.equal(readDiffName(rest), name, rest)
  }
})

test('the two names of a line of git are told apart, also with blanks', async t => {
  const names = (rest: string): unknown => readGitNames(`diff --git ${rest}`)
  t.same(names('a/x b/y'), { old: 'a/x', new: 'b/y' })
  t.same(names('a/my file b/my file'), { old: 'a/my file', new: 'b/my file' })
  t.same(names('"a/\\303\\251" b/x'), { old: 'a/é', new: 'b/x' })
  t.same(names('a/x "b/a b"'), { old: 'a/x', new: 'b/a b' })
  t.equal(names('a/my file b/my life'), null)
  t.equal(names('a/my file b/x'), null)
  t.equal(names('"a/x" b/y "c"'), null)
})
