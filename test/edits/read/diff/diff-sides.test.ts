import { test } from 'tap'
import { sidesOf } from '../../../../src/edits/read/diff/diff-sides.ts'
import { app, checkReplies, fenced, HUNK, of, SAVED } from '../../../helpers/reply-cases.ts'

test('a diff is of the file that its names, or the line above, say', async t => {
  checkReplies(t, [
    ['no prefixes', fenced(`--- src/app.py\n+++ src/app.py\n${HUNK}`), app(SAVED)],
    ['one prefix for both', fenced(`--- a/src/app.py\n+++ a/src/app.py\n${HUNK}`), app(SAVED)],
    [
      'a folder named b',
      fenced('--- b/f.txt\n+++ b/f.txt\n@@ -1 +1 @@\n-x\n+y\n'),
      of('y\n', 'b/f.txt'),
      of('x\n', 'b/f.txt'),
    ],
    ['no names, but one above', `src/app.py\n${fenced(HUNK)}`, app(SAVED)],
    [
      'names that say nothing, and one above',
      `**src/app.py**\n${fenced(`--- original\n+++ modified\n${HUNK}`)}`,
      app(SAVED),
    ],
    ['names that say nothing', fenced(`--- original\n+++ modified\n${HUNK}`), ['malformed']],
    ['no names at all', fenced(HUNK), ['malformed']],
    ['one name only', fenced(`+++ b/src/app.py\n${HUNK}`), app(SAVED)],
  ])
})

test('a header whose lines name no file has the names of the fallback, or none', async t => {
  const header = { git: null, created: false, removed: false, moved: null, modes: false, refused: null, next: 0 }
  t.equal(sidesOf(null, null), null)
  t.equal(sidesOf(header, null), null)
  t.same(sidesOf(null, 'a'), { old: 'a', fresh: 'a', stripped: false })
  t.same(sidesOf(header, 'a'), { old: 'a', fresh: 'a', stripped: false })
  t.same(sidesOf({ ...header, old: null }, 'a'), { old: null, fresh: 'a', stripped: false })
  t.same(sidesOf({ ...header, new: null }, 'a'), { old: 'a', fresh: null, stripped: false })
  const git = { old: 'a/x', new: 'b/y' }
  t.same(sidesOf({ ...header, git }, null), { old: 'x', fresh: 'y', stripped: true })
  t.same(sidesOf({ ...header, git, old: 'z', new: 'z' }, null), { old: 'z', fresh: 'z', stripped: false })
  t.same(sidesOf({ ...header, git, old: 'z', moved: 'rename' }, null), { old: 'x', fresh: 'y', stripped: true })
  t.same(sidesOf({ ...header, old: 'a/x', new: null }, null), { old: 'x', fresh: null, stripped: true })
})
