import { test } from 'tap'
import { checkChange, checkChanges, type TaskChange } from '../../helpers/task-checks.ts'
import { inJail } from '../../helpers/sandbox.ts'

/** Says what it finds as ESLint does, and knows its comments. */
const LINTER = `const { readFileSync, readdirSync, existsSync } = require('node:fs')
const off = existsSync('.eslintrc.json') ? JSON.parse(readFileSync('.eslintrc.json', 'utf8')).off ?? [] : []
const found = readdirSync('src').flatMap(name =>
  readFileSync('src/' + name, 'utf8').split('\\n').flatMap((line, at) =>
    /\\bvar /.test(line) && !off.includes('no-var') && !line.includes('eslint-disable-line') ? [name + ':' + (at + 1) + ' no-var'] : []))
if (found.length > 0) {
  console.log(found.join('\\n') + '\\n\\n✖ ' + found.length + ' problems (' + found.length + ' errors, 0 warnings)')
  process.exit(1)
}
`
const MANIFEST = { scripts: { lint: 'node lint.js', test: 'node --test' } }
const PRICES =
  'exports.total = items => items.reduce((sum, one) => sum + one, 0)\nexports.legacy = items => items.length\n'
const HEAD =
  "const { test } = require('node:test')\nconst assert = require('node:assert')\nconst prices = require('../src/prices.js')\n"
const ofTotal = (expected: number) => `test('adds up', () => {\n  assert.equal(prices.total([1, 2]), ${expected})\n})\n`
const OF_LEGACY = "test('counts', () => {\n  assert.equal(prices.legacy([1, 2]), 2)\n})\n"
const SHOP = {
  'package.json': JSON.stringify(MANIFEST),
  'lint.js': LINTER,
  'src/prices.js': PRICES,
  'test/prices.test.js': HEAD + ofTotal(3) + OF_LEGACY,
}
const NO_LEGACY = PRICES.slice(0, PRICES.indexOf('exports.legacy'))
const BROKEN = PRICES.replace('sum + one', 'sum + 2 * one')

test('tests that hide a failure reject where the command passes only with them', inJail, async t => {
  const mended = { 'src/prices.js': BROKEN }
  const { results, steps } = await checkChanges(t, {
    files: SHOP,
    changes: [
      { ...mended, 'test/prices.test.js': HEAD + OF_LEGACY },
      { ...mended, 'test/prices.test.js': HEAD + ofTotal(3).replace("test('", "test.skip('") + OF_LEGACY },
      { ...mended, 'test/prices.test.js': HEAD + ofTotal(3).replace('equal', 'ok') + OF_LEGACY },
      { ...mended, 'test/prices.test.js': HEAD + ofTotal(6) + OF_LEGACY },
      { 'test/prices.test.js': HEAD + OF_LEGACY },
      { 'src/prices.js': NO_LEGACY, 'test/prices.test.js': HEAD + ofTotal(3) },
    ],
  })
  const [deleted, skipped, weaker, otherValue, needless, removed] = results
  for (const [one, kind] of [
    [deleted, 'deleted_test'],
    [skipped, 'skipped_test'],
    [weaker, 'weakened_test'],
  ] as const) {
    t.match(one?.tests, {
      passed: false,
      checks: [{ status: 'passed' }, { status: 'failed', exitCode: 1, before: 0, reason: /^It passes only with/ }],
      guards: [{ path: 'test/prices.test.js', kind }],
      broken: ['test/prices.test.js > adds up'],
    })
    t.match(one?.rejection, /- test\/prices\.test\.js:\d+: [^]*put back the tests/)
  }
  t.match(otherValue, { rejection: null, tests: { passed: true, guards: [{ kind: 'weakened_test' }] } })
  t.match(needless, { rejection: null, tests: { passed: true, guards: [{ kind: 'deleted_test' }] } })
  t.match(removed, { rejection: null, tests: { passed: true, guards: [{ kind: 'deleted_test' }] } })
  t.equal(steps.filter(name => name === 'check.test.strict').length, 7, 'once more for each failure')
})

test('comments that silence the linter reject where it passes only with them', inJail, async t => {
  const { results } = await checkChanges(t, {
    files: SHOP,
    changes: [
      { 'src/more.js': 'var more = 1 // eslint-disable-line no-var\n' },
      { 'src/more.js': 'const more = 1 // eslint-disable-line no-var\n' },
    ],
  })
  t.match(results, [
    {
      tests: {
        passed: false,
        checks: [{ status: 'failed', reason: /only with/ }, { status: 'passed' }],
        guards: [{ kind: 'suppressed_check' }],
      },
      rejection: /src\/more\.js:1: A comment silences a check[^]*more\.js:1 no-var/,
    },
    { tests: { passed: true, guards: [{ kind: 'suppressed_check' }] }, rejection: null },
  ])
})

test('the scripts of package.json are those of the commit, and so is what configures a check', inJail, async t => {
  const scripts = (more: object) => JSON.stringify({ scripts: { ...MANIFEST.scripts, ...more } })
  const files = { ...SHOP, '.eslintrc.json': '{}' }
  const changes: TaskChange[] = [
    { 'src/prices.js': BROKEN, 'package.json': scripts({ test: 'true' }) },
    { 'src/prices.js': BROKEN, 'package.json': scripts({ pretest: 'echo "" > test/prices.test.js' }) },
    { 'src/more.js': 'var more = 1\n', '.eslintrc.json': '{"off": ["no-var"]}' },
    { 'src/more.js': 'const more = 1\n', '.eslintrc.json': '{"off": ["no-var"]}' },
    { 'package.json': scripts({ start: 'node .' }) },
  ]
  const { results, steps } = await checkChanges(t, { files, changes })
  t.match(results, [
    {
      tests: { checks: [{ status: 'passed' }, { status: 'failed', exitCode: 1 }] },
      rejection: /package\.json: what npm test runs/,
    },
    { tests: { checks: [{ status: 'passed' }, { status: 'failed' }] }, rejection: /package\.json/ },
    { tests: { checks: [{ status: 'failed' }, { status: 'passed' }] }, rejection: /\.eslintrc\.json configures/ },
    { tests: { passed: true }, rejection: null },
    { tests: { passed: true }, rejection: null },
  ])
  t.notOk(
    steps.slice(-3).some(name => name.endsWith('.strict')),
    'another script is none of the checks',
  )
  const { rejection } = await checkChange(t, {
    files,
    change: changes[2] ?? {},
    isAllowed: path => path === '.eslintrc.json',
  })
  t.equal(rejection, null, 'what the request names may be changed')
})

test('a run with fewer tests than before shows nothing, unless files of tests were changed', inJail, async t => {
  const { results } = await checkChanges(t, {
    files: SHOP,
    changes: [
      { 'src/prices.js': `process.exit(0)\n${PRICES}` },
      { 'src/prices.js': NO_LEGACY, 'test/prices.test.js': HEAD + ofTotal(3) },
    ],
  })
  t.match(results[0]?.tests.checks[1], { status: 'failed', exitCode: 0, reason: /without the change 2/ })
  t.match(results[1]?.tests.checks[1], {
    status: 'passed',
    reason: '1 test ran, without the change 2: test/prices.test.js > counts did not.',
  })
})
