import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'tap'
import { FaultlineError, type ErrorCode } from '../../../../src/core/errors.ts'
import { hindranceIn, hindranceOf, RULES, whyMissing } from '../../../../src/pipelines/steps/verify/could-not-run.ts'
import { scaled } from '../../../helpers/property-runs.ts'
import { testRun } from './test-runs.ts'

const OF = { paths: ['shop/cart.py', 'src/lib.js'], trace: "ModuleNotFoundError: No module named 'redis'" }
const reason = (exitCode: number, stderr: string, of = OF) =>
  hindranceOf(testRun(exitCode, undefined, { stderr }), of)?.reason ?? null

test('what keeps tests from running is told apart from tests that fail', async t => {
  for (const [exitCode, stderr, expected] of [
    [1, '/usr/bin/python3: No module named pytest', 'Python has no module pytest.'],
    [2, "E   ModuleNotFoundError: No module named 'requests'", 'Python has no module requests.'],
    [1, "Error: Cannot find module 'express'\nRequire stack:", 'Node finds no package express.'],
    [
      1,
      "Error [ERR_MODULE_NOT_FOUND]: Cannot find package '@a/b' imported from /workspace/x.js",
      'Node finds no package @a/b.',
    ],
    [1, 'npm error Missing script: "test"', 'package.json has no script test.'],
    [
      1,
      'x.go:3:2: no required module provides package github.com/a/b; to add it:',
      'Go has no package github.com/a/b.',
    ],
    [101, 'error: failed to download `serde v1.0.0`', 'Cargo says failed to download `serde v1.0.0`.'],
    [
      1,
      '[ERROR] Could not resolve dependencies for project x',
      'The build says Could not resolve dependencies for project x.',
    ],
    [
      7,
      "Could not find gem 'rspec' in locally installed gems.",
      "Bundler says Could not find gem 'rspec' in locally installed gems..",
    ],
    [255, 'PHP Fatal error: require(vendor/autoload.php): Failed to open stream', 'PHP finds no vendor/autoload.php.'],
    [127, 'bash: line 1: jest: command not found', 'There is no command jest.'],
    [127, 'sh: 1: vitest: not found', 'There is no command vitest.'],
    [
      127,
      'bash: line 1: ./node_modules/.bin/jest: No such file or directory',
      'There is no command ./node_modules/.bin/jest.',
    ],
    [126, 'bash: line 1: ./run: Permission denied', 'It may not be executed: ./run.'],
    [5, '===== no tests ran in 0.01s =====', 'The runner says ===== no tests ran in 0.01s =====.'],
    [1, 'AssertionError: 1 != 2', null],
    [1, 'grep: x: No such file or directory', null],
    [1, "ModuleNotFoundError: No module named 'shop.gone'", null],
    [1, "ModuleNotFoundError: No module named 'redis'", null],
    [1, "Error: Cannot find module './gone'", null],
    [0, 'bash: line 1: jest: command not found', null],
  ] as const) {
    t.equal(reason(exitCode, stderr), expected, stderr)
  }
})

test('a file that only bears the name of a module is no part of it', async t => {
  const paths = ['pytest.ini', 'jest.config.js', 'docs/numpy.md', 'src/prices.py', 'src/shop/x.py', 'lib/rates.mjs']
  const of = { paths, trace: '' }
  t.equal(reason(1, '/usr/bin/python3: No module named pytest', of), 'Python has no module pytest.')
  t.equal(reason(1, "ModuleNotFoundError: No module named 'numpy'", of), 'Python has no module numpy.')
  t.equal(reason(1, "Error: Cannot find package 'jest' imported from x", of), 'Node finds no package jest.')
  t.equal(reason(1, "ModuleNotFoundError: No module named 'prices'", of), null)
  t.equal(reason(1, "ModuleNotFoundError: No module named 'shop.y'", of), null)
  t.equal(reason(1, "Error: Cannot find module 'rates'", of), null)
})

test('what package managers of Node say of a program that is not there', async t => {
  const script = "Error: Cannot find module '/workspace/node_modules/jest/bin/jest.js'"
  t.equal(reason(1, script), 'Node finds no package jest.')
  t.equal(reason(1, script.replace('jest/bin', '@a/b/bin')), 'Node finds no package @a/b.')
  t.equal(reason(127, 'command not found: jest'), 'There is no command jest.')
  t.equal(reason(1, ' ERR_PNPM_NO_SCRIPT  Missing script: test'), 'package.json has no script test.')
})

test('where a test passed the tests ran, whatever was printed', async t => {
  const run = testRun(1, { a: 'passed', b: 'failed' }, { stderr: "Cannot find module 'express'" })
  t.equal(hindranceOf(run, OF), null)
  t.match(hindranceOf(testRun(1, { b: 'failed' }, { stderr: "Cannot find module 'express'" }), OF), {
    fix: /checks\.install/,
  })
})

test('every rule stands in the documentation', async t => {
  const page = readFileSync(join(import.meta.dirname, '../../../../docs/verification.md'), 'utf8')
  for (const { name } of RULES) t.ok(page.includes(`| ${name}`), name)
})

test('no output takes long', async t => {
  for (const piece of ['a', ' ', 'a: ', 'Cannot find module ', 'Could not ', "'", '/', '=', 'python']) {
    const started = performance.now()
    reason(127, piece.repeat(scaled(500_000)))
    reason(127, `${piece.repeat(400)}\n`.repeat(scaled(2_000)))
    t.ok(performance.now() - started < scaled(10_000), piece)
  }
})

test('an error says why nothing can be run where it is about the environment, or about a sandbox nobody asked for', async t => {
  const hindrance = { reason: 'It is gone.', fix: 'Make it again.' }
  for (const [code, isAsked, hinders] of [
    ['ENVIRONMENT_FAILED', true, true],
    ['ENVIRONMENT_FAILED', false, true],
    ['SANDBOX_UNAVAILABLE', false, true],
    ['SANDBOX_UNAVAILABLE', true, false],
    ['CANCELLED', false, false],
  ] as Array<[ErrorCode, boolean, boolean]>) {
    const error = new FaultlineError(code, hindrance.reason, hindrance.fix)
    const name = `${code} ${isAsked}`
    t.same(hindranceIn(error, isAsked), hinders ? hindrance : null, name)
    const missing = whyMissing(Promise.reject(error), isAsked)
    if (hinders) t.same(await missing, hindrance, name)
    else await t.rejects(missing, error, name)
  }
  const without = new FaultlineError('ENVIRONMENT_FAILED', 'It is gone.')
  t.same(hindranceIn(without, true), { reason: 'It is gone.', fix: '' })
  t.same(await whyMissing(Promise.resolve({ status: 'failed', ...hindrance }), true), hindrance)
  t.equal(await whyMissing(Promise.resolve({ status: 'none' }), true), null)
  for (const other of [new TypeError('a bug'), { code: 'ENVIRONMENT_FAILED', message: 'no error' }, null]) {
    t.equal(hindranceIn(other, false), null)
  }
})
