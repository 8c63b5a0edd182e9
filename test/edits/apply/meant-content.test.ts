import { test } from 'tap'
import { APP, app, checkReplies, fenced, SAVED } from '../../helpers/reply-cases.ts'

const SIGNED =
  ' def save(path, text):\n-    with open(path, "w") as f:\n+    with open(path, "a") as f:\n         f.write(text)\n'
const LESS = 'def less(a, b):\n    return a < b and a > 0\n'
const FEWER = LESS.replace('> 0', '> 1')
const escaped = (text: string): string => text.replaceAll('<', '&lt;').replaceAll('>', '&gt;')

test('a block whose lines have the signs of a diff is one', async t => {
  checkReplies(t, [
    ['a part', `src/app.py\n${fenced(SIGNED, 'python')}`, app(SAVED)],
    [
      'all of the file',
      `src/app.py\n${fenced(APP.replace('    with open(path, "w") as f:', '-    with open(path, "w") as f:\n+    with open(path, "a") as f:'), 'python')}`,
      app(SAVED),
    ],
    ['a new file', `b.py\n${fenced('+import os\n+\n+x = 1', 'python')}`, { 'b.py': 'import os\n\nx = 1\n' }],
    ['other lines that are not there', `src/app.py\n${fenced(`${SIGNED}more = 1\n`, 'python')}`, ['malformed']],
    ['a list', `a.md\n${fenced('- b\n- c', 'markdown')}`, { 'a.md': '- b\n- c\n' }, { 'a.md': '- b\n' }],
    [
      'the lists of a file in another order',
      `a.yml\n${fenced('d: 1\na:\n- b\n- c', 'yaml')}`,
      { 'a.yml': 'd: 1\na:\n- b\n- c\n' },
      { 'a.yml': 'a:\n- b\n- c\nd: 1\n' },
    ],
    [
      'lines with signs that the file has, in another order',
      `a.js\n${fenced('b()\na(\n-1\n)', 'js')}`,
      { 'a.js': 'b()\na(\n-1\n)\n' },
      { 'a.js': 'a(\n-1\n)\nb()\n' },
    ],
    ['a new list', `a.md\n${fenced('+ b\n+ c', 'markdown')}`, { 'a.md': '+ b\n+ c\n' }],
  ])
})

test('a block that is escaped as in HTML is plain text', async t => {
  const before = { 'a.py': LESS }
  checkReplies(t, [
    ['of a file', `a.py\n${fenced(escaped(FEWER), 'python')}`, { 'a.py': FEWER }, before],
    ['of a new file', `b.js\n${fenced('if (a &amp;&amp; b) c()', 'js')}`, { 'b.js': 'if (a && b) c()\n' }],
    ['in part', `a.py\n${fenced(escaped(FEWER).replace('&gt;', '>'), 'python')}`, ['malformed'], before],
    ['a page', `a.html\n${fenced('<p>a &lt; b</p>', 'html')}`, { 'a.html': '<p>a &lt; b</p>\n' }],
    ['a text in code', `b.py\n${fenced('x = "&lt;"', 'python')}`, { 'b.py': 'x = "&lt;"\n' }],
  ])
})

test('typographic quotes in code are refused, those of texts are not', async t => {
  checkReplies(t, [
    ['of code', `src/app.py\n${fenced(APP.replace('"w"', '“a”'), 'python')}`, ['malformed']],
    ['of a text', `b.py\n${fenced('x = "“a”"\n# (“b”)', 'python')}`, { 'b.py': 'x = "“a”"\n# (“b”)\n' }],
    ['of prose', `b.md\n${fenced('so: “a”', 'markdown')}`, { 'b.md': 'so: “a”\n' }],
  ])
})
