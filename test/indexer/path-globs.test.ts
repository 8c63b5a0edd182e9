import { test } from 'tap'
import fc from 'fast-check'
import { createGlobTest } from '../../src/indexer/path-globs.ts'

const CASES: Array<[glob: string, matching: string[], others: string[]]> = [
  ['src/**', ['src/a.ts', 'src/deep/er/.b'], ['src', 'lib/src/a.ts']],
  ['**/generated/**', ['generated/x.js', 'a/b/generated/c/d.js'], ['generated.js', 'a/generated']],
  ['**/*.test.ts', ['a.test.ts', 'x/y/a.test.ts'], ['a.ts', 'a.test.tsx']],
  ['*.py', ['a.py', '.py'], ['pkg/a.py']],
  [
    'src/*/index.{ts,js}',
    ['src/a/index.ts', 'src/b/index.js'],
    ['src/index.ts', 'src/a/b/index.ts', 'src/a/index.css'],
  ],
  ['docs', ['docs/a.md', 'docs'], ['mydocs/a.md', 'docs.md', 'a/docs/b.md']],
  ['./docs/', ['docs/a/b.md'], ['doc/a.md']],
  ['app/(group)/@x/$id.tsx', ['app/(group)/@x/$id.tsx'], ['app/group/@x/$id.tsx']],
  ['[a-c]?[!x].js', ['b0y.js'], ['d0y.js', 'b0x.js', 'by.js']],
  ['a\\*b', ['a*b'], ['axb']],
  ['**/a/**/b', ['a/b', 'x/a/y/z/b', 'a/a/b/c'], ['b', 'x/a']],
  ['**', ['a', 'a/b/c'], []],
  ['*', ['a', '.a'], ['a/b']],
]

test('a glob matches the paths that it names and no others', async t => {
  for (const [glob, matching, others] of CASES) {
    const matches = createGlobTest([glob])
    for (const path of matching) t.ok(matches(path), `${glob} matches ${path}`)
    for (const path of others) t.notOk(matches(path), `${glob} does not match ${path}`)
  }
})

test('one glob that matches is enough, and no glob matches nothing', async t => {
  t.ok(createGlobTest(['a', 'b'])('b'))
  t.notOk(createGlobTest([])('b'))
})

test('a path without wildcards matches itself', async t => {
  fc.assert(
    fc.property(fc.array(fc.stringMatching(/^[\w.-]{1,6}$/), { minLength: 1, maxLength: 4 }), names => {
      const path = names.join('/')
      return path.startsWith('./') || createGlobTest([path])(path)
    }),
  )
  t.pass()
})

test('a glob made to explode is answered, for which trying all ways would take years', async t => {
  t.notOk(createGlobTest(['*a'.repeat(100) + 'b'])('a'.repeat(4000)))
  t.notOk(createGlobTest(['**/a/'.repeat(50) + 'b'])('a/'.repeat(2000) + 'a'))
})

test('globs that are empty, too long or nested are refused by name', async t => {
  for (const glob of ['', 'a'.repeat(257), '{a,{b,c}}', '{a', '{a,b}'.repeat(8)]) {
    t.throws(() => createGlobTest([glob]), { code: 'VALIDATION_FAILED', message: JSON.stringify(glob.slice(0, 100)) })
  }
})
