import { test } from 'tap'
import type { FeatureCheck, FeaturePlan, PlannedEntity } from '../../../src/contract/feature.ts'
import type { JobContext } from '../../../src/jobs/job-context.ts'
import {
  buildFeature,
  plannedTasks,
  reworkTasks,
  scaffoldFeature,
  type BuildSkills,
  type Built,
} from '../../../src/pipelines/feature/build.ts'
import type { CodingTask } from '../../../src/pipelines/feature/plan/coding-tasks.ts'
import { createReport, type PlannedFeature } from '../../../src/pipelines/feature/report.ts'
import { NO_CHANGES, sentFiles } from '../../../src/pipelines/steps/base/base-files.ts'

const MADE: Built['made'] = { created: [], kept: [], schemas: {}, tools: [], templates: [] }
const BUILT: Built = {
  changes: NO_CHANGES,
  made: MADE,
  skeletons: [],
  migrations: [],
  whyNoMigration: null,
  takenBack: [],
}
const ENTITY = { name: 'Character', tableName: 'characters', fields: [] } as unknown as PlannedEntity
const codeTask = (path: string): CodingTask => ({
  kind: 'code',
  instruction: `Write ${path}`,
  files: [path],
  readOnlyFiles: [],
})
const MIGRATION: CodingTask = { kind: 'migration' }

/** What the skills answer, one after the other, by what they were asked. */
interface Script {
  maxRetries?: number
  entities?: PlannedEntity[]
  /** The error of each task of the coder; null for one that it does. */
  coder?: Array<string | null>
  /** The error of each round of checks; null where all pass. */
  checks?: Array<string | null>
  generate?: Array<{ success?: boolean; made?: string[]; command?: string | null; output?: string }>
  apply?: Array<{ success: boolean; command?: string | null; output?: string }>
  begin?: Partial<Built>
}

/** A feature whose skills answer what is given; `asked` is what they were asked, in order. */
function scripted({ maxRetries, entities = [], begin, ...script }: Script) {
  const asked: string[] = []
  const coderAsked: Array<{ instruction: string; lastError: string | null }> = []
  const logged: string[] = []
  const entered: string[] = []
  const audited: object[] = []
  const skeletonsSeen: string[][] = []
  const next = <T>(list: T[] | undefined, what: string): T => {
    const [entry, ...rest] = list ?? []
    if (list === undefined || entry === undefined) throw new Error(`asked once too often: ${what}`)
    list.splice(0, list.length, ...rest)
    return entry
  }
  const job = {
    step: (_name: string, work: () => unknown) => Promise.resolve(work()),
    log: (line: string) => logged.push(line),
    setResult: async () => {},
    progress: ({ step, message }: { step: string; message: string }) => entered.push(`${step}: ${message}`),
    audit: async (entry: object) => {
      audited.push(entry)
    },
    files: { read: async (path: string) => Buffer.from(`text of ${path}`) },
  } as unknown as JobContext
  const skills = {
    diagnoseRun: async () => ({ signature: null, faults: [] }),
    runCoderTask: async (
      { instruction, files }: { instruction: string; files: string[] },
      {
        changes,
        state,
        skeletons,
      }: { changes: Built['changes']; state: { lastError: string | null }; skeletons: string[] },
    ) => {
      skeletonsSeen.push(skeletons)
      asked.push(`code ${files.join()}`)
      coderAsked.push({ instruction, lastError: state.lastError })
      const error = next(script.coder, 'coder')
      if (error !== null) return { success: false, filesChanged: [], errors: [error], changes }
      const changed = [...new Set([...changes.changed, ...files])]
      return { success: true, filesChanged: files, changes: { ...changes, changed } }
    },
    applyMigration: async (
      { action }: { action: 'generate' | 'apply' | 'rollback' },
      { changes, made }: { changes: Built['changes']; made: string[] },
    ) => {
      asked.push(`${action} ${made.join()}`.trim())
      const ended = { success: true, exitCode: 0, command: action, output: '', changes, made }
      if (action === 'apply') return { ...ended, ...next(script.apply, action) }
      const changed = changes.changed.filter(path => !made.includes(path))
      if (action === 'rollback') return { ...ended, changes: { ...changes, changed }, made: [] }
      const generated = next(script.generate, action)
      const fresh = generated.made ?? []
      return { ...ended, ...generated, changes: { ...changes, changed: [...changed, ...fresh] }, made: fresh }
    },
    systemCheck: async () => {
      asked.push('check')
      const error = next(script.checks, 'checks')
      const results: FeatureCheck[] = []
      return { allPassed: error === null, results, error, failures: error ?? '' }
    },
  } as unknown as BuildSkills
  const report = createReport(job)
  const feature = {
    input: { request: 'Store characters', max_retries: maxRetries },
    at: {} as never,
    base: sentFiles(new Map(), { fill: async () => {} }),
    baseBranch: 'main',
    report,
    plan: { branchName: 'feat/x', understood: 'So it is.', entities, tools: [], files: [] } as unknown as FeaturePlan,
  } as unknown as PlannedFeature
  const run = (tasks: CodingTask[]) => buildFeature(job, skills, feature, { built: { ...BUILT, ...begin }, tasks })
  return { run, job, asked, coderAsked, logged, entered, audited, skeletonsSeen, report, feature }
}

