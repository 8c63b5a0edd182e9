import { test } from 'tap'
import { spawnSync } from 'node:child_process'
import fc from 'fast-check'
import { checkRef, isRefName, nearNames } from '../../../src/repos/clone/refs.ts'
import { runs } from '../../helpers/property-runs.ts'

const BAD = [
  '',
  '-',
  '-b',
  '--upload-pack=x',
  '@',
  'a b',
  'a\tb',
  'a\nb',
  'a\0b',
  'a..b',
  'a~1',
  'a^',
  'a:b',
  'a?',
  'a*',
  'a[b',
  'a\\b',
  '/a',
  'a/',
  'a//b',
  '.a',
  'a/.b',
  'a.lock',
  'a.lock/b',
  'a.',
  'a@{1}',
  '\u007f',
  'x'.repeat(256),
  'a\ud800',
  'refs/heads/main',
  'refs/faultline/x',
]
const GOOD = [
  'main',
  'feature/one',
  'v1.2.3',
  'a@b',
  'fix-#12',
  'ü',
  'a+b',
  'release_1',
  '0123abc',
  'a.b',
  '{x}',
  'HEAD',
]

test('a ref that git would not allow is refused before anything runs', async t => {
  for (const name of BAD) {
    t.throws(() => checkRef('branch', name), { code: 'BAD_REF' }, JSON.stringify(name))
    t.throws(() => checkRef('ref', name), { code: 'BAD_REF' })
  }
  for (const name of GOOD) t.equal(checkRef('branch', name), name)
  t.equal(checkRef('ref', 'A'.repeat(40)), 'a'.repeat(40))
})

test('the rules agree with git check-ref-format', async t => {
  const unit = fc.constantFrom(
    'a',
    'b',
    '.',
    '/',
    '-',
    '@',
    '{',
    '~',
    '^',
    ':',
    '?',
    '*',
    '[',
    '\\',
    ' ',
    '.lock',
    '..',
    '\u007f',
    '\u0001',
    'ü',
  )
  fc.assert(
    fc.property(fc.string({ unit, minLength: 1, maxLength: 8 }), name => {
      const git = spawnSync('git', ['check-ref-format', '--allow-onelevel', name]).status === 0
      return isRefName(name) === (git && !name.startsWith('-'))
    }),
    { numRuns: runs(150) },
  )
  t.pass('150 names')
})

test('near names come by edit distance, and hostile ones not at all', async t => {
  t.same(nearNames('mian', ['develop', 'main', 'a\u001b[31m', 'Main2', 'release/1.0'], 2), ['main', 'Main2'])
  t.same(nearNames('x', []), [])
  t.same(nearNames('develop', ['evelop', 'Develop'], 1), ['Develop'], 'the first letter counts')
  t.same(nearNames('x', ['y', 'z'], 0), [])
  const long = 'x'.repeat(100)
  t.same(nearNames(`${long}a`, [`${long}b`, `${long.slice(1)}y`], 1), [`${long}b`], 'the first 100 characters count')
  const many = Array.from({ length: 2_000 }, (_, i) => `other-${i}`)
  t.same(nearNames('main', ['..', ...many.slice(1), 'main'], 1), ['main'], 'the 2,000th allowed name is compared')
  t.not(nearNames('main', [...many, 'main'], 1)[0], 'main', 'the one behind it is not')
  t.equal(
    nearNames(
      'x',
      Array.from({ length: 5_000 }, (_, i) => `branch-${i}`),
    ).length,
    10,
  )
})
