import { test } from 'tap'
import { isGap, isPlaceholder } from '../../../src/edits/text/ellipsis.ts'
import { checkReplies, diffOf, fenced, of } from '../../helpers/reply-cases.ts'

test('a block that leaves out code is not written', async t => {
  checkReplies(t, [
    [
      'code left out of a file',
      `src/app.py\n${fenced('import os\n# ... existing code ...\nx = 1', 'python')}`,
      ['malformed'],
    ],
    [
      'code left out, said in Russian',
      `src/app.py\n${fenced('import os\n# ... остальной код без изменений ...', 'python')}`,
      ['malformed'],
    ],
    [
      'code left out, said in German',
      `src/app.py\n${fenced('import os\n# ... restlicher Code bleibt unverändert ...', 'python')}`,
      ['malformed'],
    ],
    [
      'code left out, said in Chinese',
      `src/app.py\n${fenced('import os\n# ... 其余代码保持不变 ...', 'python')}`,
      ['malformed'],
    ],
    [
      'code left out, said without dots',
      `src/app.py\n${fenced('import os\n# rest of the code remains the same', 'python')}`,
      ['malformed'],
    ],
    ['dots among what is added', diffOf('@@ -1 +1,2 @@\n-a\n+b\n+# ... existing code ...\n'), ['malformed'], of('a\n')],
  ])
})

test('a line stands for code that is left out when it says so, in a comment or behind dots', async t => {
  for (const line of [
    '# ... existing code ...',
    '/* … rest … */',
    '<!-- ... unchanged ... -->',
    '{/* ... remaining routes ... */}',
    '... rest of the file',
    '# rest of the code remains the same',
    '// existing imports stay here',
    '-- (the rest of your code)',
    '# unchanged as before',
    '# code remains the same',
  ]) {
    t.equal(isPlaceholder(line), true, line)
    t.equal(isGap(line), true, line)
  }
  for (const line of ['...', '…', '[...]', '# ...', '(....)', '/* ... */']) {
    t.equal(isPlaceholder(line), false, line)
    t.equal(isGap(line), true, line)
  }
  for (const line of [
    'rest of the code remains the same',
    'x = existing(...rest)',
    '# existing',
    '# ... x ...',
    '...x',
    '',
    `# ... existing code ${'x'.repeat(180)}`,
    `${' '.repeat(200)}...`,
  ]) {
    t.equal(isPlaceholder(line), false, line)
    t.equal(isGap(line), false, line)
  }
  const limit = `# ... existing code ...${' '.repeat(176)}`
  t.equal(isPlaceholder(limit), true, '199 characters')
  t.equal(isPlaceholder(`${limit} `), false, '200 characters')
})
