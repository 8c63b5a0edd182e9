import { test } from 'tap'
import { APP, checkReplies, fenced, of } from '../../helpers/reply-cases.ts'

test('a deletion or a rename is done as a whole', async t => {
  checkReplies(t, [
    [
      'a rename in a chain',
      fenced(
        Array.from(
          { length: 60 },
          (_, i) => `diff --git a/f${i} b/f${i + 1}\nrename from f${i}\nrename to f${i + 1}\n`,
        ).join(''),
      ),
      { f0: null, f60: 'x\n'.repeat(20_000) },
      { f0: 'x\n'.repeat(20_000) },
    ],
    ['a deletion', fenced('--- a/f.txt\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-x\n-y\n'), { 'f.txt': null }, of('x\ny\n')],
    [
      'a deletion of something else',
      fenced('--- a/f.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-z\n'),
      ['not_found'],
      of('x\n'),
    ],
    [
      'a rename',
      fenced(
        'diff --git a/f.txt b/g.txt\nsimilarity index 90%\nrename from f.txt\nrename to g.txt\n' +
          '--- a/f.txt\n+++ b/g.txt\n@@ -1 +1 @@\n-x\n+y\n',
      ),
      { 'f.txt': null, 'g.txt': 'y\n' },
      of('x\n'),
    ],
    [
      'a rename alone',
      fenced('diff --git a/f.txt b/g.txt\nsimilarity index 100%\nrename from f.txt\nrename to g.txt\n'),
      { 'f.txt': null, 'g.txt': 'x\n' },
      of('x\n'),
    ],
    [
      'a rename that only the names above the hunks tell of',
      fenced('--- a/f.txt\n+++ b/g.txt\n@@ -1 +1 @@\n-x\n+y\n'),
      { 'f.txt': null, 'g.txt': 'y\n' },
      of('x\n'),
    ],
    [
      'a second name that only tells the versions apart',
      fenced('--- a/f.txt\n+++ b/f.new.txt\n@@ -1 +1 @@\n-x\n+y\n'),
      { 'f.txt': 'y\n' },
      of('x\n'),
    ],
    [
      'a rename onto a file',
      fenced('diff --git a/f.txt b/src/app.py\nrename from f.txt\nrename to src/app.py\n'),
      ['malformed'],
      { 'f.txt': 'x\n', 'src/app.py': APP },
    ],
    [
      'a rename into a folder that is not there, as tools mention files',
      fenced('diff --git a/f.txt b/@/g.txt\nrename from f.txt\nrename to @/g.txt\n'),
      ['no_such_file'],
      of('x\n'),
    ],
    [
      'a deletion sent twice',
      fenced('--- a/f.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n').repeat(2),
      { 'f.txt': null },
      of('x\n'),
    ],
    [
      'a rename sent twice',
      fenced(
        'diff --git a/f.txt b/g.txt\nrename from f.txt\nrename to g.txt\n--- a/f.txt\n+++ b/g.txt\n' +
          '@@ -1 +1 @@\n-x\n+y\n',
      ).repeat(2),
      { 'f.txt': null, 'g.txt': 'y\n' },
      of('x\n'),
    ],
  ])
})
