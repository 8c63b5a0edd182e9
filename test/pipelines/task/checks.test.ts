import { test } from 'tap'
import { checkChange, checkChanges } from '../../helpers/task-checks.ts'
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
const BROKEN = PRICES.replace('sum + one', 'sum + 2 * one')

test('a change that breaks nothing passes, the commands coming from package.json', inJail, async t => {
  const { tests, rejection, steps, durationMs } = await checkChange(t, {
    files: SHOP,
    change: { 'src/more.js': 'exports.more = 1\n' },
  })
  t.equal(rejection, null)
  t.match(tests, {
    passed: true,
    summary: /^All checks passed$/,
    checks: [
      { name: 'lint', status: 'passed', command: 'npm run lint', exitCode: 0, before: 0, reason: null },
      { name: 'test', status: 'passed', command: 'npm test', exitCode: 0, before: 0, reason: null },
    ],
    broken: [],
    guards: [],
  })
  t.match(tests.testOutput, /pass 2/)
  t.ok(durationMs > 0)
  t.same(steps, [
    'check.plan',
    'environment',
    'baseline.lint',
    'baseline.test',
    'check.guards',
    'check.lint',
    'check.test',
  ])
})

test('what passed and fails with the change rejects, with the ends of what was printed', inJail, async t => {
  const { results, steps } = await checkChanges(t, {
    files: SHOP,
    changes: [{ 'src/prices.js': BROKEN }, { 'src/prices.js': `var unused\n${PRICES}` }],
  })
  const [broken, unclean] = results
  t.match(broken?.tests, {
    passed: false,
    summary: /^test failed \(exit code 1\): 1 test passed without the change, and not with it/,
    checks: [{ status: 'passed' }, { status: 'failed', exitCode: 1, before: 0 }],
    broken: ['test/prices.test.js > adds up'],
  })
  t.match(broken?.rejection, /`npm test`[^]*- test\/prices\.test\.js > adds up\n[^]*6 == 3/)
  t.match(unclean?.tests, {
    passed: false,
    summary: 'lint failed (exit code 1): Without the change it passed.',
    checks: [{ status: 'failed', exitCode: 1, before: 0 }, { status: 'passed' }],
    broken: [],
  })
  t.match(unclean?.rejection, /`npm run lint`[^]*prices\.js:1 no-var/)
  t.equal(steps.filter(name => name.startsWith('baseline.')).length, 2, 'the baseline was made once')
})

test('what was red before rejects only where more is red', inJail, async t => {
  const { results } = await checkChanges(t, {
    files: { ...SHOP, 'src/prices.js': `var old\n${PRICES}`, 'test/prices.test.js': HEAD + ofTotal(4) + OF_LEGACY },
    changes: [
      { 'src/more.js': 'exports.more = 1\n' },
      { 'src/more.js': 'var more = 1\n', 'src/prices.js': `var old\n${PRICES.replace('.length', '.length + 1')}` },
      { 'test/more.test.js': "require('node:test').test('new', () => { throw new Error('new') })\n" },
      { 'test/prices.test.js': HEAD + ofTotal(4).replace('adds', 'sums') + OF_LEGACY },
    ],
  })
  const [fine, worse, fresh, renamed] = results
  t.equal(fine?.rejection, null)
  t.match(fine?.tests, {
    passed: false,
    summary: /^lint fails as before the change \(exit code 1\): .* test fails as before/,
    checks: [
      { status: 'failed_before', exitCode: 1, before: 1 },
      { status: 'failed_before', exitCode: 1, before: 1 },
    ],
    broken: [],
  })
  t.match(worse?.tests, {
    checks: [
      { status: 'failed', reason: 'It finds 2 problems; without the change 1.' },
      { status: 'failed', reason: /1 test passed/ },
    ],
    broken: ['test/prices.test.js > counts'],
  })
  t.match(worse?.rejection, /npm run lint[^]*npm test/)
  t.match(fresh?.tests.checks[1], { status: 'failed', reason: 'What fails is new: test/more.test.js > new.' })
  t.match(renamed?.tests.checks[1], { status: 'failed_before' }, 'a failing test of another name is no new failure')
})

