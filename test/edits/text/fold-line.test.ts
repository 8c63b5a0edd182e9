import { test } from 'tap'
import { foldLine, plainSpelling } from '../../../src/edits/text/fold-line.ts'
import { checkReplies, diffOf, of } from '../../helpers/reply-cases.ts'

test('characters that were made nice are those of the file', async t => {
  checkReplies(t, [
    ['quotes that were made nice', diffOf('@@ -1 +1 @@\n-say(“x”)\n+say(“y”)\n'), of('say("y")\n'), of('say("x")\n')],
    ['a blank that does not break', diffOf('@@ -1,2 +1,2 @@\n a\u00A0b\n-c\n+d\n'), of('a b\nd\n'), of('a b\nc\n')],
    ['letters composed in another way', diffOf('@@ -1 +1 @@\n-e\u0301\n+e\n'), of('e\n'), of('é\n')],
    ['dashes that were made nice', diffOf('@@ -1 +1 @@\n-a – b\n+a\n'), of('a\n'), of('a - b\n')],
  ])
})

test('a line is folded to what readers see', async t => {
  t.equal(foldLine('a \t'), 'a')
  t.equal(foldLine('“a”\u00A0‘b’ – c\u200B\uFEFF '), '"a" \'b\' - c')
  t.equal(foldLine('e\u0301'), '\u00e9')
  t.equal(foldLine('\u0007é'), '\u0007é')
})

test('characters that the file has plain are plain in added lines, too', async t => {
  const spell = plainSpelling([{ reply: '“a” – b', file: '"a" – b' }])
  t.equal(spell('“x” – ’y’'), '"x" – ’y’')
  t.equal(plainSpelling([])('“x”'), '“x”')
})
