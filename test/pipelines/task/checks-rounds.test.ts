import { test } from 'tap'
import type { Guard } from '../../../src/contract/guards.ts'
import { FaultlineError } from '../../../src/core/errors.ts'
import type { HidingTest } from '../../../src/guards/hiding-tests.ts'
import type { JobContext } from '../../../src/jobs/job-context.ts'
import { sentFiles, type Changes } from '../../../src/pipelines/steps/base/base-files.ts'
import type { EnvironmentState } from '../../../src/pipelines/steps/environment.ts'
import type { Attempt } from '../../../src/pipelines/steps/verify/attempt.ts'
import { createTaskChecks } from '../../../src/pipelines/task/checks.ts'
import { lookAtChange, undoesAnything, withoutOwnHelp } from '../../../src/pipelines/task/checks-strict.ts'
import { testRun } from '../steps/verify/test-runs.ts'

const CHANGES: Changes = { changed: ['a.js'], deleted: [] }
const GREEN = testRun(0, { total: 'passed' })
const RED = testRun(1, { total: 'failed' })
const CLEAN = testRun(0)
const DIRTY = testRun(1, undefined, { stdout: 'a.js:1 no-unused-vars' })

interface World {
  commands?: Record<string, string>
  /** How the runs end, by their steps. */
  runs?: Record<string, Attempt[]>
  environment?: () => Promise<EnvironmentState>
  guards?: Guard[]
  hiding?: HidingTest[]
  /** The files of the commit, and those of the job. */
  files?: Record<string, string>
  own?: Record<string, string>
}

function worldOf({ commands = {}, runs = {}, guards = [], hiding = [], files = {}, own = {}, ...rest }: World) {
  const { environment = async () => ({ status: 'none' }) } = rest
  const steps: string[] = []
  const filled: Array<Map<string, unknown>> = []
  const job = {
    log: () => {},
    files: { read: async (path: string) => Buffer.from(own[path] ?? '') },
    step: async (name: string, work: () => Promise<unknown>) => {
      steps.push(name)
      if (!/^(?:baseline|check)\.(?:lint|test|typecheck)/.test(name)) return work()
      const run = runs[name]?.shift()
      if (run === undefined) throw new Error(`one run too many: ${name}`)
      return run
    },
  } as unknown as JobContext
  const fill = async (_dir: string, texts: Map<string, unknown>) => {
    filled.push(texts)
  }
  const base = sentFiles(new Map(Object.entries(files)), { fill: fill as never })
  const deps = {
    checksOf: async () => commands,
    needEnvironment: environment,
    findGuards: () => guards,
    hidingTests: () => hiding,
    withoutSuppressions: (text: string, lines: readonly number[]) => `${text} without ${lines.join()}`,
    sandbox: { fill },
  } as never
  const checks = createTaskChecks(job, deps, { base: base as never, at: {} as never })
  return { ...checks, job, deps, base, steps, filled }
}

const BOTH = { lint: 'eslint .', test: 'npm test' }

test('the environment is asked for once, and only where there is a command to run', async t => {
  const without = worldOf({})
  t.match((await without.baseline()).checks, [
    { name: 'lint', checking: null, hindrance: /no command that lints/ },
    { name: 'test', checking: null, hindrance: /no command that tests/ },
  ])
  t.same(without.steps, ['check.plan'])
  const one = worldOf({ commands: { test: 'npm test' }, runs: { 'baseline.test': [GREEN] } })
  t.match((await one.baseline()).checks, [{ before: null }, { before: { state: 'passed' }, hindrance: null }])
  t.same(one.steps, ['check.plan', 'environment', 'baseline.test'])
  const both = worldOf({ commands: BOTH, runs: { 'baseline.lint': [DIRTY], 'baseline.test': [RED, RED] } })
  t.match((await both.baseline()).checks, [
    { name: 'lint', before: { state: 'failed' } },
    { name: 'test', before: { state: 'failed', failed: ['total'] } },
  ])
  t.same(both.steps, ['check.plan', 'environment', 'baseline.lint', 'baseline.test', 'baseline.test'])
})

test('where the environment is missing nothing is run, before a change and after it', async t => {
  const failed = async () => ({ status: 'failed' as const, reason: 'npm ci failed.', fix: 'Look at it.' })
  const unavailable = async () => {
    throw new FaultlineError('SANDBOX_UNAVAILABLE', 'There is no sandbox.')
  }
  for (const [environment, hindrance] of [
    [failed, 'npm ci failed. Look at it.'],
    [unavailable, /^There is no sandbox\./],
  ] as const) {
    const world = worldOf({ commands: BOTH, environment })
    const baseline = await world.baseline()
    t.match(baseline.checks, [
      { checking: null, hindrance },
      { checking: null, hindrance },
    ])
    const { tests, rejection, durationMs } = await world.after(CHANGES, baseline)
    t.match(tests, { passed: null, checks: [{ status: 'skipped', reason: hindrance }, { status: 'skipped' }] })
    t.same([rejection, durationMs], [null, 0])
  }
})

