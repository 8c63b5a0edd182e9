import { test } from 'tap'
import type { ChangedFile } from '../../src/guards/guard.ts'
import { hidingTests } from '../../src/guards/hiding-tests.ts'
import { withoutSuppressions } from '../../src/guards/suppressions.ts'
import { languageOf } from '../../src/indexer/languages.ts'
import { kindOfPath } from '../../src/resolver/code/path-kinds.ts'
import { scaled } from '../helpers/property-runs.ts'

const KINDS = { languageOf, isTest: (path: string) => kindOfPath(path).isTest }
const hiding = (...files: ChangedFile[]) =>
  hidingTests(files, KINDS).map(({ guard, paths }) => `${guard.kind} ${paths.join(' ')}`)

const PRICES = 'def total(items):\n    return sum(items)\n\n\ndef legacy(items, rounding=2):\n    return total(items)\n'
const TOTAL = 'def test_total():\n    assert total([1, 2]) == 3\n'
const LEGACY = 'def test_legacy():\n    assert legacy([1]) == 1\n'
const TESTS = 'tests/test_prices.py'

test('a test that goes with the code that it is about hides nothing', async t => {
  const code = { path: 'prices.py', before: PRICES, after: PRICES.slice(0, PRICES.indexOf('\n\ndef legacy')) }
  const tests = { path: TESTS, before: `${TOTAL}\n\n${LEGACY}`, after: TOTAL }
  t.same(hiding(code, tests), [])
  t.same(hiding(tests), [`deleted_test ${TESTS}`], 'without the code it does')
  t.same(
    hiding(code, { ...tests, after: LEGACY }),
    [`deleted_test ${TESTS}`],
    'a test of the code that stays does, whatever else goes',
  )
  t.same(hiding({ path: 'prices.py', before: PRICES, after: null }, { ...tests, after: null }), [])
})

test('an assertion about a parameter that goes may go, another one may not', async t => {
  const before = 'def test_legacy():\n    assert legacy([1], rounding=1) == 1\n    assert legacy([2]) == 2\n'
  const lost = { path: TESTS, before, after: 'def test_legacy():\n    assert legacy([2]) == 2\n' }
  const code = { path: 'prices.py', before: PRICES, after: PRICES.replace(', rounding=2', '') }
  t.same(hiding(code, lost), [])
  t.same(hiding(lost), [`weakened_test ${TESTS}`])
  t.same(hiding(code, { ...lost, after: 'def test_legacy():\n    assert legacy([1], rounding=1) == 1\n' }), [
    `weakened_test ${TESTS}`,
  ])
})

test('a route that goes takes its test with it', async t => {
  const code = {
    path: 'src/app.js',
    before: "app.get('/old', () => 1)\napp.get('/new', () => 2)\n",
    after: "app.get('/new', () => 2)\n",
  }
  const of = (route: string) => `test('${route} answers', () => assert.equal(ask('${route}'), 1))\n`
  t.same(hiding(code, { path: 'test/app.test.js', before: of('/old') + of('/new'), after: of('/new') }), [])
  t.same(hiding(code, { path: 'test/app.test.js', before: of('/old') + of('/new'), after: of('/old') }), [
    'deleted_test test/app.test.js',
  ])
})

test('other values are how a change of behaviour looks; looser assertions and skips are not', async t => {
  const expecting = (after: string) => hiding({ path: TESTS, before: TOTAL, after })
  t.same(expecting(TOTAL.replace('== 3', '== 4')), [])
  t.same(expecting(TOTAL.replace('total([1, 2]) == 3', 'total([1, 2])')), [`weakened_test ${TESTS}`])
  t.same(expecting(`import pytest\n\n@pytest.mark.skip\n${TOTAL}`), [`skipped_test ${TESTS}`])
  t.same(expecting(`import pytest\npytestmark = pytest.mark.skip\n\n${TOTAL}`), [`skipped_test ${TESTS}`])
})

test('a test that moves and is skipped names both files', async t => {
  const moved = { path: 'tests/test_b.py', before: null, after: `@pytest.mark.skip\n${TOTAL}` }
  t.same(hiding({ path: TESTS, before: TOTAL, after: null }, moved), [`skipped_test tests/test_b.py ${TESTS}`])
})

test('a removed name of a language without a lexer is that of its file', async t => {
  const tests = { path: TESTS, before: 'def test_old():\n    assert run(legacy)\n', after: null }
  t.same(hiding({ path: 'legacy.xyz', before: 'x', after: null }, tests), [])
  t.same(hiding({ path: 'other.xyz', before: 'x', after: null }, tests), [`deleted_test ${TESTS}`])
})

test('comments that silence a checker are taken out of the lines that are meant, and nothing else', async t => {
  const cases: Array<[string, string]> = [
    ['x = 1  # noqa: E501', 'x = 1  # -: E501'],
    ['y = f()  # type: ignore[arg]', 'y = f()  # -[arg]'],
    ['// eslint-disable-next-line no-console', '// - no-console'],
    ['/* eslint-disable */', '/* - */'],
    ['// @ts-expect-error it is wrong', '// - it is wrong'],
    ['@SuppressWarnings("all")', '@SuppressWarnings("all")'],
  ]
  for (const [before, after] of cases) t.equal(withoutSuppressions(before, [1]), after)
  t.equal(withoutSuppressions('a # noqa\nb # noqa\r\n', [2]), 'a # noqa\nb # -\r\n')
})

test('many definitions on one line take no long time', async t => {
  const before = `(function(){${'function a(b){return b};'.repeat(8_000)}})()`
  const gone = { path: TESTS, before: TOTAL.repeat(500), after: null }
  const started = performance.now()
  hiding({ path: 'a.js', before, after: 'x' }, gone)
  t.ok(performance.now() - started < scaled(6_000))
})
