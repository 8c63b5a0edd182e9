import fc from 'fast-check'
import { test } from 'tap'
import { diffLines } from '../../src/text/diff-lines.ts'

test('lines of hunks have their numbers before and after', async t => {
  const diff = [
    'diff --git a/a.py b/a.py',
    '--- a/a.py',
    '+++ b/a.py',
    '@@ -4,3 +4,3 @@ def f():',
    ' x',
    '--- y',
    '+++ z',
    ' w',
    '\\ No newline at end of file',
    '@@ -9 +9,0 @@',
    '-gone',
  ].join('\n')
  t.same(
    diffLines(`${diff}\n`).map(({ kind, oldLine, newLine }) => [kind, oldLine, newLine]),
    [
      ['file', null, null],
      ['file', null, null],
      ['file', null, null],
      ['hunk', null, null],
      ['same', 4, 4],
      ['removed', 5, null],
      ['added', null, 5],
      ['same', 6, 6],
      ['other', null, null],
      ['hunk', null, null],
      ['removed', 9, null],
    ],
  )
})

test('whatever a text is, its lines stay as they are', async t => {
  const line = fc.oneof(
    fc.constantFrom('@@ -1,2 +1 @@', '@@ -1 +1,3 @@', '--- a/x', '+++ b/x', '@@ nonsense', ''),
    fc.string().map(text => text.replace(/\n/g, ' ')),
  )
  fc.assert(
    fc.property(fc.array(line, { minLength: 1 }), lines => {
      const diff = lines.join('\n')
      const read = diffLines(diff).map(one => one.line)
      t.same(read, diff.replace(/\n$/, '').split('\n'))
    }),
  )
})