test('all checks have to pass, each in its own words', async t => {
  const world = () =>
    worldOf({
      commands: BOTH,
      runs: { 'baseline.lint': [CLEAN], 'baseline.test': [GREEN], 'check.lint': [DIRTY], 'check.test': [GREEN] },
    })
  const red = world()
  const { tests, rejection, printed, durationMs, failures } = await red.after(CHANGES, await red.baseline())
  t.match(tests, {
    passed: false,
    lintOutput: 'a.js:1 no-unused-vars',
    testOutput: '',
    checks: [
      { name: 'lint', status: 'failed', exitCode: 1, before: 0 },
      { name: 'test', status: 'passed', exitCode: 0, before: 0 },
    ],
  })
  t.match(rejection, /eslint \.[^]*lint failed \(exit code 1\)[^]*no-unused-vars/)
  t.equal(failures, 'lint\na.js:1 no-unused-vars')
  t.same(printed, { lint: 'a.js:1 no-unused-vars', test: '' })
  t.equal(durationMs, 2)
  const only = worldOf({ commands: { test: 'npm test' }, runs: { 'baseline.test': [RED, RED], 'check.test': [GREEN] } })
  const { tests: green } = await only.after(CHANGES, await only.baseline())
  t.match(green, { passed: true, summary: 'All checks passed', checks: [{ status: 'skipped' }, { status: 'passed' }] })
})

test('a check that passes is run once more without what the change does to it', async t => {
  const changes = { changed: ['a.js', 'eslint.config.js'], deleted: [] }
  const runs = () => ({ 'baseline.lint': [CLEAN], 'check.lint': [CLEAN], 'check.lint.strict': [DIRTY] })
  const strict = worldOf({ commands: { lint: 'eslint .' }, runs: runs() })
  const { tests, rejection, durationMs } = await strict.after(changes, await strict.baseline())
  t.match(tests.checks, [
    { status: 'failed', reason: /^It passes only with what the change does to the check itself\./ },
    {},
  ])
  t.match(rejection, /- eslint\.config\.js configures the check and was changed\./)
  t.equal(durationMs, 2)
  const same = worldOf({ commands: { lint: 'eslint .' }, runs: { ...runs(), 'check.lint.strict': [CLEAN] } })
  t.match((await same.after(changes, await same.baseline())).tests, { passed: true })
  const plain = worldOf({ commands: { lint: 'eslint .' }, runs: runs() })
  t.match((await plain.after(CHANGES, await plain.baseline())).tests, { passed: true })
  t.notOk(plain.steps.includes('check.lint.strict'))
})

test('what could not begin before a change may begin with it, and what began has to begin again', async t => {
  const gone = testRun(127, undefined, { stderr: 'bash: npm: command not found' })
  const said = async (before: Attempt[], after: Attempt[]) => {
    const world = worldOf({ commands: { test: 'npm test' }, runs: { 'baseline.test': before, 'check.test': after } })
    const { tests } = await world.after(CHANGES, await world.baseline())
    const { status, reason } = tests.checks[1] ?? {}
    return `${status} ${reason}`
  }
  t.equal(await said([gone], [GREEN]), 'passed null')
  t.match(await said([gone], [gone]), /^skipped There is no command npm\./)
  t.equal(await said([gone], [RED]), 'failed Tests run for the first time, and fail.')
  t.match(
    await said([gone], [testRun(1)]),
    /^failed_before Without the change it could not be run: There is no command/,
  )
  t.equal(await said([GREEN], [gone]), 'failed It does not begin any more. There is no command npm.')
})

const guard = (path: string, line: number, kind: Guard['kind'] = 'suppressed_check'): Guard => ({
  path,
  line,
  kind,
  detail: 'So.',
})
const look = (world: World, changes: Changes, more: Partial<Parameters<typeof lookAtChange>[2]> = {}) => {
  const { job, deps, base } = worldOf(world)
  return lookAtChange(job, deps, { base, changes, commands: BOTH, isAllowed: () => false, ...more })
}

test('files that configure a check count for that check, unless the request names them', async t => {
  const changes = { changed: ['a.js', 'eslint.config.js', 'jest.config.js'], deleted: ['tsconfig.json'] }
  const looked = await look({}, changes)
  t.same(looked.lint.paths, ['eslint.config.js'])
  t.same(looked.lint.why, ['eslint.config.js configures the check and was changed.'])
  t.same(looked.test.paths, ['jest.config.js'])
  t.same(looked.typecheck.paths, ['tsconfig.json'])
  const allowed = await look({}, changes, { isAllowed: path => path === 'eslint.config.js' })
  t.same([allowed.lint.paths, allowed.test.paths], [[], ['jest.config.js']])
  t.equal(undoesAnything(allowed.lint), false)
  t.equal(undoesAnything(allowed.test), true)
})

