import { test } from 'tap'
import { checkReplies, diffOf, fenced } from '../../helpers/reply-cases.ts'

test('a diff makes a new file, and replaces none', async t => {
  checkReplies(t, [
    ['a new file', fenced('--- /dev/null\n+++ b/n.py\n@@ -0,0 +1,3 @@\n+a\n\n+b\n'), { 'n.py': 'a\n\nb\n' }],
    ['a new file without /dev/null', diffOf('@@ -0,0 +1,1 @@\n+a\n', 'n.py'), { 'n.py': 'a\n' }],
    ['a new file that exists', fenced('--- /dev/null\n+++ b/src/app.py\n@@ -0,0 +1 @@\n+a\n'), ['malformed']],
    [
      'an empty new file',
      fenced('diff --git a/n.py b/n.py\nnew file mode 100644\nindex 0000000..e69de29\n'),
      { 'n.py': '' },
    ],
    [
      'a dependency that healing adds to no file yet',
      fenced('--- requirements.txt\n+++ requirements.txt\n@@ -0,0 +1 @@\n+flask==2.0.0\n'),
      { 'requirements.txt': 'flask==2.0.0\n' },
    ],
    [
      'a new file with too large a count',
      '--- /dev/null\n+++ b/n.py\n@@ -0,0 +1,9 @@\n+a\n\nThat is all.\n',
      { 'n.py': 'a\n' },
    ],
    ['a new file with code left out', `n.py\n${fenced('import os\n# your code here\n', 'python')}`, ['malformed']],
    ['a new page with code left out', `n.html\n${fenced('<p>\n<!-- ... -->\n</p>\n', 'html')}`, ['malformed']],
    [
      'a new file of a diff with code left out',
      fenced('--- /dev/null\n+++ b/n.js\n@@ -0,0 +1,2 @@\n+const a = 1\n+// handler code here\n'),
      ['malformed'],
    ],
    ['a new text with dots', `n.md\n${fenced('# A\n\n...\n', 'markdown')}`, { 'n.md': '# A\n\n...\n' }],
  ])
})
