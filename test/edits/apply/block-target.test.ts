import { test } from 'tap'
import { BlockTargets } from '../../../src/edits/apply/block-target.ts'
import { APP, app, checkReplies, fenced, SAVED } from '../../helpers/reply-cases.ts'

const saved = fenced(SAVED, 'python')
const other = fenced('def main():\n    print("something else")\n', 'python')

test('a block means the file whose name is like its own, where it is a version of that', async t => {
  checkReplies(t, [
    ['the end of the path', `app.py\n${saved}`, app(SAVED)],
    ['another case', `Src/App.py\n${saved}`, app(SAVED)],
    ['a folder too many', `myproject/src/app.py\n${saved}`, app(SAVED)],
    ['a comment in the first line', fenced(`# app.py\n${SAVED}`, 'python'), app(SAVED)],
    ['a file that the reply calls new', `app.py (new file)\n${saved}`, { 'app.py': SAVED }],
    ['a file that a sentence creates', `Create \`app.py\`:\n\n${saved}`, { 'app.py': SAVED }],
    [
      'a name that many files have',
      `main.py\n${other}`,
      { 'main.py': 'def main():\n    print("something else")\n' },
      { 'src/main.py': APP },
    ],
    [
      'a folder that is there',
      `docs/app.py\n${other}`,
      { 'docs/app.py': 'def main():\n    print("something else")\n' },
      { 'app.py': APP, 'docs/x.md': '' },
    ],
    [
      'a folder that the reply makes',
      `pkg/app.py\n${saved}\npkg/more.py\n${fenced('more = 1', 'python')}`,
      { 'pkg/app.py': SAVED, 'pkg/more.py': 'more = 1\n' },
      { 'app.py': APP },
    ],
    ['another name in another folder', `test/app.py\n${saved}`, { 'test/app.py': SAVED }],
  ])
})

test('a block that may be a new file or a version of one is refused', async t => {
  checkReplies(t, [
    ['nothing in common', `app.py\n${other}`, ['no_such_file']],
    ['two files that end so', `app.py\n${saved}`, ['no_such_file'], { 'a/app.py': APP, 'b/app.py': APP }],
    ['a copy in a folder that is there', `docs/app.py\n${saved}`, ['no_such_file'], { 'app.py': APP, 'docs/x.md': '' }],
  ])
})

test('the folders of files that are not given count', async t => {
  const block = { path: 'docs/app.py', content: 'x = compute()\n', named: 'line' as const, line: 0 }
  const files = new Map([['app.py', 'y = other()\n']])
  t.match(new BlockTargets(files, [block], []).meant(block), { problem: { reason: 'no_such_file' } })
  t.same(new BlockTargets(files, [block], ['docs/x.md']).meant(block), { file: block })
})
