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

test('what was there before is not told again, and of equal things only the new ones', async t => {
  const noqa = 'x = 1  # noqa\n'
  const lines = (before: string, after: string) => guardsOf([{ path: 'a.py', before, after }]).map(({ line }) => line)
  t.same(lines(noqa, `${noqa}y = 2\n`), [])
  t.same(lines(`y = 2  # nosec\n${noqa}`, `${noqa}y = 3  # nosec\n`), [], 'in another order')
  t.same(lines(noqa, noqa + noqa), [2])
  t.same(lines(noqa + noqa, noqa.repeat(5)), [3, 4, 5])
  t.same(lines(noqa, 'x = 1  # type: ignore\n'), [1], 'a comment in place of another silences something else')
  t.same(lines(noqa.repeat(1999), noqa.repeat(2000)), [2000])
  t.same(lines(noqa.repeat(2000), noqa.repeat(2001)), [], 'no more than 2,000 of a file are compared')
})

test('a handler that takes the place of another in the same function is not new; in another function it is', async t => {
  const swallowing = (name: string, body: string) =>
    `def ${name}():\n    try:\n        g()\n    except Exception:\n        ${body}\n`
  const lines = (before: string, after: string) => guardsOf([{ path: 'a.py', before, after }]).map(({ line }) => line)
  const before = swallowing('f', 'pass')
  t.same(lines(before, swallowing('f', 'return None')), [])
  t.same(lines(before, swallowing('h', 'return None')), [4])
  t.same(lines(before, before + swallowing('h', 'return None')), [9])
  const two = '    try:\n        g()\n    except Exception:\n        return None\n'
  t.same(lines(before, swallowing('f', 'return 0') + two), [8], 'one for one')
})

test('what a test file gets counts at the top, in tests and in helpers that were there before', async t => {
  const path = 'test/a.test.js'
  const old = "it('old', () => {\n  run()\n})\n"
  const helper = (name: string, end = '') => `function ${name}() {\n  run()\n}${end}\n`
  const silenced = ' // eslint-disable-line'
  const fresh = (end = '', name = 'new') => `it('${name}', () => {\n  run()\n}${end}\n)\n`
  const lines = (after: string, before = helper('help') + old) =>
    guardsOf([{ path, before, after }])
      .filter(({ kind }) => kind === 'suppressed_check')
      .map(({ line }) => line)
  t.same(lines(`run()${silenced}\n${helper('help')}${old}${fresh()}`), [1], 'the top')
  t.same(lines(`${helper('help')}${old.replace('run()', `run()${silenced}`)}${fresh()}`), [5], 'an old test')
  t.same(lines(`${helper('help')}${old}it('new', () => run())${silenced}\n`), [], 'a new test of one line')
  t.same(lines(`${helper('help')}${old}${fresh(silenced)}`), [], 'in a new test')
  t.same(lines(`${helper('help')}${old}it('new', () => {}\n)${silenced}\n`), [], 'its last line')
  t.same(lines(`${old}${helper('help', silenced)}${fresh()}`), [6], 'the last line of an old helper, before a test')
  t.same(lines(`${helper('other', silenced)}${helper('help')}${old}`), [], 'a new helper')
  const group = (inside: string) => `describe('all', () => {\n${inside}})\n`
  t.same(lines(group(`run()${silenced}\n${old}`), group(old)), [2], 'a group is no test')
})

test('a file that is too long to be read on one side is left alone', async t => {
  const short = 'def f(x):\n    return x.y\n'
  const guarded = 'def f(x):\n    if x is None:\n        return 1\n    return x.y\n'
  const long = '#'.repeat(250_001)
  const failing = { path: 'a.py', line: 2, error: '' }
  t.same(kindsOf([{ path: 'a.py', before: short, after: guarded }], failing), ['null_check'])
  t.same(guardsOf([{ path: 'a.py', before: short + long, after: guarded }], failing), [])
  t.same(guardsOf([{ path: 'a.py', before: short, after: guarded + long }], failing), [])
})

test('files that decide for others are told by their first line, where they changed', async t => {
  for (const [path, kind] of [
    ['package-lock.json', 'lock_file'],
    ['test/a.js.snap', 'weakened_test'],
    ['.github/workflows/ci.yml', 'ci_file'],
  ] as const) {
    t.match(guardsOf([{ path, before: 'a', after: 'b' }]), [{ path, line: 1, kind }])
    t.same(guardsOf([{ path, before: 'a', after: 'a' }]), [], path)
  }
  t.same(guardsOf([{ path: 'test/a.js.snap', before: null, after: 'b' }]), [], 'a new record')
  t.same(guardsOf([{ path: 'src/a.snap.js', before: 'a', after: 'b' }]), [])
})

test('guards come by path and line, whatever order they were found in', async t => {
  const after = '// eslint-disable-next-line\nrun()\nload().catch(() => {})\n'
  const files = ['b.js', 'c.js', 'a.js'].map(path => ({ path, before: 'run()\n', after }))
  t.same(
    guardsOf(files).map(({ path, line }) => `${path} ${line}`),
    ['a.js 1', 'a.js 3', 'b.js 1', 'b.js 3', 'c.js 1', 'c.js 3'],
  )
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
