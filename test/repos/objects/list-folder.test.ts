import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'tap'
import { listFolder } from '../../../src/repos/objects/list-folder.ts'

test('what no .gitignore leaves out is listed, links too, repositories inside are not', async t => {
  const root = t.testdir({
    '.gitignore': '*.log\nbuild/\n',
    'a.py': '',
    'a.log': '',
    build: { 'x.js': '' },
    sub: { '.gitignore': 'b.txt\n', 'b.txt': '', 'c d.txt': '' },
    inner: { '.git': { HEAD: 'ref: refs/heads/main\n', objects: {}, refs: {} }, 'x.py': '' },
  })
  symlinkSync('/etc/passwd', join(root, 'link'))
  t.same((await listFolder({ root, folder: '' })).sort(), [
    '.gitignore',
    'a.py',
    'link',
    'sub/.gitignore',
    'sub/c d.txt',
  ])
})

test('of a folder below the root only what is in it is listed, by the rules of the root', async t => {
  const root = t.testdir({ '.gitignore': '*.log\n', 'a.py': '', '*': { 'a.log': '', 'b.py': '' } })
  t.same(await listFolder({ root, folder: '*' }), ['*/b.py'], 'the name of a folder is no pattern')
})

test('what the configuration of a repository there names is not run', async t => {
  const root = t.testdir({ '.git': { HEAD: 'ref: refs/heads/main\n', objects: {}, refs: {} }, 'a.py': '' })
  const mark = join(root, 'ran')
  mkdirSync(join(root, '.git'), { recursive: true })
  writeFileSync(join(root, '.git', 'config'), `[core]\n\tfsmonitor = "touch '${mark}'"\n`)
  t.same(await listFolder({ root, folder: '' }), ['a.py'])
})

test('an abort ends it with the reason', async t => {
  const reason = new Error('enough')
  await t.rejects(listFolder({ root: t.testdir(), folder: '', signal: AbortSignal.abort(reason) }), reason)
})
