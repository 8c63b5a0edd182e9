import { test } from 'tap'
import { findShift, indentOf, shiftLine, type Shift } from '../../../src/edits/text/indentation.ts'
import { checkReplies, diffOf, of } from '../../helpers/reply-cases.ts'

test('a hunk is shifted to the indentation of its file', async t => {
  checkReplies(t, [
    [
      'less indentation',
      diffOf('@@ -1,2 +1,3 @@\n if x:\n-    y\n+    z\n+    w\n'),
      of('  if x:\n      z\n      w\n'),
      of('  if x:\n      y\n'),
    ],
    [
      'blanks for tabs',
      diffOf('@@ -1,2 +1,3 @@\n if x:\n-    y\n+    z\n+        w\n'),
      of('if x:\n\tz\n\t\tw\n'),
      of('if x:\n\ty\n'),
    ],
    ['a blank after each sign', diffOf('@@ -1,2 +1,2 @@\n  a\n- b\n+ c\n'), of('a\nc\n'), of('a\nb\n')],
  ])
})

test('one shift gives all lines of a hunk the indentation of the file', async t => {
  const find = (...pairs: Array<[hunk: string, file: string]>): Shift | null =>
    findShift(pairs.map(([hunk, file]) => ({ hunk, file })))
  t.same(find(['a', '  a'], ['  b', '    b']), { add: '  ' })
  t.same(find(['    a', '  a'], ['  b', 'b']), { drop: '  ' })
  t.same(find(['', 'x'], ['a', '\ta']), { add: '\t' }, 'a blank line says nothing')
  t.same(find(['\ta', '    a'], ['\t\tb', '        b']), { tabsTo: 4 })
  t.same(find(['\ta', '  a']), { tabsTo: 2 })
  t.same(find(['    a', '\ta'], ['      b', '\t  b']), { blanksTo: 4 })
  t.equal(find(['a', '  a'], ['b', '    b']), null)
  t.equal(find(['', '']), null)
})

test('a line is shifted with its text, and a blank one stays', async t => {
  t.equal(indentOf('\t  a b'), '\t  ')
  t.equal(shiftLine('  a', { add: '\t' }), '\t  a')
  t.equal(shiftLine('   a', { drop: '  ' }), ' a')
  t.equal(shiftLine(' a', { drop: '  ' }), null)
  t.equal(shiftLine(' ', { drop: '  ' }), ' ')
  t.equal(shiftLine('\ta', { tabsTo: 3 }), '   a')
  t.equal(shiftLine('     a', { blanksTo: 4 }), '\t a')
})
