import { test } from 'tap'
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