/** Errors that have nothing in common. */
const different = (count: number): string[] =>
  Array.from({ length: count }, (_, at) => String.fromCharCode(97 + at).repeat(40))

test('a feature is tried once more than there are retries, three by default, each time with the error before', async t => {
  for (const [maxRetries, attempts, count] of [
    [undefined, 4, '4 attempts'],
    [0, 1, 'the only attempt'],
    [1, 2, '2 attempts'],
  ] as const) {
    const errors = different(attempts)
    const { run, report, coderAsked, logged } = scripted({
      maxRetries,
      coder: errors.map(() => null),
      checks: [...errors],
    })
    const last = errors.at(-1) ?? ''
    await t.rejects(run([codeTask('a.ts')]), {
      code: 'FEATURE_FAILED',
      message: `The feature did not pass in ${count}. The last error: ${last}`,
    })
    t.same(
      report.result.attempts.map(({ number, error }) => [number, error]),
      [...errors.entries()].map(([at, error]) => [at + 1, error]),
    )
    t.same(
      coderAsked.map(({ lastError }) => lastError),
      [null, ...errors.slice(0, -1)],
    )
    t.equal(logged.length, attempts - 1)
  }
})

test('a round that passes ends it, also the last one', async t => {
  const [first = ''] = different(1)
  const { run, report, coderAsked } = scripted({ maxRetries: 1, coder: [null, null], checks: [first, null] })
  const built = await run([codeTask('a.ts')])
  t.same(built.changes, { changed: ['a.ts'], deleted: [] })
  t.match(report.result.attempts, [
    { number: 1, error: first },
    { number: 2, error: null },
  ])
  t.match(coderAsked[1]?.instruction, /^Previous attempt failed with error:\na+\n\nOriginal task: Store characters\n/)
})

test('the same error twice is the end, however many retries are left; one that comes again later is not', async t => {
  const [one = '', other = ''] = different(2)
  const stuck = scripted({ maxRetries: 5, coder: [null, null, null], checks: [one, other, other] })
  await t.rejects(stuck.run([codeTask('a.ts')]), {
    message: `The coder is stuck: the same error came twice, in attempt 2 and 3. The last error: ${other}`,
  })
  const back = scripted({ maxRetries: 5, coder: [null, null, null, null], checks: [one, other, one, null] })
  t.ok(await back.run([codeTask('a.ts')]))
})

