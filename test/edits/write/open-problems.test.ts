import { test } from 'tap'
import { deletionProblem, replyProblem, unplacedProblem, type EditProblem } from '../../../src/edits/edit.ts'
import { readReply } from '../../../src/edits/read/read-reply.ts'
import { openProblems } from '../../../src/edits/write/open-problems.ts'

const problem = (path: string | null, detail = 'x'): EditProblem => replyProblem('not_found', detail, { path })
const applied = (path: string) => ({ path, hunk: 1, how: 'applied' as const })
const left = (before: EditProblem[], turn: Parameters<typeof openProblems>[1]) =>
  openProblems(before, turn).map(({ path, detail }) => `${path ?? '-'} ${detail}`)

test('a problem is open until its file is edited again, once for each edit', t => {
  t.same(left([problem('a.py', '1'), problem('b.py', '2')], { applied: [applied('a.py')], rejected: [] }), ['b.py 2'])
  t.same(left([problem('a.py', '1'), problem('a.py', '2')], { applied: [applied('a.py')], rejected: [] }), ['a.py 2'])
  t.same(
    left([problem('a.py', '1')], { applied: [], rejected: [] }),
    ['a.py 1'],
    'a turn that is silent settles nothing',
  )
  t.end()
})

test('what fails again is open with its new reason alone', t => {
  t.same(left([problem('a.py', 'old')], { applied: [], rejected: [problem('a.py', 'new')] }), ['a.py new'])
  t.same(
    left([problem('a.py', 'old'), problem('b.py', 'old')], {
      applied: [applied('b.py')],
      rejected: [problem('a.py', 'new')],
    }),
    ['a.py new'],
  )
  t.end()
})

test('another file of the same base name settles nothing, unless the folder was what was wrong', t => {
  const tests = { applied: [applied('tests/app.py')], rejected: [] }
  t.same(left([problem('src/app.py', '1')], tests), ['src/app.py 1'])
  t.same(left([replyProblem('no_such_file', '1', { path: 'test/app.py' })], tests), [])
  t.same(left([problem('app.py', '1')], tests), [], 'a name without its folders')
  t.end()
})

test('NOT A FILE settles blocks that nobody could place when it is said of each of them', t => {
  const before = ['one', 'two'].map(text => unplacedProblem({ lines: [text], line: 1 }))
  const openAfter = (text: string) =>
    openProblems(before, { applied: [], rejected: [], reply: readReply(text) }).map(({ hunkText }) => hunkText)
  t.same(openAfter('NOT A FILE\n\nNOT A FILE\n'), [])
  t.same(openAfter('NOT A FILE\n'), ['one', 'two'], 'of which of them is not said')
  t.same(openAfter('a.py\n```python\nnames = [\n"not a file",\n"not a file",\n]\n```\n'), ['one', 'two'], 'content')
  t.end()
})

test('a file may be spelled in another way; a problem of no file is settled by any edit', t => {
  t.same(left([problem('./src/A.py', '1')], { applied: [applied('src/a.py')], rejected: [] }), [])
  t.same(left([problem(null, '1')], { applied: [applied('b.py')], rejected: [] }), [])
  t.same(left([problem(null, '1')], { applied: [], rejected: [] }), ['- 1'])
  t.end()
})

test('a block below a word that is the name of a file settles what it was', t => {
  const before = [unplacedProblem({ lines: ['#!/bin/sh', 'ls'], line: 1 })]
  const reply = readReply('deploy\n```sh\n#!/bin/sh\nls\n```\n')
  t.same(openProblems(before, { applied: [applied('bin/deploy')], rejected: [], reply }), [])
  t.equal(openProblems(before, { applied: [applied('other')], rejected: [], reply }).length, 1, 'no file is called so')
  t.end()
})

test('a file that was said to go stays by a line that says so, and nothing else is settled by it', t => {
  const before = [
    deletionProblem('lib/a.py', 'rm lib/a.py'),
    deletionProblem('b.py', 'rm b.py'),
    problem('lib/a.py', '1'),
  ]
  const after = (text: string): Array<string | null> =>
    openProblems(before, { applied: [], rejected: [], reply: readReply(text) }).map(({ path }) => path)
  t.same(after('KEPT a.py\n'), ['b.py', 'lib/a.py'])
  t.same(after('- **KEPT `b.py`**\n'), ['lib/a.py', 'lib/a.py'])
  t.same(after('They are KEPT a.py\n'), ['lib/a.py', 'b.py', 'lib/a.py'])
  t.end()
})
