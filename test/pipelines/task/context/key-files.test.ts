import { test } from 'tap'
import { kindOfPath } from '../../../../src/resolver/code/path-kinds.ts'
import { keyFiles } from '../../../../src/pipelines/task/context/key-files.ts'

/** The paths in the order in which they are tried, each once. */
function tried(
  paths: readonly string[],
  { description = '', named = [], found = [], manifestEntries = [] }: Partial<Parameters<typeof keyFiles>[1]>,
): string[] {
  const shown = { paths: [...paths].sort() }
  const groups = keyFiles({ kindOf: kindOfPath }, { description, shown, named, found, manifestEntries })
  return [...new Set(groups.flatMap(({ candidates }) => candidates.map(({ path }) => path)))]
}

test('what is surest is tried first: paths, the best hit, names, further hits, entry points, types', t => {
  const paths = ['src/a.ts', 'src/b.ts', 'src/cart.ts', 'src/index.ts', 'src/named.ts', 'src/types.ts', 'src/other.ts']
  const asked = {
    description: 'the cart of src/named.ts',
    named: ['src/named.ts'],
    found: [
      { path: 'src/a.ts', score: 0.9 },
      { path: 'src/b.ts', score: 0.5 },
      { path: 'src/gone.ts', score: 0.4 },
      { path: 'src/other.ts', score: 0.2 },
    ],
  }
  t.same(tried(paths, asked), ['src/named.ts', 'src/a.ts', 'src/cart.ts', 'src/b.ts', 'src/index.ts', 'src/types.ts'])
  t.end()
})

test('documents and settings are tried last, and only those that the search is sure of; no dot file', t => {
  const found = [
    { path: 'docs/cart.rst', score: 0.9 },
    { path: 'src/a.py', score: 0.8 },
    { path: 'tests/test_a.py', score: 0.7 },
    { path: 'docs/other.rst', score: 0.3 },
    { path: 'config/shop.yml', score: 0.6 },
    { path: '.gitignore', score: 0.9 },
  ]
  const paths = found.map(({ path }) => path)
  t.same(tried(paths, { found }), ['src/a.py', 'tests/test_a.py', 'docs/cart.rst', 'config/shop.yml'])
  t.end()
})

test('of many type files only those around the task are tried; a manifest names entry points', t => {
  const far = Array.from({ length: 30 }, (_, at) => `packages/p${at}/types/x.d.ts`)
  const near = ['src/cart/types.ts', 'src/types/cart.ts', 'types/global.d.ts']
  const asked = { found: [{ path: 'src/cart/a.ts', score: 1 }], manifestEntries: ['bin/shop.js', 'dist/gone.js'] }
  t.same(tried(['src/cart/a.ts', 'bin/shop.js', ...far, ...near], asked), ['src/cart/a.ts', 'bin/shop.js', ...near])
  t.end()
})

test('what describes the project is no key file, unless the task names it', t => {
  const paths = ['README.md', 'package.json', 'AGENTS.md', 'src/readme.ts']
  t.same(tried(paths, { description: 'the readme of the package' }), ['src/readme.ts'])
  t.same(tried(paths, { named: ['README.md'] }), ['README.md'])
  t.end()
})
