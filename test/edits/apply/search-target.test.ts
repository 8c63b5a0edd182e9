import { test } from 'tap'
import { applyEdits } from '../../../src/edits/apply/apply-edits.ts'
import { readReply } from '../../../src/edits/read/read-reply.ts'
import { APP, app, checkReplies, diffOf, SAVED } from '../../helpers/reply-cases.ts'

const EDIT =
  '<<<<<<< SEARCH\n    with open(path, "w") as f:\n=======\n    with open(path, "a") as f:\n>>>>>>> REPLACE\n'
const OTHER = diffOf('@@ -1 +1 @@\n-x\n+y\n', 'a.py')
const both = { 'a.py': 'x\n', 'src/app.py': APP }

test('a block of SEARCH and REPLACE without a name means the only file with the lines that it searches', async t => {
  checkReplies(t, [
    ['one file', `Then this:\n\n${EDIT}`, app(SAVED)],
    ['behind a diff of another file', `${OTHER}\nThen this:\n\n${EDIT}`, { 'a.py': 'y\n', ...app(SAVED) }, both],
    ['other blanks in the file', EDIT.replaceAll('    with', '  with'), app(SAVED)],
  ])
})

test('one whose lines stand in no file, or in several, is refused', async t => {
  const hunk = EDIT.replace('open(path, "w")', 'open(name)')
  checkReplies(t, [
    ['no file', `${OTHER}\nThen this:\n\n${hunk}`, ['not_found'], both],
    ['two files', `Then this:\n\n${EDIT}`, ['ambiguous'], { 'a.py': APP, 'b.py': APP }],
    ['nothing to search', '<<<<<<< SEARCH\n=======\nx\n>>>>>>> REPLACE\n', ['not_found']],
    ['no files', EDIT, ['not_found'], {}],
  ])
})

test('the refusal says in which files the lines stand', async t => {
  const told = (...paths: string[]): unknown =>
    applyEdits(new Map(paths.map(path => [path, APP])), readReply(`Then this:\n\n${EDIT}`)).rejected
  t.match(told(), [{ reason: 'not_found', detail: /stand in none that is known\. Put the name/ }])
  t.match(told('a.py', 'b.py'), [{ reason: 'ambiguous', detail: /stand in a\.py, b\.py\. Put the name/ }])
  const many = Array.from({ length: 11 }, (_, i) => `f${i}.py`)
  t.match(told(...many), [{ detail: /stand in f0\.py, .*, f9\.py\. Put/ }])
})
