import { test } from 'tap'
import { hunkOf } from '../../helpers/hunks.ts'
import type { FileDiff } from '../../../src/edits/edit.ts'
import { Workspace } from '../../../src/edits/apply/workspace.ts'
import { findDiffTarget } from '../../../src/edits/apply/diff-target.ts'
import { app, checkReplies, diffOf, fenced, HUNK, SAVED } from '../../helpers/reply-cases.ts'

test('a diff means the only file that its name fits', async t => {
  checkReplies(t, [
    ['another case', fenced(`--- a/src/App.py\n+++ b/src/App.py\n${HUNK}`), app(SAVED)],
    ['an end of the path', fenced(`--- a/app.py\n+++ b/app.py\n${HUNK}`), app(SAVED)],
    ['folders too many', fenced(`--- a/project/src/app.py\n+++ b/project/src/app.py\n${HUNK}`), app(SAVED)],
    [
      'an end of several paths',
      diffOf('@@ -1 +1 @@\n-x\n+y\n', 'm.py'),
      ['no_such_file'],
      { 'a/m.py': 'x\n', 'b/m.py': 'x\n' },
    ],
    ['no such file', diffOf('@@ -1 +1 @@\n-x\n+y\n', 'no.py'), ['no_such_file']],
  ])
})

test('an exact name comes before one that is like it, and a diff that only adds may be of a new file', async t => {
  const find = (paths: string[], diff: Partial<FileDiff>): unknown => {
    const workspace = new Workspace(new Map(paths.map(path => [path, 'x\n'])), {
      memory: { hunks: [], deleted: ['gone.py'] },
      work: { left: 1e6 },
    })
    const found = findDiffTarget(
      {
        header: '',
        oldPath: 'a.py',
        newPath: 'a.py',
        stripped: true,
        kind: 'change',
        hunks: [hunkOf(['-x'])],
        line: 0,
        ...diff,
      },
      workspace,
    )
    return 'path' in found ? found.path : [found.isNew, found.problem.detail]
  }
  t.equal(find(['a.py', 'b.py'], { newPath: 'b.py' }), 'a.py', 'the old name first')
  t.equal(find(['A.py', 'b.py'], { newPath: 'b.py' }), 'b.py', 'one that is exact')
  t.equal(find(['src/a.py'], {}), 'src/a.py')
  t.equal(find(['x.py'], { oldPath: 'a/x.py', newPath: null, stripped: false }), 'x.py', 'a prefix of one side')
  t.equal(find(['a/x.py', 'x.py'], { oldPath: 'a/x.py', newPath: null, stripped: false }), 'a/x.py')
  t.equal(find(['x/m.py'], { oldPath: '@x/m.py', newPath: null }), 'x/m.py')
  t.same(find(['b.py'], {}), [false, 'There is no file a.py. A new file needs "--- /dev/null".'])
  t.same(find(['x/a.py', 'y/a.py'], {}), [false, 'There is no file a.py. Did you mean x/a.py, y/a.py?'])
  t.same(find([], { oldPath: 'gone.py', newPath: 'gone.py' }), [false, 'gone.py was deleted before.'])
  const isNew = (diff: Partial<FileDiff>, paths: string[] = []): unknown => [find(paths, diff)].flat()[0]
  t.equal(isNew({ hunks: [hunkOf(['+x', ' '])] }), true)
  t.equal(isNew({ hunks: [hunkOf(['+x', ' y'])] }), false)
  t.equal(isNew({ hunks: [hunkOf([' '])] }), false)
  t.equal(isNew({ hunks: [] }), false)
  t.equal(isNew({ hunks: [hunkOf(['+x'])], kind: 'rename' }), false)
  t.equal(isNew({ hunks: [hunkOf(['+x'])] }, ['x/a.py', 'y/a.py']), false)
})
