import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'tap'
import { readFolder } from '../../src/services/folder-files.ts'
import { testFolder } from '../helpers/test-folder.ts'

function write(root: string, files: Record<string, string | Buffer>): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), content)
  }
}

const read = async (root: string, folder = '', options: { select?: string[]; forRun?: boolean } = {}) => {
  const { files, leftOut } = await readFolder({ root, folder }, { forRun: false, ...options })
  return { files: [...files.keys()], leftOut: Object.fromEntries(leftOut) }
}

test(
  'what .gitignore files leave out is not there, nor are secrets, dependencies, links and what is no ' + 'text',
  async t => {
    const root = testFolder(t)
    write(root, {
      '.gitignore': '*.log\n/tmp/\n!kept.log\n',
      'a.py': 'a',
      'b.log': 'b',
      'kept.log': 'c',
      'tmp/d.py': 'd',
      'sub/.gitignore': 'own.txt\n',
      'sub/own.txt': 'e',
      'sub/tmp/f.py': 'f',
      '.env': 'KEY=1',
      id_rsa: 'g',
      'node_modules/x/index.js': 'h',
      'image.png': 'i',
      'data.txt': 'j\0',
      'latin.txt': Buffer.from([0xe9]),
      'package-lock.json': '{}',
      'inner/.git/HEAD': 'ref: refs/heads/main\n',
      'big.txt': 'x'.repeat(1_048_577),
    })
    symlinkSync('/etc/passwd', join(root, 'link.txt'))
    t.strictSame(await read(root), {
      files: ['.gitignore', 'a.py', 'kept.log', 'sub/.gitignore', 'sub/tmp/f.py'],
      leftOut: { secret: 2, ignored: 1, binary: 2, not_utf8: 1, lock_file: 1, too_large: 1, symlink: 1 },
    })
    t.ok((await read(root, '', { forRun: true })).files.includes('package-lock.json'), 'a run needs it')
  },
)

test(
  'a folder in a repository is told by its own paths and the rules above it; one that they ignore is ' +
    'looked at by itself',
  async t => {
    const root = testFolder(t)
    write(root, {
      '.gitignore': '*.log\ngenerated/\n',
      'sub/a.py': 'a',
      'sub/b.log': 'b',
      'generated/main.py': 'c',
      'other.py': 'd',
    })
    t.strictSame((await read(root, 'sub')).files, ['a.py'])
    t.strictSame((await read(root, 'generated')).files, ['main.py'])
  },
)

test('nothing that the configuration of a repository there names is run', async t => {
  const root = testFolder(t)
  write(root, {
    'a.py': 'a',
    '.git/HEAD': 'ref: refs/heads/main\n',
    '.git/config': `[core]\n\tfsmonitor = touch ${join(root, 'ran')}\n`,
    '.git/objects/x': '',
    '.git/refs/x': '',
  })
  t.strictSame((await read(root)).files, ['a.py'])
})

test('globs choose, and texts come as they are', async t => {
  const root = testFolder(t)
  write(root, { 'a.py': '\uFEFFa\r\n', 'src/b.py': 'b', 'src/c.js': 'c' })
  t.strictSame(await read(root, '', { select: ['src'] }), { files: ['src/b.py', 'src/c.js'], leftOut: { excluded: 1 } })
  const { files } = await readFolder({ root, folder: '' }, { select: ['*.py'], forRun: false })
  t.equal(files.get('a.py'), '\uFEFFa\r\n')
  await t.rejects(read(root, '', { select: ['{a'] }), { code: 'VALIDATION_FAILED' })
})

test('more than can be sent is refused', async t => {
  const root = testFolder(t)
  write(root, Object.fromEntries(Array.from({ length: 17 }, (_, index) => [`${index}.txt`, 'x'.repeat(1_000_000)])))
  await t.rejects(read(root), { code: 'PAYLOAD_TOO_LARGE', fix: /--select/ })
})
