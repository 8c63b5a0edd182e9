import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'tap'
import { differing, needFolder, writeFiles } from '../../../src/cli/files/write-files.ts'
import { testFolder } from '../../helpers/test-folder.ts'

const bytes = (text: string) => Buffer.from(text)

test('files are made with their folders, changed with their mode, and deleted', async t => {
  const folder = join(testFolder(t), 'made', 'too')
  await writeFiles(folder, [
    { path: 'a/b/c.txt', content: bytes('1') },
    { path: 'run.sh', content: bytes('x') },
  ])
  chmodSync(join(folder, 'run.sh'), 0o700)
  await writeFiles(folder, [
    { path: 'run.sh', content: bytes('y') },
    { path: 'a/b/c.txt', content: null },
    { path: 'never/was.txt', content: null },
  ])
  t.equal(readFileSync(join(folder, 'run.sh'), 'utf8'), 'y')
  t.equal(statSync(join(folder, 'run.sh')).mode & 0o777, 0o700)
  t.strictSame(readdirSync(folder, { recursive: true }).sort(), ['a', 'a/b', 'run.sh'])
})

test('a path that leads out is refused before anything is written', async t => {
  const root = testFolder(t)
  const folder = join(root, 'out')
  mkdirSync(join(root, 'elsewhere'))
  mkdirSync(join(folder, 'own'), { recursive: true })
  symlinkSync(join(root, 'elsewhere'), join(folder, 'link'))
  symlinkSync('own', join(folder, 'inner'))
  writeFileSync(join(folder, 'file'), '')
  for (const path of [
    '../x',
    '/etc/x',
    'a/../../x',
    '.git/hooks/x',
    'link/x',
    'inner/x',
    'file/x',
    'own',
    'a\u0000b',
    './x',
  ]) {
    await t.rejects(
      writeFiles(folder, [
        { path: 'first.txt', content: bytes('1') },
        { path, content: bytes('2') },
      ]),
      { code: 'BAD_PATH', exitCode: 2 },
      path,
    )
    await t.rejects(writeFiles(folder, [{ path, content: null }]), { code: 'BAD_PATH' }, path)
  }
  t.strictSame(readdirSync(join(root, 'elsewhere')), [])
  t.strictSame(readdirSync(folder).sort(), ['file', 'inner', 'link', 'own'])
})

test('a link in the place of a file is replaced, not followed', async t => {
  const root = testFolder(t)
  writeFileSync(join(root, 'target'), 'kept')
  symlinkSync('target', join(root, 'a.txt'))
  t.strictSame(await differing(root, new Map([['a.txt', bytes('kept')]])), ['a.txt'], 'it is no file with that content')
  await writeFiles(root, [{ path: 'a.txt', content: bytes('new') }])
  t.strictSame([readFileSync(join(root, 'target'), 'utf8'), readFileSync(join(root, 'a.txt'), 'utf8')], ['kept', 'new'])
})

test(
  'when one cannot be written, none is in its place',
  { skip: process.getuid?.() === 0 ? 'root may write everywhere' : false },
  async t => {
    const root = testFolder(t)
    mkdirSync(join(root, 'closed'), { mode: 0o500 })
    await t.rejects(
      writeFiles(root, [
        { path: 'a.txt', content: bytes('1') },
        { path: 'closed/b.txt', content: bytes('2') },
      ]),
      { code: 'EACCES' },
    )
    t.strictSame(readdirSync(root), ['closed'])
  },
)

test('what differs is named: other bytes, something in the place of nothing, nothing in the place of something', async t => {
  const root = testFolder(t)
  writeFileSync(join(root, 'same'), 'a')
  writeFileSync(join(root, 'other'), 'a')
  mkdirSync(join(root, 'folder'))
  const expected = new Map([
    ['same', bytes('a')],
    ['other', bytes('b')],
    ['folder', null],
    ['gone', bytes('a')],
    ['deep/gone', null],
  ])
  t.strictSame(await differing(root, expected), ['other', 'folder', 'gone'])
  t.strictSame(
    await differing(
      join(root, 'nowhere'),
      new Map([
        ['a', null],
        ['b', bytes('')],
      ]),
    ),
    ['b'],
  )
})

test('a folder may be a link to one, and a file is none', async t => {
  const root = testFolder(t)
  mkdirSync(join(root, 'real'))
  symlinkSync('real', join(root, 'link'))
  writeFileSync(join(root, 'file'), '')
  t.equal(await needFolder('link', root), join(root, 'link'))
  t.equal(await needFolder('new/one', root, { mayBeMissing: true }), join(root, 'new', 'one'))
  for (const [name, message] of [
    ['file', /is a file/],
    ['nope', /There is no folder "nope"/],
  ] as const) {
    await t.rejects(needFolder(name, root), { code: 'USAGE', message })
  }
  await t.rejects(needFolder('file', root, { mayBeMissing: true }), { code: 'USAGE' })
})
