import { test } from 'tap'
import { readCandidate, selectFiles, type TrackedFile } from '../../src/indexer/filter.ts'

function tracked(path: string, overrides: Partial<TrackedFile> = {}): TrackedFile {
  return { path, mode: '100644', type: 'blob', oid: 'a'.repeat(40), size: 100, ...overrides }
}

function select(
  files: TrackedFile[],
  options: { include?: string[]; exclude?: string[]; maxFiles?: number; maxTotalBytes?: number } = {},
) {
  const { candidates, skipped } = selectFiles(files, { include: [], exclude: [], ...options })
  return { paths: candidates.map(({ path }) => path), skipped: Object.fromEntries(skipped) }
}

const reasonFor = (path: string, overrides: Partial<TrackedFile> = {}): string | undefined =>
  Object.keys(select([tracked(path, overrides)]).skipped)[0]

test('dependencies, caches, virtual environments, editor folders and build output are ignored', async t => {
  for (const path of [
    'node_modules/x/index.js',
    'packages/a/node_modules/x.js',
    '.venv/lib/x.py',
    'a/__pycache__/x.py',
    '.mypy_cache/x.json',
    '.pytest_cache/README.md',
    '.tox/py312/x.py',
    '.idea/workspace.xml',
    '.vscode/settings.json',
    'build/lib/x.py',
    'dist/bundle.js',
    'packages/app/dist/index.js',
    'out/main.js',
    'target/debug/x.json',
    'coverage/lcov-report/index.html',
    '.next/server/x.js',
    'x.egg-info/setup.py',
    'Lib/site-packages/x.py',
    '.GIT/config.py',
  ]) {
    t.equal(reasonFor(path), 'ignored', path)
  }
})

test('folders that share their name with build output but hold sources are indexed', async t => {
  for (const files of [
    ['compiler/src/target/x86.js'],
    ['src/build/index.js'],
    ['pkg/env/env.go'],
    ['gym/env/__init__.py', 'gym/env/core.py'],
    ['build/__init__.py', 'build/env.py'],
    ['build/release.sh'],
    ['Lib/venv/__init__.py'],
    ['out/index.ts'],
    ['tests/dist/case.py'],
    ['env/models.py'],
    ['venv/run.js'],
    ['coverage/report.py'],
  ]) {
    t.same(select(files.map(path => tracked(path))).paths, files)
  }
  t.equal(reasonFor('dist/index.d.ts'), 'ignored', 'a build writes declarations')
})

test('a root build/ of scripts that build is told from one that was built', async t => {
  const fastify = [
    'build/build-error-serializer.js',
    'build/build-validation.js',
    'build/sync-version.js',
    'lib/validation.js',
  ]
  t.same(select(fastify.map(path => tracked(path))).paths, fastify)
  for (const [what, files] of Object.entries({
    'with a page': [tracked('build/index.html'), tracked('build/app.js')],
    'a bundle': [tracked('build/app.js', { size: 300_000 })],
    'a transpiled copy': ['build/cart.js', 'build/model/user.js', 'src/cart.ts', 'src/model/user.ts'].map(path =>
      tracked(path),
    ),
    'below the root': [tracked('app/build/app.js')],
  })) {
    t.match(select(files).skipped, { ignored: files.filter(({ path }) => path.includes('build/')).length }, what)
  }
})

test('a folder is a virtual environment when it holds the marks of one, whatever its name', async t => {
  const { paths, skipped } = select([
    tracked('tools/py/pyvenv.cfg'),
    tracked('tools/py/lib/x.py'),
    tracked('tools/run.py'),
    tracked('my/bin/activate'),
    tracked('my/lib/y.py'),
  ])
  t.same(paths, ['tools/run.py'])
  t.same(skipped, { ignored: 4 })
})

test('tracked vendor folders are indexed', async t => {
  t.same(select([tracked('vendor/github.com/x/y.go'), tracked('third_party/z.c')]).paths, [
    'third_party/z.c',
    'vendor/github.com/x/y.go',
  ])
})

test('secrets are known by their names, examples of them are not secrets', async t => {
  for (const path of [
    '.env',
    '.env.production',
    'config/prod.env',
    '.env.local',
    'server.pem',
    'tls/private.key',
    'id_rsa',
    'id_ed25519',
    '.npmrc',
    '.netrc',
    '.pypirc',
    'credentials.json',
    'config/secrets.yml',
    'app.jks',
    'x.keystore',
    'google-credentials.json',
    'aws_credentials.ini',
    'gcp-key.json',
    'firebase-adminsdk.json',
    'shop-firebase-adminsdk-x1.json',
    'kubeconfig',
    'kubeconfig.yaml',
    'prod.kubeconfig',
    'kubeconfig-prod',
    'prod-secrets.enc.yaml',
    'service-account-prod.json',
    '.aws/credentials',
    '.docker/config.json',
    'terraform.tfvars',
    '.git-credentials',
    '.htpasswd',
    'ID_RSA',
  ]) {
    t.equal(reasonFor(path), 'secret', path)
  }
  t.same(
    select(
      [
        '.env.example',
        '.env.sample',
        'secrets.py',
        'credentials.go',
        'key.ts',
        'Lib/netrc.py',
        'aws_credentials.py',
        'kubeconfig.go',
        'kubeconfig_test.go',
        'monkey.json',
        'google-credentials.ts',
      ].map(path => tracked(path)),
    ).paths.length,
    11,
  )
})

