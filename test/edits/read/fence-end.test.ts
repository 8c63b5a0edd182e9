import { test } from 'tap'
import type { FenceContent } from '../../../src/edits/read/fence-lines.ts'
import { findFenceEnd, type FenceEnd } from '../../../src/edits/read/fence-end.ts'
import { app, checkReplies, diffOf, F, fenced, HUNK, NAMES, of, SAVED } from '../../helpers/reply-cases.ts'

test('a fence ends where its author meant it to, or the reply says that it cannot be told', async t => {
  checkReplies(t, [
    ['a fence that is not closed', `${F}diff\n${NAMES}${HUNK}`, ['truncated']],
    ['a file that is cut off', `a.py\n${F}python\nx = 1\n`, ['truncated']],
    ['a closing fence too many', `${fenced(NAMES + HUNK)}${F}\n`, app(SAVED)],
    ['tildes', 'a.py\n~~~python\nx = 1\n~~~\n', { 'a.py': 'x = 1\n' }],
    [
      'a longer fence around fences',
      `a.md\n${F}${F}markdown\n${F}\nx\n${F}\n${F}${F}\n`,
      { 'a.md': `${F}\nx\n${F}\n` },
    ],
    [
      'tagged fences in Markdown nest',
      `a.md\n${F}markdown\n# T\n${F}bash\nls\n${F}\nend\n${F}\n`,
      { 'a.md': `# T\n${F}bash\nls\n${F}\nend\n` },
    ],
    [
      'bare fences in Markdown between blank lines nest',
      `a.md\n${F}\n# T\n\n${F}\nls\n${F}\n\nend\n${F}\n`,
      { 'a.md': `# T\n\n${F}\nls\n${F}\n\nend\n` },
    ],
    ['bare fences in Markdown that nobody can tell', `a.md\n${F}\n# T\n${F}\nls\n${F}\nend\n${F}\n`, ['malformed']],
    ['a Markdown file, then a command', `a.md\n${F}\n# T\n${F}\n\nRun:\n\n${F}\nls\n${F}\n`, { 'a.md': '# T\n' }],
    ['a fence that swallows the next file', `a.py\n${F}python\nx\n\nb.py\n${F}python\ny\n${F}\n`, ['truncated']],
    [
      'an indented fence',
      `1. Do:\n\n   a.py\n   ${F}python\n   def f():\n       pass\n   ${F}\n`,
      { 'a.py': 'def f():\n    pass\n' },
    ],
    [
      'an indented fence inside does not close',
      `a.py\n${F}python\ns = """\n  ${F}\n"""\n${F}\n`,
      { 'a.py': `s = """\n  ${F}\n"""\n` },
    ],
    ['all of the reply in a fence', `${F}markdown\nHere:\n\na.py\n${F}python\nx\n${F}\n${F}\n`, { 'a.py': 'x\n' }],
    ['a fence with text after it that is never closed', `${fenced(NAMES + HUNK)}\nRun:\n${F}\n`, ['truncated']],
    [
      'a context line without prefix that looks like the end of the fence',
      diffOf(`@@ -1,3 +1,3 @@\n a\n${F}\n-b\n+c\n`),
      of(`a\n${F}\nc\n`),
      of(`a\n${F}\nb\n`),
    ],
    [
      'the same with counts that do not tell',
      diffOf(`@@ -1,8 +1,8 @@\n a\n${F}\n-b\n+c\n`),
      ['malformed'],
      of(`a\n${F}\nb\n`),
    ],
    [
      'fences inside of a hunk with prefixes',
      diffOf(`@@ -1,3 +1,3 @@\n ${F}\n-b\n+c\n ${F}\n`),
      of(`${F}\nc\n${F}\n`),
      of(`${F}\nb\n${F}\n`),
    ],
    ['all of the reply in a plain fence', `${F}\na.py\n${F}python\nx\n${F}\n${F}\n`, { 'a.py': 'x\n' }],
  ])
})

/** The end of the fence that the first of these lines opens. */
const endOf = (content: FenceContent, ...lines: string[]): FenceEnd =>
  findFenceEnd(['```', ...lines], 0, {
    opener: { indent: 0, mark: '```', info: '' },
    content,
    startsBlock: line => lines[line - 2]?.endsWith('.py') === true,
  })

test('fences with a language nest, bare ones in Markdown only where they look like an opening', async t => {
  t.same(endOf('other', 'x', '```'), { at: 2 })
  t.same(endOf('other', '```py', '```', '```'), { at: 3 })
  t.same(endOf('other', '  ```', '~~~', '``', '````'), { at: 4 }, 'indented, of another character, shorter')
  t.same(endOf('other', 'x'), { unclosed: true })
  t.same(endOf('markdown', 'x', '```', ''), { at: 2 })
  t.same(endOf('markdown', '', '```', 'x', '```', '', '```'), { at: 6 })
  t.same(endOf('markdown', 'x', '```', 'x', '', '```', 'x', '```'), { at: 2 }, 'a block further down')
  t.match(endOf('markdown', 'x', '```', 'x', '```', 'y', '```'), { doubtful: /longer fence/ })
  t.same(endOf('markdown', 'x', '```', 'a.py', '```', 'y', '```'), { at: 2 }, 'another block begins')
})

test('a fence in a hunk closes it unless the counts come out with it, or changes follow', async t => {
  t.same(endOf('diff', '@@ -1,2 +1,2 @@', ' a', '```', '```'), { at: 4 }, 'the counts come out')
  t.same(endOf('diff', '@@ -1,2 +1,2 @@', ' a', '```', '\\ No newline', '```'), { at: 5 })
  t.same(endOf('diff', '@@ -1 +1 @@', ' a', '```', 'Done.'), { at: 3 })
  t.same(endOf('diff', '@@ -1 +1 @@', ' a', '```', '- item'), { at: 3 })
  t.match(endOf('diff', '@@ -1 +1 @@', ' a', '```', '+x'), { doubtful: /inside of a hunk/ })
  t.match(endOf('diff', '@@ -1,5 +1,5 @@', ' a', '```', ' b'), { doubtful: /inside of a hunk/ })
  t.match(endOf('diff', '@@ -1,5 +1,5 @@', ' a', '```', 'Done.', '+x'), { doubtful: /inside of a hunk/ })
  t.same(endOf('diff', '@@ -1,5 +1,5 @@', ' a', '```', 'Done.', '```', '+x'), { at: 3 }, 'in another fence')
  t.same(endOf('diff', '@@ -1,5 +1,5 @@', ' a', '```', 'Done.', '--- a/x', '+++ b/x', '+x'), { at: 3 }, 'in a diff')
  t.same(endOf('diff', '@@ -1,3 +1,1 @@', ' a', '```', 'b', '```'), { at: 3 }, 'one side is spent')
})
