import { test } from 'tap'
import { hunkOf } from '../../helpers/hunks.ts'
import { placeAt } from '../../../src/edits/apply/place-hunk.ts'
import { LineIndex } from '../../../src/edits/apply/line-index.ts'
import { choosePlace } from '../../../src/edits/apply/choose-place.ts'
import { checkReplies, diffOf, of } from '../../helpers/reply-cases.ts'

test('of several places the one is chosen that the hunk clearly means', async t => {
  checkReplies(t, [
    [
      'several places, one at the number',
      diffOf('@@ -3 +3 @@\n-x\n+y\n'),
      of('x\na\ny\nb\nx\n'),
      of('x\na\nx\nb\nx\n'),
    ],
    ['several places, none near', diffOf('@@ -40 +40 @@\n-x\n+y\n'), ['ambiguous'], of('x\na\nx\n')],
    [
      'several places, the one at the number with blanks at its end',
      diffOf('@@ -3 +3 @@\n-a\n+b\n'),
      of('a\nx\nb\n'),
      of('a\nx\na  \n'),
    ],
    ['several places, no number', diffOf('@@\n-x\n+y\n'), ['ambiguous'], of('x\na\nx\n')],
    [
      'several places, one clearly nearest',
      diffOf('@@ -31 +31 @@\n-x\n+y\n'),
      of(`x\n${'a\n'.repeat(30)}y\n`),
      of(`x\n${'a\n'.repeat(30)}x\n`),
    ],
    [
      'several places, one behind the section that the header names',
      diffOf('@@ def b():\n-    x\n+    y\n'),
      of('def a():\n    x\ndef b():\n    y\n'),
      of('def a():\n    x\ndef b():\n    x\n'),
    ],
  ])
})

test('a place is chosen by the number of the hunk, by how the file ends, or by its section', async t => {
  const choose = (
    starts: number[],
    {
      oldStart = null,
      drift = 0,
      header = '@@',
      isLast = false,
    }: {
      oldStart?: number | null
      drift?: number
      header?: string
      isLast?: boolean
    } = {},
  ): number | null => {
    const hunk = { ...hunkOf(['-x']), oldStart, text: `${header}\n-x` }
    for (const line of hunk.lines) line.noNewline = isLast
    const lines = ['def a():', 'x', 'def b():', 'x', 'x', 'def b_too():', 'x']
    const index = new LineIndex(lines, { left: 1e6 })
    return choosePlace(hunk, { starts, place: which => placeAt(hunk.lines, starts[which] ?? 0) }, { index, drift })
  }
  t.equal(choose([]), null)
  t.equal(choose([3]), 0)
  t.equal(choose([1, 3]), null)
  t.equal(choose([1, 3], { oldStart: 4 }), 1)
  t.equal(choose([1, 11], { oldStart: 3 }), 0, 'three times nearer')
  t.equal(choose([1, 5], { oldStart: 3 }), 0)
  t.equal(choose([1, 4], { oldStart: 3 }), null, 'not three times nearer')
  t.equal(choose([1, 9], { oldStart: 4 }), 0)
  t.equal(choose([1, 9], { oldStart: 5 }), null)
  t.equal(choose([1, 9], { oldStart: 5, drift: 4 }), 1, 'as far away as the hunk before')
  t.equal(choose([0, 1, 40], { oldStart: 4 }), null, 'the next nearest is before the number, too')
  t.equal(choose([1, 40, 41], { oldStart: 37 }), null, 'the next nearest is behind the number, too')
  t.equal(choose([1, 6], { isLast: true }), 1)
  t.equal(choose([1, 3], { isLast: true }), null, 'not at the end')
  t.equal(choose([1, 3], { header: '@@ def b():' }), 1)
  t.equal(choose([1, 3], { header: '@@ def b(): @@' }), 1)
  t.equal(choose([1, 3], { header: '@@ def c(): @@' }), null)
  t.equal(choose([1, 3], { header: '@@ x' }), null, 'too short')
  t.equal(choose([1, 3], { header: '@@ def b_too():' }), null, 'nothing behind it')
})

test('a section of three characters tells the place, a shorter one does not', async t => {
  const behind = (header: string): number | null => {
    const hunk = { ...hunkOf(['-x']), text: `${header}\n-x` }
    const index = new LineIndex(['x', 'fn', 'end', 'x'], { left: 1e6 })
    const place = (which: number) => placeAt(hunk.lines, which === 0 ? 0 : 3)
    return choosePlace(hunk, { starts: [0, 3], place }, { index, drift: 0 })
  }
  t.equal(behind('@@ end @@'), 1)
  t.equal(behind('@@ fn @@'), null)
})
