import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test, type Test } from 'tap'
import { readFolderFiles, type ReadFolderOptions } from '../../src/indexer/folder-files.ts'
import { testFolder } from '../helpers/test-folder.ts'

function folderOf(t: Test, files: Record<string, string | Buffer>): string {
  const root = testFolder(t)
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), content)
  }
  return root
}

async function read(root: string, paths: string[], options: Partial<ReadFolderOptions> = {}) {
  const { files, leftOut } = await readFolderFiles(root, paths, { forRun: false, ...options })
  return { paths: [...files.keys()], leftOut: Object.fromEntries(leftOut) }
}

test('each file that is left out is counted by its reason', async t => {
  const root = folderOf(t, {
    'a.py': 'a\n',
    '.env': 'KEY=1',
    'node_modules/x.js': 'x',
    'go.sum': 's',
    'x.min.js': 'm',
    'logo.png': 'p',
    'data.txt': 'a\0',
    'latin.txt': Buffer.from([0xe9]),
    'big.txt': Buffer.alloc(1_048_577, 'x'),
  })
  symlinkSync('a.py', join(root, 'link.py'))
  const names = ['a.py', '.env', 'node_modules/x.js', 'go.sum', 'x.min.js', 'logo.png', 'data.txt', 'latin.txt']
  t.same(await read(root, [...names, 'big.txt', 'link.py', 'gone.py', '../out.py']), {
    paths: ['a.py'],
    leftOut: {
      secret: 1,
      ignored: 1,
      lock_file: 1,
      minified: 1,
      binary: 2,
      not_utf8: 1,
      too_large: 1,
      symlink: 1,
      unsupported: 1,
      unsafe_path: 1,
    },
  })
})

test('a program that runs gets lock files and minified texts, too; a selection leaves out the others', async t => {
  const root = folderOf(t, { 'a.py': 'a', 'go.sum': 's', 'x.min.js': 'm', '.env': 'KEY=1' })
  const names = ['x.min.js', 'go.sum', '.env', 'a.py']
  t.same(await read(root, names, { forRun: true }), { paths: ['a.py', 'go.sum', 'x.min.js'], leftOut: { secret: 1 } })
  t.same(await read(root, names, { select: ['*.py'] }), { paths: ['a.py'], leftOut: { secret: 1, excluded: 2 } })
})

test('texts are read as they are; more than can be sent is refused', async t => {
  const root = folderOf(t, { 'a.txt': '\uFEFFa\r\n' })
  const { files } = await readFolderFiles(root, ['a.txt'], { forRun: false })
  t.equal(files.get('a.txt'), '\uFEFFa\r\n')
  const large = Object.fromEntries(Array.from({ length: 17 }, (_, i) => [`${i}.txt`, Buffer.alloc(1_048_576, 'x')]))
  await t.rejects(readFolderFiles(folderOf(t, large), Object.keys(large), { forRun: false }), {
    code: 'PAYLOAD_TOO_LARGE',
  })
})
