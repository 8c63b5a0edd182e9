import { test } from 'tap'
import { meantPath, withoutMention } from '../../../src/edits/apply/mention.ts'
import { Targets } from '../../../src/edits/apply/find-target.ts'
import { APP, app, checkReplies, diffOf, fenced, HUNK, of, SAVED } from '../../helpers/reply-cases.ts'

test('a name with @ means a file that is there, and no other', async t => {
  checkReplies(t, [
    ['a mention of a file that is there', `@src/app.py\n${fenced(SAVED, 'python')}`, app(SAVED)],
    ['a mention of a file that is there in another case', `@SRC/app.py\n${fenced(SAVED, 'python')}`, app(SAVED)],
    [
      'a mention of a new file in a folder that is there',
      `@src/main.py\n${fenced('x = 1', 'python')}`,
      { 'src/main.py': 'x = 1\n' },
    ],
    ['a mention that is the end of a path', `@/app.py\n${fenced('x = 1', 'python')}`, ['no_such_file']],
    ['a mention in a folder that is nowhere', `@/lib/main.py\n${fenced('x = 1', 'python')}`, ['no_such_file']],
    ['a new folder that is named so', `@types/x.d.ts\n${fenced('x', 'ts')}`, { '@types/x.d.ts': 'x\n' }],
    [
      'a folder that is named so',
      `@src/x.py\n${fenced('x', 'python')}`,
      { '@src/x.py': 'x\n' },
      { 'src/x.py': 'y\n', '@src/y.py': 'y\n' },
    ],
    ['a mention of a file that is there', fenced(`--- @src/app.py\n+++ @src/app.py\n${HUNK}`), app(SAVED)],
    ['a mention of it on one side', fenced(`--- src/app.py\n+++ @src/app.py\n${HUNK}`), app(SAVED)],
    [
      'a mention beside a file of the last folder alone',
      fenced(`--- a/@src/app.py\n+++ b/@src/app.py\n${HUNK}`),
      app(SAVED),
      { 'src/app.py': APP, 'app.py': APP },
    ],
    [
      'a mention where such a folder is',
      diffOf('@@ -1 +1 @@\n-x\n+y\n', '@src/m.py'),
      of('y\n', '@src/m.py'),
      { '@src/m.py': 'x\n', 'src/m.py': 'x\n' },
    ],
    [
      'a mention of a file that is to be made where it is',
      fenced('--- /dev/null\n+++ b/@src/app.py\n@@ -0,0 +1 @@\n+a\n'),
      ['malformed'],
    ],
    [
      'a rename onto a mention of a file',
      fenced('diff --git a/f.txt b/@src/app.py\nrename from f.txt\nrename to @src/app.py\n'),
      ['malformed'],
      { 'f.txt': 'x\n', 'src/app.py': APP },
    ],
  ])
})

test('an @ is a mention only where nothing is called so', async t => {
  t.equal(withoutMention('@src/a.py'), 'src/a.py')
  t.equal(withoutMention('@/a.py'), 'a.py')
  t.equal(withoutMention('@'), null)
  t.equal(withoutMention('@/'), null)
  t.equal(withoutMention('a@b.py'), null)
  const paths = ['src/a.py', '@kept/b.py', 'lib/deep/c.py', 'x/d.py', 'y/d.py']
  const has = (path: string): boolean => paths.includes(path)
  const meant = (path: string): unknown => {
    const found = meantPath(path, {
      has,
      isFolder: folder => paths.some(own => own.startsWith(`${folder}/`)),
      targets: new Targets({ has, paths: () => paths }),
    })
    return 'path' in found ? found.path : found
  }
  t.equal(meant('@src/a.py'), 'src/a.py')
  t.equal(meant('@SRC/A.py'), 'src/a.py')
  t.equal(meant('@src/new.py'), 'src/new.py')
  t.equal(meant('@kept/b.py'), '@kept/b.py')
  t.equal(meant('@kept/new.py'), '@kept/new.py', 'its folder is there')
  t.equal(meant('@types/new.py'), '@types/new.py')
  t.equal(meant('a.py'), 'a.py', 'no mention')
  t.match(meant('@deep/c.py'), { unclear: /Did you mean lib\/deep\/c\.py\?/ })
  t.match(meant('@/d.py'), { unclear: /Did you mean x\/d\.py, y\/d\.py\?/ })
  t.match(meant('@/q/new.py'), { unclear: /no folder "@"/ })
})