test('comments that silence count for linters and type checkers, tests that hide for tests', async t => {
  const hiding = [{ guard: guard('t.test.js', 3, 'skipped_test'), paths: ['t.test.js', 'old.test.js'] }]
  const guards = [guard('a.js', 1), guard('a.js', 9), guard('t.test.js', 3, 'skipped_test')]
  const looked = await look({ guards, hiding }, { changed: ['a.js', 'b.js'], deleted: [] })
  for (const check of ['lint', 'typecheck'] as const) {
    t.same(looked[check], {
      paths: [],
      silenced: [{ path: 'a.js', lines: [1, 9] }],
      hasScripts: false,
      why: ['a.js:1: So.', 'a.js:9: So.'],
    })
  }
  t.same(looked.test, {
    paths: ['t.test.js', 'old.test.js'],
    silenced: [],
    hasScripts: false,
    why: ['t.test.js:3: So.'],
  })
  const many = Array.from({ length: 30 }, (_, at) => ({ ...guard('a.js', at + 1), detail: 'x'.repeat(400) }))
  const { lint } = await look({ guards: many }, CHANGES)
  t.same([lint.why.length, lint.why[0]?.length, lint.silenced[0]?.lines.length], [20, 300, 30])
})

test('fewer tests are expected where tests were changed or deleted, not for a conftest.py', async t => {
  const mayLose = async (changes: Changes, guards: Guard[] = []) => (await look({ guards }, changes)).mayLoseTests
  t.equal(await mayLose(CHANGES), false)
  t.equal(await mayLose({ changed: [], deleted: ['a.js'] }), true)
  t.equal(await mayLose({ changed: ['test/a.test.js'], deleted: [] }), true)
  t.equal(await mayLose({ changed: ['tests/conftest.py'], deleted: [] }), false)
  t.equal(await mayLose(CHANGES, [guard('a.js', 1, 'deleted_test')]), true)
  t.equal(await mayLose(CHANGES, [guard('a.js', 1, 'skipped_test')]), false)
})

const manifest = (unit: string) => JSON.stringify({ scripts: { test: unit } })

test('scripts that a command runs are put back, where the request does not name package.json', async t => {
  const files = { 'package.json': manifest('node --test') }
  const own = { 'package.json': manifest('true') }
  const changes = { changed: ['package.json'], deleted: [] }
  const looked = await look({ files, own }, changes)
  t.match(looked.test, { hasScripts: true, why: ['package.json: what npm test runs was changed.'] })
  t.equal(looked.lint.hasScripts, false, 'eslint is run by no script')
  const allowed = await look({ files, own }, changes, { isAllowed: path => path === 'package.json' })
  t.equal(allowed.test.hasScripts, false)
  t.equal((await look({ files, own }, changes, { commands: {} })).test.hasScripts, false)
  t.equal((await look({ own }, changes)).test.hasScripts, false, 'a new file')
})

test('a change without what it does to a check is the rest of it over a base with some other texts', async t => {
  const files = { 'package.json': manifest('node --test'), 'eslint.config.js': 'strict', 'a.js': 'a', 'b.js': 'b' }
  const own = { 'package.json': manifest('true'), 'a.js': 'own a', 'b.js': 'own b', 'eslint.config.js': 'lax' }
  const { job, deps, base, filled } = worldOf({ files, own })
  const changes = { changed: Object.keys(files), deleted: [] }
  const undoing = {
    paths: ['eslint.config.js'],
    silenced: [
      { path: 'a.js', lines: [1, 9] },
      { path: 'eslint.config.js', lines: [2] },
    ],
    hasScripts: true,
    why: [],
  }
  const rest = withoutOwnHelp(job, deps, { base, changes, command: 'npm test', undoing })
  t.same(rest.changes, { changed: ['b.js'], deleted: [] })
  t.equal(await rest.base.read('a.js'), 'own a without 1,9')
  t.match(await rest.base.read('package.json'), /node --test/)
  t.equal(await rest.base.read('eslint.config.js'), 'strict')
  await rest.base.place('dir', new Set(['b.js']))
  t.same(
    filled.map(texts => [...texts.keys()].sort()),
    [['eslint.config.js'], ['a.js', 'package.json']],
  )
  t.same([...(await rest.base.paths())].sort(), ['a.js', 'b.js', 'eslint.config.js', 'package.json'])
  const plain = withoutOwnHelp(job, deps, {
    base,
    changes,
    command: 'npm test',
    undoing: { ...undoing, hasScripts: false },
  })
  t.equal(await plain.base.read('package.json'), files['package.json'])
  t.same(plain.changes.changed, ['package.json', 'b.js'])
})