test('a failure without a report that was there before rejects nothing, and says so', inJail, async t => {
  const { tests, rejection } = await checkChange(t, {
    files: { 'a.txt': 'a\n' },
    settings: { test: 'cat a.txt; exit 3' },
    change: { 'a.txt': 'b\n' },
  })
  t.equal(rejection, null)
  t.match(tests, {
    passed: false,
    checks: [{ status: 'skipped' }, { status: 'failed_before', exitCode: 3, before: 3, reason: /nothing tells/ }],
  })
  t.equal(tests.testOutput, 'b\n')
})

test('a project without commands is checked by nobody, which rejects nothing', async t => {
  const { tests, rejection, steps } = await checkChange(t, { files: { 'a.txt': 'a\n' }, change: { 'a.txt': 'b\n' } })
  t.equal(rejection, null)
  t.match(tests, {
    passed: null,
    lintOutput: '',
    testOutput: '',
    summary: /^Nobody ran a linter or tests over it\. lint was not run: .*PATCH.* test was not run: .*checks/,
    checks: [
      { name: 'lint', status: 'skipped', command: null, exitCode: null, before: null, reason: /no command that lints/ },
      { name: 'test', status: 'skipped', command: null, exitCode: null, before: null, reason: /no command that tests/ },
    ],
  })
  t.same(steps, ['check.plan', 'check.guards'])
})

test('where only one of the two can run, that one decides', inJail, async t => {
  const { results } = await checkChanges(t, {
    files: { ...SHOP, 'package.json': JSON.stringify({ scripts: { test: 'node --test', lint: 'eslint9 .' } }) },
    changes: [{ 'src/more.js': 'exports.more = 1\n' }, { 'src/prices.js': BROKEN }],
  })
  const [fine, broken] = results
  t.match(fine?.tests, {
    passed: true,
    summary: 'All checks passed',
    checks: [
      {
        name: 'lint',
        status: 'skipped',
        command: 'npm run lint',
        reason: /There is no command eslint9\. Set checks\.install/,
      },
      { name: 'test', status: 'passed' },
    ],
  })
  t.equal(broken?.tests.passed, false)
  t.notMatch(broken?.rejection, /eslint9/)
})

test('what cannot be installed, and a machine without a sandbox, skip both with what to set', async t => {
  const change = { 'src/prices.js': BROKEN }
  const failed = await checkChange(t, {
    files: SHOP,
    change,
    environment: { status: 'failed', reason: 'npm found no registry', fix: 'Set the registry.' },
  })
  t.equal(failed.rejection, null)
  t.match(failed.tests, {
    passed: null,
    checks: [
      { status: 'skipped', command: 'npm run lint', reason: 'npm found no registry. Set the registry.' },
      { status: 'skipped', command: 'npm test', reason: 'npm found no registry. Set the registry.' },
    ],
  })
  const none = await checkChange(t, { files: SHOP, change, sandbox: { mode: 'none' } })
  t.equal(none.rejection, null)
  t.match(none.tests, { passed: null, checks: [{ status: 'skipped', reason: /sandbox/i }, { status: 'skipped' }] })
})

test('a change that keeps the tests from beginning rejects', inJail, async t => {
  const { tests, rejection } = await checkChange(t, {
    files: { ...SHOP, 'test/prices.test.js': HEAD + ofTotal(4) },
    change: { 'src/prices.js': `require('left-pad')\n${PRICES}` },
  })
  t.match(tests.checks[1], { status: 'failed', reason: 'It does not begin any more. Node finds no package left-pad.' })
  t.match(rejection, /can install nothing/)
})