test('after a task that failed comes that task with its error, then what was left', async t => {
  const { run, asked, coderAsked, report } = scripted({ coder: [null, 'no file', null, null], checks: [null] })
  await run([codeTask('a.ts'), codeTask('b.ts'), codeTask('c.ts')])
  t.same(asked, ['code a.ts', 'code b.ts', 'code a.ts,b.ts', 'code c.ts', 'check'])
  t.match(coderAsked[2]?.instruction, /error:\nno file\n\nOriginal task: Write b\.ts\n/)
  t.match(report.result.attempts, [
    { checks: [], error: 'no file', tasks: [{ success: true }, { success: false, errors: ['no file'] }] },
    { error: null, tasks: [{ files: ['a.ts', 'b.ts'] }, { files: ['c.ts'] }] },
  ])
})

test('the task keeps its own words however often it fails', async t => {
  const { run, coderAsked } = scripted({ coder: [...different(2), null], checks: [null] })
  await run([codeTask('a.ts')])
  t.match(coderAsked[2]?.instruction, /error:\nb+\n\nOriginal task: Write a\.ts\n/)
})

test('a migration is made again in place of the one before, and of one that is there alone', async t => {
  const [error = ''] = different(1)
  const { run, asked } = scripted({
    entities: [ENTITY],
    coder: [null, null],
    generate: [{ made: ['m1.sql'] }, { made: ['m2.sql'] }],
    apply: [{ success: true }, { success: true }],
    checks: [error, null],
  })
  const built = await run([codeTask('a.ts'), MIGRATION])
  t.same(asked, [
    'code a.ts',
    'generate',
    'apply m1.sql',
    'check',
    'code a.ts',
    'rollback m1.sql',
    'generate',
    'apply m2.sql',
    'check',
  ])
  t.match(built, { migrations: ['m2.sql'], takenBack: ['m1.sql'], whyNoMigration: null })
})

test('a migration that cannot be generated or applied goes back to the coder with what was printed', async t => {
  const { run, asked, coderAsked, report } = scripted({
    entities: [ENTITY],
    coder: [null, null, null, null],
    generate: [{ success: false, output: 'no schema' }, { made: ['m.sql', 'm.json'] }, { made: ['m.sql'] }],
    apply: [{ success: false, output: 'syntax error' }, { success: true }],
    checks: [null],
  })
  await run([codeTask('a.ts'), MIGRATION, codeTask('a.test.ts')])
  t.same(asked, [
    'code a.ts',
    'generate',
    'code a.ts',
    'generate',
    'code a.test.ts',
    'apply m.sql,m.json',
    'code a.test.ts,a.ts',
    'rollback m.sql,m.json',
    'generate',
    'apply m.sql',
    'check',
  ])
  t.match(coderAsked[1]?.instruction, /The migration could not be generated:\nno schema\n/)
  t.match(
    coderAsked[3]?.instruction,
    /The migration could not be applied:\nsyntax error\n\nm\.sql:\ntext of m\.sql\n\nOriginal/,
    'what ran is shown, not what the tool remembers',
  )
  t.match(report.result.attempts, [{ checks: [] }, { checks: [{ check: 'migrate', passed: false }] }, { error: null }])
})

test('a feature with entities and without a migration says why; one without entities says nothing', async t => {
  for (const [generated, output] of [
    [{ command: null, output: 'There is no command.' }, 'There is no command.'],
    [{ output: 'Nothing new.' }, 'The feature has entities, and no migration was generated.\nNothing new.'],
  ] as const) {
    const { run, report } = scripted({ entities: [ENTITY], coder: [null], generate: [generated], checks: [null] })
    await run([codeTask('a.ts'), MIGRATION])
    t.match(report.result.attempts, [{ checks: [{ check: 'migrate', passed: null, output }] }])
  }
  const none = scripted({ coder: [null], checks: [null] })
  await none.run([codeTask('a.ts')])
  t.same(none.report.result.attempts[0]?.checks, [])
  const unknown = scripted({
    entities: [ENTITY],
    coder: [null],
    generate: [{ made: ['m.sql'] }],
    apply: [{ success: false, command: null, output: 'No database.' }],
    checks: [null],
  })
  await unknown.run([codeTask('a.ts'), MIGRATION])
  t.match(unknown.report.result.attempts, [{ checks: [{ passed: null, command: null }], error: null }])
})

