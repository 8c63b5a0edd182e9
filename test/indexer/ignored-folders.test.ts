import { test } from 'tap'
import { reasonFor, select, tracked } from './filter-fixture.ts'

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

test('a repository that is a virtual environment itself is indexed but for what it installs', async t => {
  const { paths } = select(['pyvenv.cfg', 'run.py', 'lib/x.py', 'lib/site-packages/y.py'].map(path => tracked(path)))
  t.same(paths.filter(path => path.endsWith('.py')).sort(), ['lib/x.py', 'run.py'])
})

test('tracked vendor folders are indexed', async t => {
  t.same(select([tracked('vendor/github.com/x/y.go'), tracked('third_party/z.c')]).paths, [
    'third_party/z.c',
    'vendor/github.com/x/y.go',
  ])
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
