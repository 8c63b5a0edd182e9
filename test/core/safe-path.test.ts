import fc from 'fast-check'
import { posix } from 'node:path'
import { test } from 'tap'
import { safePath } from '../../src/core/safe-path.ts'
import { runs } from '../helpers/property-runs.ts'

test('a relative path comes back in its one spelling', async t => {
  for (const [path, spelled] of [
    ['src/main.py', 'src/main.py'],
    ['./src//main.py', 'src/main.py'],
    ['src/./a/../main.py', 'src/main.py'],
    ['src\\main.py', 'src/main.py'],
    ['.github/workflows/ci.yml', '.github/workflows/ci.yml'],
    ['.gitignore', '.gitignore'],
    ['a..b', 'a..b'],
    ['...', '...'],
    ['a/.gitkeep', 'a/.gitkeep'],
    ['git', 'git'],
    ['app/[slug]/(auth)/+page.svelte', 'app/[slug]/(auth)/+page.svelte'],
    ['my file.txt', 'my file.txt'],
    ['файл.py', 'файл.py'],
    ['a/~b', 'a/~b'],
    ['-rf', '-rf'],
  ] as const) {
    t.equal(safePath(path), spelled, path)
  }
})

test('a path that leads elsewhere is refused', async t => {
  for (const path of [
    '',
    '.',
    './',
    'a/',
    'a/..',
    'a/.',
    '/etc/passwd',
    '//server/share',
    '\\\\server\\share',
    '\\etc',
    '~/x',
    '~root/x',
    '~',
    'C:\\x',
    'c:x',
    'file:///etc/passwd',
    'https://a/b',
    '../x',
    'a/../../x',
    '..\\x',
    'a\\..\\..\\x',
    'a/../..',
    'a\0b',
    'a\nb',
    'a\u0085b',
    'a\uD800',
    'x'.repeat(256),
    'a/'.repeat(600) + 'b',
    'a/ /b',
    './~/x',
    './C:/x',
  ]) {
    t.equal(safePath(path), null, JSON.stringify(path))
  }
})

test("git's own folder is refused at any depth and in any disguise", async t => {
  for (const path of [
    '.git',
    '.git/config',
    'a/.git/hooks/x',
    '.GIT/x',
    '.git./x',
    '.git. .',
    '.git /x',
    'git~1/x',
    'GIT~2',
    '.g\u200Cit/x',
    '.git\u200D/x',
    '.git::$INDEX_ALLOCATION/x',
    '\uFF0Egit/x',
    'a\\.git\\x',
  ]) {
    t.equal(safePath(path), null, JSON.stringify(path))
  }
})

test('whatever the path, the result stays inside, and is its own result', async () => {
  const part = fc.oneof(
    fc.constantFrom('..', '.', '', 'a', '.git', '~', 'C:', '.git.'),
    fc.string({ unit: 'grapheme', maxLength: 5 }),
  )
  fc.assert(
    fc.property(fc.array(part, { maxLength: 8 }), fc.constantFrom('/', '\\'), (parts, separator) => {
      const path = safePath(parts.join(separator))
      if (path === null) return true
      return (
        path === safePath(path) &&
        !posix.isAbsolute(path) &&
        !posix.relative('/root', posix.join('/root', path)).startsWith('..') &&
        !path.split('/').some(segment => /^\.git\.*$/i.test(segment))
      )
    }),
    { numRuns: runs(2000) },
  )
})
