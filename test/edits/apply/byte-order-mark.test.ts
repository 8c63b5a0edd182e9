import { test } from 'tap'
import { hunkOf } from '../../helpers/hunks.ts'
import { LineIndex } from '../../../src/edits/apply/line-index.ts'
import { withoutMark } from '../../../src/edits/apply/byte-order-mark.ts'
import { checkReplies, diffOf, of } from '../../helpers/reply-cases.ts'

test('the byte order mark of a file changes only where a diff shows it', async t => {
  checkReplies(t, [
    ['a byte order mark', diffOf('@@ -1 +1 @@\n-a\n+b\n'), of('\uFEFFb\n'), of('\uFEFFa\n')],
    [
      'a byte order mark that the diff shows',
      diffOf('@@ -1,2 +1,2 @@\n-\uFEFFa\n+\uFEFFb\n c\n'),
      of('\uFEFFb\nc\n'),
      of('\uFEFFa\nc\n'),
    ],
    ['a byte order mark that goes', diffOf('@@ -1 +1 @@\n-\uFEFFa\n+a\n'), of('a\n'), of('\uFEFFa\n')],
    ['a byte order mark that comes', diffOf('@@ -1 +1 @@\n-a\n+\uFEFFa\n'), of('\uFEFFa\n'), of('a\n')],
  ])
})

test('the mark is cut off the first lines of a hunk, unless the file has it inside', async t => {
  const cut = (file: string[], ...lines: string[]): unknown => {
    const { hunk, mark } = withoutMark(hunkOf(lines), new LineIndex(file, { left: 1e6 }))
    return [mark, ...hunk.lines.map(({ text }) => text)]
  }
  t.same(cut(['a'], '-a', '+b'), [null, 'a', 'b'])
  t.same(cut(['a'], '-\uFEFFa', '+\uFEFFb'), [true, 'a', 'b'])
  t.same(cut(['a'], '-\uFEFFa', '+b'), [false, 'a', 'b'])
  t.same(cut(['a'], '-a', '+\uFEFFb'), [true, 'a', 'b'])
  t.same(cut(['a', '\uFEFFb'], '-\uFEFFb', '+c'), [null, '\uFEFFb', 'c'])
  t.same(cut(['a', 'b'], ' \uFEFFa', '-\uFEFFb'), [true, 'a', '\uFEFFb'], 'the first line only')
})