test('each other reason has its files', async t => {
  const cases: Array<[path: string, reason: string, overrides?: Partial<TrackedFile>]> = [
    ['package-lock.json', 'lock_file'],
    ['sub/yarn.lock', 'lock_file'],
    ['Cargo.lock', 'lock_file'],
    ['go.sum', 'lock_file'],
    ['pnpm-lock.yaml', 'lock_file'],
    ['jquery.min.js', 'minified'],
    ['style.min.css', 'minified'],
    ['logo.png', 'binary'],
    ['a.jar', 'binary'],
    ['big.py', 'too_large', { size: 1_048_577 }],
    ['notes.txt', 'unsupported'],
    ['LICENSE', 'unsupported'],
    ['link.py', 'symlink', { mode: '120000' }],
    ['sub', 'submodule', { mode: '160000', type: 'commit', size: null }],
    ['a\nb.py', 'unsafe_path'],
    ['a/../b.py', 'unsafe_path'],
    ['/etc/x.py', 'unsafe_path'],
    ['a\\b.py', 'unsafe_path'],
    ['\u202Eyp.x.py', 'unsafe_path'],
    ['caf\uFFFD.py', 'unsafe_path'],
  ]
  for (const path of [`${'d/'.repeat(100)}x.py`, `${'n'.repeat(253)}.py`]) cases.push([path, 'unsafe_path'])
  for (const [path, reason, overrides] of cases) t.equal(reasonFor(path, overrides), reason, JSON.stringify(path))
  t.equal(reasonFor('exact.py', { size: 1_048_576 }), undefined, 'exactly 1 MiB is not larger')
  t.equal(reasonFor(`${'d/'.repeat(99)}x.py`), undefined, 'a hundred names deep')
})

test('every file is either a candidate or counted once', async t => {
  const files = ['a.py', 'b.png', '.env', 'node_modules/.env', 'node_modules/x.png', 'c.txt', 'yarn.lock'].map(path =>
    tracked(path),
  )
  t.same(select(files), {
    paths: ['a.py'],
    skipped: { binary: 1, secret: 1, ignored: 2, unsupported: 1, lock_file: 1 },
  })
})

test('globs choose among what may be indexed, and never bring in a secret', async t => {
  const files = ['src/a.py', 'src/generated/b.py', 'docs/c.md', 'src/.env', 'src/d.png'].map(path => tracked(path))
  t.same(select(files, { include: ['src/**'], exclude: ['**/generated/**'] }), {
    paths: ['src/a.py'],
    skipped: { excluded: 2, secret: 1, binary: 1 },
  })
})

test('deep trees are decided without a memory of every folder on the way', async t => {
  const files = Array.from({ length: 3_000 }, (_, i) => tracked(`${i}/${'d/'.repeat(90)}x.py`))
  files.push(...Array.from({ length: 3_000 }, (_, i) => tracked(`${i}/${'d/'.repeat(1_900)}y.py`)))
  const before = process.memoryUsage().heapUsed
  const { paths, skipped } = select(files)
  t.equal(paths.length, 3_000)
  t.same(skipped, { unsafe_path: 3_000 })
  t.ok(process.memoryUsage().heapUsed - before < 100_000_000)
})

test('files beyond the largest number or size are counted, in the order of their paths', async t => {
  t.same(
    select(
      ['c.py', 'a.py', 'b.py'].map(path => tracked(path)),
      { maxFiles: 2 },
    ),
    { paths: ['a.py', 'b.py'], skipped: { too_many: 1 } },
  )
  const sized = [
    ['a.py', 60],
    ['b.py', 60],
    ['c.py', 40],
    ['d.png', 1],
  ] as const
  t.same(
    select(
      sized.map(([path, size]) => tracked(path, { size })),
      { maxTotalBytes: 100 },
    ),
    { paths: ['a.py', 'c.py'], skipped: { too_many: 1, binary: 1 } },
    'bytes are counted of what is indexed',
  )
})

test('an executable without an ending is read for its first line', async t => {
  t.same(select([tracked('bin/run', { mode: '100755' }), tracked('bin/data')]), {
    paths: ['bin/run'],
    skipped: { unsupported: 1 },
  })
  t.match(readCandidate(Buffer.from('#!/bin/sh\nexit 0\n'), null), { language: 'shell' })
  t.equal(readCandidate(Buffer.from('just words\n'), null), 'unsupported')
})

test('content decides about binary, encoding and minified files', async t => {
  t.equal(readCandidate(Buffer.from('a = 1\u0000'), 'python'), 'binary')
  t.match(
    readCandidate(Buffer.from('#'.repeat(499).concat('\n').repeat(20) + '\u0000'), 'python'),
    { language: 'python' },
    'a NUL beyond 8 KiB is let be',
  )
  t.equal(readCandidate(Buffer.from([0x63, 0xe9]), 'python'), 'not_utf8')
  t.equal(readCandidate(Buffer.from('var a=1;'.repeat(1000)), 'javascript'), 'minified')
  t.match(
    readCandidate(Buffer.from('var a=1;'.repeat(100)), 'javascript'),
    { language: 'javascript' },
    'too short to be sure',
  )
  t.equal(readCandidate(Buffer.from(`/*! license */\n${'a{b:c}'.repeat(1000)}`), 'css'), 'minified')
  t.match(readCandidate(Buffer.from('A long paragraph. '.repeat(500)), 'markdown'), { language: 'markdown' })
  for (const language of ['python', 'typescript', 'html', 'sql', 'java']) {
    t.match(
      readCandidate(Buffer.from(`TABLE = "${'x'.repeat(9_000)}"\n`), language),
      { language },
      `nobody minifies ${language}`,
    )
  }
  t.match(
    readCandidate(Buffer.from(`${'const line = 1\n'.repeat(100)}const icon = "${'x'.repeat(20_000)}"\n`), 'javascript'),
    { language: 'javascript' },
    'one long literal among lines that somebody wrote',
  )
  t.same(readCandidate(Buffer.from('a\r\nb\r\n'), 'python'), { text: 'a\nb\n', language: 'python' })
})
