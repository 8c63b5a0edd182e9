import { test } from 'tap'
import { replyLines } from '../../../src/edits/read/reply-lines.ts'
import { app, checkReplies, diffOf, F, fenced, HUNK, NAMES, of, SAVED } from '../../helpers/reply-cases.ts'

test('thoughts and line ends of a reply say nothing about a file', async t => {
  checkReplies(t, [
    [
      'a thought before the edit',
      `<think>\n${fenced(`${NAMES}@@\n-x\n+y`)}</think>\n${fenced(NAMES + HUNK)}`,
      app(SAVED),
    ],
    ['a thought whose begin is missing', `Let me see\n${F}\nx\n${F}\n</think>\n${fenced(NAMES + HUNK)}`, app(SAVED)],
    ['a thought that does not end', `<think>\n${fenced(NAMES + HUNK)}`, ['truncated']],
    ['CRLF in all of the reply', fenced(NAMES + HUNK).replaceAll('\n', '\r\n'), app(SAVED)],
    [
      'tags of thoughts among the lines of a hunk',
      `${diffOf('@@ -1,3 +1,3 @@\n <think>\n-b\n+</think>\n c\n')}`,
      of('<think>\n</think>\nc\n'),
      of('<think>\nb\nc\n'),
    ],
    [
      'tags of thoughts in a diff without a fence',
      '--- a/f.txt\n+++ b/f.txt\n@@ -1,3 +1,3 @@\n <think>\n-b\n+</think>\n c\n',
      of('<think>\n</think>\nc\n'),
      of('<think>\nb\nc\n'),
    ],
    [
      'a thought whose begin is missing, after a diff without a fence',
      '--- a/f.txt\n+++ b/f.txt\n@@ -1 +1 @@\n-a\n+b\n\n</think>\n',
      ['malformed'],
      of('a\n'),
    ],
    [
      'a fence in a hunk, further indented than the one around it, and the end of a thought that is removed',
      diffOf(`@@\n a\n   ${F}\n-b</think>\n+c\n`),
      of(`a\n  ${F}\nc\n`),
      of(`a\n  ${F}\nb</think>\n`),
    ],
    [
      'a context line that looks like the end of the fence, and one like the end of a thought',
      '~~~\n--- a/f.txt\n+++ b/f.txt\n@@\n-a\n~~~\n+d\n</think>5\n',
      ['malformed'],
      of('a\n~~~\n</think>5\n'),
    ],
    ['a thought that ends a line of prose', `I will change it.</think>\n${fenced(NAMES + HUNK)}`, app(SAVED)],
    ['no newline at the end of the reply', fenced(NAMES + HUNK).trimEnd(), app(SAVED)],
    [
      'CRLF without a newline at the end of the reply',
      fenced(NAMES + HUNK)
        .trimEnd()
        .replaceAll('\n', '\r\n'),
      app(SAVED),
    ],
  ])
})

test('the lines of thoughts are blank, those of fences and hunks stay', async t => {
  const lines = (...given: string[]): string[] => replyLines(given.join('\n')).lines
  t.same(lines('<think>', 'x', '</think> y', 'z'), ['', '', ' y', 'z'])
  t.same(lines('<think>a</think><think>b</think>c'), ['c'])
  t.same(lines('x', '</think>', 'y'), ['', '', 'y'], 'whose begin is missing')
  t.same(lines('<think>', '</think>', 'x</think>'), ['', '', 'x</think>'], 'only the first one may lack its begin')
  t.same(lines('```', '<think>', '</think>', '```'), ['```', '<think>', '</think>', '```'])
  t.same(lines('```', '````', '<think>', 'x'), ['```', '````', '', ''], 'behind a longer closing fence')
  t.same(lines('````', '```', '<think>', '````'), ['````', '```', '<think>', '````'], 'a shorter one closes nothing')
  t.same(lines('@@', '<think>', '', '<think>', 'x'), ['@@', '<think>', '', '', ''], 'a blank line ends a hunk')
  t.equal(replyLines('<think>\nx').thoughtProblem, 'cut')
  t.equal(replyLines('@@\n-x\n\n</think>').thoughtProblem, 'doubtful')
  t.equal(replyLines('<think>\n</think>').thoughtProblem, null)
})

test('line ends say something about a file only where they differ', async t => {
  const ends = (text: string): boolean[] => {
    const { lines, hasCr } = replyLines(text)
    return lines.map((_, i) => hasCr(i))
  }
  t.same(ends('a\r\nb\r\n'), [false, false])
  t.same(ends('a\r\nb'), [false, false], 'the last line is not ended')
  t.same(ends('a\r\nb\n'), [true, false])
  t.same(ends('a\r\n'), [true], 'a single line')
  t.same(replyLines('\uFEFFa\r\nb\n').lines, ['a', 'b'])
})
