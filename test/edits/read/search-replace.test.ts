import { test } from 'tap'
import {
  bareSearchReplaceProblem,
  beginsSearchReplace,
  searchReplaceEnd,
  searchReplaceProblem,
} from '../../../src/edits/read/search-replace.ts'
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

test('a block of SEARCH and REPLACE has all three marks, in their order', async t => {
  const lines = ['x', '<<<<<<< SEARCH', 'a', '=======', 'b', '>>>>>>> REPLACE', 'y']
  t.match(searchReplaceProblem(lines, 'a.py'), { reason: 'malformed', path: 'a.py', hunkText: /^<<<<<<< SEARCH\na/ })
  t.equal(searchReplaceProblem(lines, null)?.path, null)
  for (const missing of [1, 3, 5]) t.equal(searchReplaceProblem(lines.toSpliced(missing, 1), null), null, `${missing}`)
  t.equal(searchReplaceProblem(['=======', '>>>>>>> x', '<<<<<<< x'], null), null)
  t.equal(searchReplaceEnd(lines, 1, lines.length), 5)
  t.equal(searchReplaceEnd(lines.slice(0, 5), 1, 5), 4, 'no end')
  t.match(bareSearchReplaceProblem(lines, { at: 1, end: 5, path: null }), { reason: 'malformed' })
  t.match(bareSearchReplaceProblem(lines, { at: 1, end: 4, path: null }), { reason: 'truncated' })
  for (const line of ['<<<<<<< SEARCH', '<<<<< ORIGINAL', '<<<<<<<HEAD']) t.equal(beginsSearchReplace(line), true, line)
  for (const line of ['<<<<<<< x', '<<<< SEARCH', 'SEARCH']) t.equal(beginsSearchReplace(line), false, line)
})
