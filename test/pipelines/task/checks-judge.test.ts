import { test } from 'tap'
import { settle, type Settled } from '../../../src/pipelines/steps/verify/settle.ts'
import type { TestRun } from '../../../src/pipelines/steps/verify/test-run.ts'
import { judge } from '../../../src/pipelines/task/checks-judge.ts'
import { testRun } from '../steps/verify/test-runs.ts'

function settled(...runs: TestRun[]): Settled {
  const ended = settle(runs)
  if (ended === null) throw new Error('that is not settled')
  return ended
}
const red = (run: TestRun) => settled(run, run)
const said = (before: Settled, after: TestRun[], mayLoseTests = true) => {
  const { status, reason, broken } = judge({ before, after }, { mayLoseTests })
  return [status, reason, ...broken]
}
const GREEN = settled(testRun(0))

test('exit codes decide where there is no report', async t => {
  t.same(said(GREEN, [testRun(0)]), ['passed', null])
  t.same(said(GREEN, [testRun(1), testRun(1)]), ['failed', 'Without the change it passed.'])
  t.same(said(GREEN, [testRun(1), testRun(0)]), ['passed', 'It passed when it was tried once more.'])
  t.same(said(red(testRun(1)), [testRun(0)]), ['passed', null])
  t.match(said(red(testRun(1)), [testRun(2)]), ['failed_before', /nothing tells/])
  t.match(said(settled(testRun(1), testRun(0), testRun(1)), [testRun(1)]), ['failed_before', /now and then/])
})

test('reports tell what is new in a failure', async t => {
  const before = red(testRun(1, { a: 'failed', b: 'passed', c: 'skipped' }))
  t.same(said(before, [testRun(1, { a: 'failed', b: 'passed' })]), [
    'failed_before',
    'What fails failed without the change, too.',
  ])
  t.same(said(before, [testRun(1, { a: 'passed', b: 'failed' })]), [
    'failed',
    '1 test passed without the change, and not with it.',
    'b',
  ])
  t.same(said(before, [testRun(1, { a: 'failed', b: 'passed', d: 'failed' })]), ['failed', 'What fails is new: d.'])
  t.match(said(before, [testRun(1, { d: 'failed', b: 'passed' })]), ['failed_before'], 'a by another name')
  t.match(said(before, [testRun(1, { a: 'failed', b: 'passed', c: 'failed' })]), ['failed', 'What fails is new: c.'])
  t.match(
    said(settled(testRun(1, { a: 'failed', b: 'passed' }), testRun(0, { a: 'passed', b: 'passed' }), testRun(0)), [
      testRun(1, { a: 'failed', b: 'passed' }),
    ]),
    ['failed_before', /now and then/],
  )
})

test('tests that do not run are missed, but where tests may go', async t => {
  const before = settled(testRun(0, { a: 'passed', b: 'passed' }))
  const less = '1 test ran, without the change 2: b did not.'
  t.same(said(before, [testRun(0, { a: 'passed' })], false), ['failed', `${less} Tests that do not run show nothing.`])
  t.same(said(before, [testRun(0, { a: 'passed' })]), ['passed', less])
  t.match(said(before, [testRun(0, {})]), ['failed', /^0 tests ran/])
  t.match(said(before, [testRun(1), testRun(0, { a: 'passed', b: 'passed' })]), ['passed', /once more/])
  t.match(said(before, [testRun(0)]), ['failed', /^0 tests ran, without the change 2: a, b did not/])
  t.match(said(before, [testRun(0, { a: 'passed', b: 'skipped' })], false), [
    'failed',
    '1 test ran, without the change 2. Tests that do not run show nothing.',
  ])
  t.match(said(red(testRun(1, { a: 'failed', b: 'passed' })), [testRun(1)]), ['failed', /^0 tests ran/])
})

test('a limit rejects where the change met it first', async t => {
  const killed = (killedBy: 'time' | 'memory'): TestRun => {
    const { run, report } = testRun(null)
    return { run: { ...run, killedBy }, report }
  }
  t.match(said(GREEN, [killed('time')]), ['failed', 'It was ended for its time; without the change it was not.'])
  t.match(said(red(killed('time')), [killed('time')]), ['failed_before', /ended for its time, as without/])
  t.match(said(red(killed('time')), [killed('memory')]), ['failed'])
  t.match(said(red(testRun(1)), [killed('time')]), ['failed'])
})

test('what linters count is compared', async t => {
  const counts: Array<[string, string]> = [
    ['✖ 3 problems (1 error, 2 warnings)', '✖ 3 problems (2 errors, 1 warning)'],
    ['Found 1 error.', 'Found 2 errors.'],
    ['Found 1 error in 1 file (checked 2 source files)', 'Found 2 errors in 1 file (checked 2 source files)'],
    ['5 files inspected, 1 offense detected', '5 files inspected, 2 offenses detected'],
    ['1 issues:', '2 issues:'],
  ]
  for (const [one, two] of counts) {
    const runs = [one, two].map(stdout => testRun(1, undefined, { stdout: `x\n${stdout}\n` }))
    const [few = testRun(1), many = testRun(1)] = runs
    t.same(said(red(few), [many]), ['failed', 'It finds 2 problems; without the change 1.'], two)
    t.match(said(red(many), [few]), ['failed_before', 'What fails failed without the change, too.'], one)
  }
  const other = testRun(1, undefined, { stdout: 'Found 9 errors.\n' })
  t.match(said(red(testRun(1)), [other]), ['failed_before', /nothing tells/], 'a count of one of them says nothing')
})
