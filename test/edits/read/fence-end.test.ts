import { test } from 'tap'
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
