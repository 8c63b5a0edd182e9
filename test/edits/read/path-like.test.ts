import { test } from 'tap'
import { isPathLike } from '../../../src/edits/read/path-like.ts'

/** How a token looks: like a path anywhere, only where one is expected, or nowhere. */
const TOKENS: Array<[token: string, looks: 'strict' | 'lenient' | 'never']> = [
  ['a.py', 'strict'],
  ['A.PY', 'strict'],
  ['src/a.py', 'strict'],
  ['src\\a.py', 'strict'],
  ['Makefile', 'strict'],
  ['Dockerfile.dev', 'strict'],
  ['.env', 'strict'],
  ['.env.local', 'strict'],
  ['.x', 'strict'],
  ['.1x', 'never'],
  ['.a.b c', 'never'],
  ['a.zzz', 'lenient'],
  ['a.1', 'never'],
  ['a.abcdefghij', 'lenient'],
  ['a.abcdefghijk', 'never'],
  ['a.Zzz', 'never'],
  ['src/a.zzz', 'strict'],
  ['src/a.1', 'never'],
  ['src/a.z z', 'never'],
  ['src/run', 'lenient'],
  ['src/a run', 'never'],
  ['src/.', 'never'],
  ['src/..', 'strict'], // to be refused as one that leads outside
  ['src/', 'never'],
  ['run', 'never'],
  ['', 'never'],
  ['a.py:3', 'never'],
  ['src/a:b.py', 'strict'],
  ['http://a/b.py', 'never'],
  ['and/or', 'never'],
  ['client/server', 'never'],
  ['Node.js', 'never'],
  ['node.js', 'strict'],
  ['a?.py', 'never'],
  ['a,b.py', 'never'],
  ['x=1.py', 'never'],
  [`${'a'.repeat(1021)}.py`, 'strict'],
  [`${'a'.repeat(1022)}.py`, 'never'],
]

test('a token looks like a path by its name, its extension and its folder', async t => {
  for (const [token, looks] of TOKENS) {
    t.equal(isPathLike(token, 'strict'), looks === 'strict', `${token}, strict`)
    t.equal(isPathLike(token, 'lenient'), looks !== 'never', `${token}, lenient`)
  }
})