test('a file that a later task is for is none of the task that mends', async t => {
  const { run, asked } = scripted({
    coder: ['no file', null, null],
    checks: [null],
    begin: { changes: { changed: ['b.ts', 'c.ts'], deleted: [] } },
  })
  await run([codeTask('a.ts'), codeTask('c.ts')])
  t.same(asked, ['code a.ts', 'code a.ts,b.ts', 'code c.ts', 'check'])
})

test('a skeleton is one until a task for it succeeds', async t => {
  const { run, skeletonsSeen } = scripted({
    coder: [null, 'no file', null, null],
    checks: [null],
    begin: { skeletons: ['a.ts', 'b.ts', 'c.ts'] },
  })
  const built = await run([codeTask('a.ts'), codeTask('b.ts'), codeTask('d.ts')])
  t.same(skeletonsSeen, [['a.ts', 'b.ts', 'c.ts'], ['b.ts', 'c.ts'], ['b.ts', 'c.ts'], ['c.ts']])
  t.same(built.skeletons, ['c.ts'])
})

test('a long error is shortened, and its first line is logged', async t => {
  const error = `total is wrong\n${'x'.repeat(30_000)}`
  const { run, coderAsked, logged } = scripted({ maxRetries: 1, coder: [null, null], checks: [error, error] })
  await t.rejects(run([codeTask('a.ts')]), { message: /total is wrong[^]{1,20000}\[… \d+ characters left out …\]/ })
  t.same(logged, ['Attempt 1 failed; the coder is told why. total is wrong'])
  t.ok((coderAsked[1]?.instruction.length ?? 0) < 21_000)
})

test('it is told where a feature stands, and which migration it has', async t => {
  const { run, entered, report } = scripted({
    entities: [ENTITY],
    coder: [null],
    generate: [{ made: ['m.sql'] }],
    apply: [{ success: true }],
    checks: [null],
  })
  await run([codeTask('a.ts'), MIGRATION])
  t.same(entered, [
    'coding: 1 of 2: a.ts',
    'coding: generating the migration',
    'verifying: applying the migration to a scratch database',
    'verifying: typecheck, lint, test',
  ])
  t.same(report.result.migrations, ['m.sql'])
})

test('skeletons are told and audited, and files that were there already are logged', async t => {
  const { job, feature, report, logged, entered, audited } = scripted({})
  Object.assign(feature.plan, { tools: [{ name: 'add', entity: null, description: '', inputSchema: '' }] })
  const changes = { changed: ['src/add.ts'], deleted: [] }
  const scaffold: BuildSkills['scaffold'] = async () => ({
    paths: { schema: '', tool: 'src/add.ts', test: 'test/add.test.ts' },
    filesCreated: ['src/add.ts'],
    filesKept: ['test/add.test.ts'],
    templates: [],
    changes,
  })
  const built = await scaffoldFeature(job, { scaffold }, feature)
  t.match(built, { changes, skeletons: ['src/add.ts'], migrations: [], made: { tools: [{ name: 'add' }] } })
  t.same(entered, ['scaffolding: making skeletons from the templates'])
  t.same(logged, ['test/add.test.ts is there already, and is not made from a template.'])
  t.same(audited, [{ action: 'feature.scaffold', target: 'src/add.ts', outcome: 'done' }])
  t.same(report.result.scaffolded, ['src/add.ts'])
})

test('what a person wants otherwise is one task over all own files, with a new migration where there are entities', async t => {
  const built = { ...BUILT, changes: { changed: ['b.ts', 'm.sql'], deleted: [] }, migrations: ['m.sql'] }
  const withEntity = scripted({ entities: [ENTITY] }).feature
  t.match(reworkTasks(withEntity, built, 'Be polite'), [
    { kind: 'code', files: ['b.ts'], instruction: /otherwise:\nBe polite\n/ },
    { kind: 'migration' },
  ])
  t.equal(reworkTasks(scripted({}).feature, built, 'Be polite').length, 1)
  t.same(plannedTasks(withEntity, BUILT), [{ kind: 'migration' }])
})
