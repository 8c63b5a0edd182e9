import { test } from 'tap'
import { findGuards } from '../../src/guards/find-guards.ts'
import type { ChangedFile, FailingPlace } from '../../src/guards/guard.ts'
import { languageOf } from '../../src/indexer/languages.ts'
import { kindOfPath } from '../../src/resolver/code/path-kinds.ts'
import { guardCases } from '../helpers/guard-cases.ts'
import { scaled } from '../helpers/property-runs.ts'

const KINDS = { languageOf, isTest: (path: string) => kindOfPath(path).isTest }
const guardsOf = (files: ChangedFile[], failing: FailingPlace | null = null) => findGuards(files, failing, KINDS)
const kindsOf = (files: ChangedFile[], failing: FailingPlace | null) => [
  ...new Set(guardsOf(files, failing).map(({ kind }) => kind)),
]

test('fixes of the symptom are found, each as what it is', async t => {
  for (const { name, file, failing, kinds } of guardCases('symptoms')) t.same(kindsOf([file], failing), kinds, name)
})

test('honest fixes are left alone', async t => {
  for (const { name, file, failing } of guardCases('honest')) t.same(guardsOf([file], failing), [], name)
})

const PY_TEST = 'def test_total():\n    assert total([1]) == 1\n'

test('a guard says where it is and what it is', async t => {
  const files = [
    { path: 'b.py', before: 'x = 1\n', after: 'x = 1  # noqa\n' },
    { path: 'a.py', before: 'x = 1\n', after: '\ntry:\n    f()\nexcept Exception:\n    pass\n' },
    { path: 'tests/test_a.py', before: `x = 1\n\n${PY_TEST}`, after: 'x = 1\n' },
  ]
  t.same(guardsOf(files), [
    { path: 'a.py', line: 4, kind: 'swallowed_error', detail: 'A handler catches Exception and does nothing.' },
    { path: 'b.py', line: 1, kind: 'suppressed_check', detail: 'A comment silences a check (noqa).' },
    { path: 'tests/test_a.py', line: 3, kind: 'deleted_test', detail: 'The test test_total was deleted.' },
  ])
})

test('a test that moves to another file is not deleted; one of a deleted file is', async t => {
  const gone = { path: 'tests/test_a.py', before: PY_TEST, after: null }
  t.same(guardsOf([gone, { path: 'tests/test_b.py', before: null, after: PY_TEST }]), [])
  t.match(guardsOf([gone]), [{ path: 'tests/test_a.py', line: 1, kind: 'deleted_test' }])
})

test('what new tests try out hides nothing', async t => {
  const after =
    "it('fails', async () => {\n  try { run() } catch {} // eslint-disable-line no-empty\n  expect(1).toBe(1)\n})\n"
  t.same(guardsOf([{ path: 'test/a.test.js', before: null, after }]), [])
  const old = "it('fails', async () => {\n  run()\n  expect(1).toBe(1)\n})\n"
  t.same(kindsOf([{ path: 'test/a.test.js', before: old, after }], null), ['swallowed_error', 'suppressed_check'])
})

test('a function given to catch drops the error, whatever it is written as, unless it does something', async t => {
  const told = (callback: string): string[] =>
    guardsOf([{ path: 'a.js', before: 'load()\n', after: `load().catch(${callback})\n` }]).map(({ detail }) => detail)
  for (const callback of ['() => {}', 'function () {}', 'function (error) {}', 'noop', '_noop']) {
    t.match(told(callback), [/^\.catch\(\) does nothing/], callback)
  }
  for (const callback of ['error => render(error)', 'function (error) { render(error) }', 'function', 'report', '']) {
    t.same(told(callback), [], callback)
  }
})

test('a new file may swallow as little as an old one', async t => {
  const after = 'try:\n    f()\nexcept Exception:\n    pass\n'
  t.match(guardsOf([{ path: 'a.py', before: null, after }]), [{ line: 3, kind: 'swallowed_error' }])
})

test('a failing place in another file, or none, leaves checks for missing values alone', async t => {
  const before = 'def f(x):\n    return x.y\n'
  const after = 'def f(x):\n    if x is None:\n        return 1\n    return x.y\n'
  const files = [{ path: 'a.py', before, after }]
  t.same(guardsOf(files), [])
  t.same(guardsOf(files, { path: 'b.py', line: 2, error: '' }), [])
  t.match(guardsOf(files, { path: 'a.py', line: 2, error: '' }), [{ line: 2, kind: 'null_check' }])
})

test('no text makes it fail, and a hundred places are told at most', async t => {
  const texts = ['(((((', ']]]]', '"""', "it('", 'except', 'try {} catch', '@', 'if (', '\0', '```', '#[', 'rescue']
  for (const text of texts) {
    for (const path of ['a.py', 'a.js', 'a.rb', 'a.go', 'a.rs', 'a.php', 'a.java', 'tests/a.test.ts']) {
      const files = [{ path, before: text, after: `${text}\n${text}` }]
      t.type(guardsOf(files, { path, line: 1, error: 'null' }), Array)
    }
  }
  const many = 'x = 1  # noqa\n'.repeat(300)
  t.equal(guardsOf([{ path: 'a.py', before: '', after: many }]).length, 100)
})

test('conditions that nothing closes take no long time', async t => {
  for (const [path, piece] of [
    ['a.js', 'if x:\n  pass\n'],
    ['a.js', 'if (x) {'],
    ['a.go', 'if x:\n  pass\n'],
    ['a.rb', 'if (x) {'],
    ['a.rs', 'fn f(){'],
  ] as const) {
    const after = piece.repeat(120_000 / piece.length)
    const started = performance.now()
    guardsOf([{ path, before: 'x = 1\n', after }], { path, line: 1, error: 'TypeError: null' })
    t.ok(performance.now() - started < scaled(6_000), `${path} ${piece}`)
  }
})
