import { test } from 'tap'
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
