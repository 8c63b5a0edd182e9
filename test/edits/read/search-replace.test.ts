import { test } from 'tap'
import { checkReplies, fenced } from '../../helpers/reply-cases.ts'

test('blocks of SEARCH and REPLACE are refused', async t => {
  checkReplies(t, [
    [
      'SEARCH and REPLACE',
      `src/app.py\n${fenced('<<<<<<< SEARCH\nimport os\n=======\nimport re\n>>>>>>> REPLACE', 'python')}`,
      ['malformed'],
    ],
    [
      'SEARCH and REPLACE without a fence',
      'src/app.py\n<<<<<<< SEARCH\nimport os\n=======\nimport re\n>>>>>>> REPLACE\n',
      ['malformed'],
    ],
    ['SEARCH and REPLACE that is cut off', 'src/app.py\n<<<<<<< SEARCH\nimport os\n', ['truncated']],
    [
      'marks of a conflict in a fence',
      `src/app.py\n${fenced('<<<<<<< HEAD\na\n=======\nb\n>>>>>>> main', 'python')}`,
      ['malformed'],
    ],
  ])
})