test('tests that there were none of before reject when they fail', inJail, async t => {
  const { results } = await checkChanges(t, {
    files: {
      'src/prices.js': PRICES,
      'run.sh':
        'if [ -d test ]; then exec node --test --test-reporter=tap; fi\necho "No tests found, exiting with code 1"\nexit 1\n',
    },
    settings: { test: 'bash run.sh' },
    changes: [
      { 'a.txt': 'b\n' },
      { 'a.txt': 'b\n', 'test/a.test.js': HEAD + ofTotal(3) },
      { 'a.txt': 'b\n', 'test/a.test.js': HEAD + ofTotal(4) },
    ],
  })
  t.match(
    results.map(({ tests: { checks, passed }, rejection }) => [passed, checks[1]?.status, rejection === null]),
    [
      [null, 'skipped', true],
      [true, 'passed', true],
      [false, 'failed', false],
    ],
  )
})

test('a flaky test counts for nothing', inJail, async t => {
  const failingIn = async (...runs: number[]) => {
    const flaky = `test('now and then', () => assert.ok(![${runs.join(', ')}].includes(Number(process.env.RUN))))\n`
    const { tests, rejection } = await checkChange(t, {
      files: { 'src/prices.js': PRICES, 'test/prices.test.js': HEAD + ofTotal(3) + flaky },
      settings: { test: 'node --test' },
      change: { 'src/more.js': '\n' },
    })
    t.equal(rejection, null)
    t.same(tests.broken, [])
    return tests.checks[1]
  }
  t.match(await failingIn(2), { status: 'passed', exitCode: 0, reason: 'It passed when it was tried once more.' })
  t.match(await failingIn(1, 4), { status: 'failed_before', before: 1, reason: /now and then/ })
})

test('a command that hangs is ended, and rejects only where it did not hang before', inJail, async t => {
  const files = { 'a.sh': 'true\n', 'b.sh': 'sleep 600\n' }
  const sandbox = { timeoutMs: 3000 }
  const change = { 'a.sh': 'sleep 600\n' }
  const hangs = await checkChange(t, { files, change, sandbox, settings: { test: 'bash a.sh' } })
  t.match(hangs.tests.checks[1], { status: 'failed', exitCode: null, before: 0, reason: /ended for its time/ })
  t.match(hangs.rejection, /bash a\.sh/)
  const hung = await checkChange(t, { files, change, sandbox, settings: { test: 'bash b.sh' } })
  t.match(hung.tests.checks[1], { status: 'failed_before', exitCode: null, before: null })
  t.equal(hung.rejection, null)
})

test('of megabytes of output both ends come back', inJail, async t => {
  const loud = "echo first; head -c 5000000 /dev/zero | tr '\\0' x; echo; echo '```'; echo last"
  const { tests, rejection } = await checkChange(t, {
    files: { 'a.sh': 'true\n' },
    settings: { lint: 'bash a.sh', test: 'bash a.sh' },
    change: { 'a.sh': `${loud}; exit 1\n` },
  })
  for (const text of [tests.lintOutput, tests.testOutput]) {
    t.ok(text.length < 20_200, `${text.length} characters`)
    t.match(text, /^first\n[^]*left out[^]*last\n$/)
  }
  t.ok((rejection ?? '').length <= 20_100, `${rejection?.length} characters`)
  t.match(rejection, /first[^]*last[^]*first[^]*last[^]*can install nothing/)
})

test('a job that is begun again runs nothing twice and comes to the same', inJail, async t => {
  const times: unknown[] = []
  const { results, runs } = await checkChanges(t, {
    files: SHOP,
    changes: [{ 'src/prices.js': BROKEN }, { 'src/prices.js': BROKEN, 'test/prices.test.js': HEAD + OF_LEGACY }],
    async then(job, all) {
      times.push(all)
      await job.ask('q', { kind: 'clarification', question: 'Go on?' })
    },
    reply: { answer: 'Yes.' },
  })
  t.equal(times.length, 2)
  t.same(times[0], times[1])
  t.match(results, [{ rejection: /6 == 3/ }, { rejection: /was deleted/ }])
  t.equal(runs, 2 + 3 + 4, 'the baseline, a failure that came twice, and one that needed its test undone')
})
