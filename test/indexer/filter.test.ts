import { test } from 'tap'
import { readCandidate, selectFiles, type TrackedFile } from '../../src/indexer/filter.ts'

function tracked (path: string, overrides: Partial<TrackedFile> = {}): TrackedFile {
  return { path, mode: '100644', type: 'blob', oid: 'a'.repeat(40), size: 100, ...overrides }
}

function select (files: TrackedFile[], options: { include?: string[], exclude?: string[], maxFiles?: number } = {}) {
  const { candidates, skipped } = selectFiles(files, { include: [], exclude: [], ...options })
  return { paths: candidates.map(({ path }) => path), skipped: Object.fromEntries(skipped) }
}

const reasonFor = (path: string, overrides: Partial<TrackedFile> = {}): string | undefined => Object.keys(select([tracked(path, overrides)]).skipped)[0]

test('dependencies, caches, virtual environments, editor folders and build output are ignored', async (t) => {
  for (const path of [
    'node_modules/x/index.js', 'packages/a/node_modules/x.js', '.venv/lib/x.py', 'venv/lib/python3.12/x.py', 'env/bin/tool.py', 'a/__pycache__/x.py', '.mypy_cache/x.json', '.pytest_cache/README.md',
    '.tox/py312/x.py', '.idea/workspace.xml', '.vscode/settings.json', 'build/lib/x.py', 'dist/bundle.js', 'packages/app/dist/index.js', 'out/main.js', 'target/debug/x.json', 'coverage/lcov-report/index.html',
    '.next/server/x.js', 'x.egg-info/setup.py', 'Lib/site-packages/x.py', '.GIT/config.py',
  ]) t.equal(reasonFor(path), 'ignored', path)
})

test('folders that share their name with build output but hold sources are indexed', async (t) => {
  for (const files of [
    ['compiler/src/target/x86.js'], ['src/build/index.js'], ['pkg/env/env.go'], ['gym/env/__init__.py', 'gym/env/core.py'], ['build/__init__.py', 'build/env.py'], ['build/release.sh'],
    ['Lib/venv/__init__.py'], ['out/index.ts'], ['tests/dist/case.py'],
  ]) t.same(select(files.map(path => tracked(path))).paths, files)
  t.equal(reasonFor('dist/index.d.ts'), 'ignored', 'a build writes declarations')
})

test('a folder is a virtual environment when it holds the marks of one, whatever its name', async (t) => {
  const { paths, skipped } = select([tracked('tools/py/pyvenv.cfg'), tracked('tools/py/lib/x.py'), tracked('tools/run.py'), tracked('my/bin/activate'), tracked('my/lib/y.py')])
  t.same(paths, ['tools/run.py'])
  t.same(skipped, { ignored: 4 })
})

test('tracked vendor folders are indexed', async (t) => {
  t.same(select([tracked('vendor/github.com/x/y.go'), tracked('third_party/z.c')]).paths, ['third_party/z.c', 'vendor/github.com/x/y.go'])
})

test('secrets are known by their names, examples of them are not secrets', async (t) => {
  for (const path of [
    '.env', '.env.production', 'config/prod.env', '.env.local', 'server.pem', 'tls/private.key', 'id_rsa', 'id_ed25519', '.npmrc', '.netrc', '.pypirc', 'credentials.json', 'config/secrets.yml', 'app.jks', 'x.keystore',
    'service-account-prod.json', '.aws/credentials', '.docker/config.json', 'terraform.tfvars', '.git-credentials', '.htpasswd', 'ID_RSA',
  ]) t.equal(reasonFor(path), 'secret', path)
  t.same(select(['.env.example', '.env.sample', 'secrets.py', 'credentials.go', 'key.ts', 'Lib/netrc.py'].map(path => tracked(path))).paths.length, 6)
})

test('each other reason has its files', async (t) => {
  const cases: Array<[path: string, reason: string, overrides?: Partial<TrackedFile>]> = [
    ['package-lock.json', 'lock_file'], ['sub/yarn.lock', 'lock_file'], ['Cargo.lock', 'lock_file'], ['go.sum', 'lock_file'], ['pnpm-lock.yaml', 'lock_file'],
    ['jquery.min.js', 'minified'], ['style.min.css', 'minified'], ['logo.png', 'binary'], ['a.jar', 'binary'], ['big.py', 'too_large', { size: 1_048_577 }], ['notes.txt', 'unsupported'], ['LICENSE', 'unsupported'],
    ['link.py', 'symlink', { mode: '120000' }], ['sub', 'submodule', { mode: '160000', type: 'commit', size: null }],
    ['a\nb.py', 'unsafe_path'], ['a/../b.py', 'unsafe_path'], ['/etc/x.py', 'unsafe_path'], ['a\\b.py', 'unsafe_path'], ['\u202Eyp.x.py', 'unsafe_path'], ['caf\uFFFD.py', 'unsafe_path'],
  ]
  for (const [path, reason, overrides] of cases) t.equal(reasonFor(path, overrides), reason, JSON.stringify(path))
  t.equal(reasonFor('exact.py', { size: 1_048_576 }), undefined, 'exactly 1 MiB is not larger')
})

test('every file is either a candidate or counted once', async (t) => {
  const files = ['a.py', 'b.png', '.env', 'node_modules/.env', 'node_modules/x.png', 'c.txt', 'yarn.lock'].map(path => tracked(path))
  t.same(select(files), { paths: ['a.py'], skipped: { binary: 1, secret: 1, ignored: 2, unsupported: 1, lock_file: 1 } })
})

test('globs choose among what may be indexed, and never bring in a secret', async (t) => {
  const files = ['src/a.py', 'src/generated/b.py', 'docs/c.md', 'src/.env', 'src/d.png'].map(path => tracked(path))
  t.same(select(files, { include: ['src/**'], exclude: ['**/generated/**'] }), { paths: ['src/a.py'], skipped: { excluded: 2, secret: 1, binary: 1 } })
})

test('files beyond the largest number are counted, in the order of their paths', async (t) => {
  t.same(select(['c.py', 'a.py', 'b.py'].map(path => tracked(path)), { maxFiles: 2 }), { paths: ['a.py', 'b.py'], skipped: { too_many: 1 } })
})

test('an executable without an ending is read for its first line', async (t) => {
  t.same(select([tracked('bin/run', { mode: '100755' }), tracked('bin/data')]), { paths: ['bin/run'], skipped: { unsupported: 1 } })
  t.match(readCandidate(Buffer.from('#!/bin/sh\nexit 0\n'), null), { language: 'shell' })
  t.equal(readCandidate(Buffer.from('just words\n'), null), 'unsupported')
})

test('content decides about binary, encoding and minified files', async (t) => {
  t.equal(readCandidate(Buffer.from('a = 1\u0000'), 'python'), 'binary')
  t.match(readCandidate(Buffer.from('#'.repeat(499).concat('\n').repeat(20) + '\u0000'), 'python'), { language: 'python' }, 'a NUL beyond 8 KiB is let be')
  t.equal(readCandidate(Buffer.from([0x63, 0xE9]), 'python'), 'not_utf8')
  t.equal(readCandidate(Buffer.from('var a=1;'.repeat(1000)), 'javascript'), 'minified')
  t.match(readCandidate(Buffer.from('var a=1;'.repeat(100)), 'javascript'), { language: 'javascript' }, 'too short to be sure')
  t.match(readCandidate(Buffer.from('A long paragraph. '.repeat(500)), 'markdown'), { language: 'markdown' })
  t.same(readCandidate(Buffer.from('a\r\nb\r\n'), 'python'), { text: 'a\nb\n', language: 'python' })
})
