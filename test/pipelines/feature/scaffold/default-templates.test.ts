import { test } from 'tap'
import fc from 'fast-check'
import type { JobContext } from '../../../../src/jobs/job-context.ts'
import { readPlan } from '../../../../src/pipelines/feature/plan/plan-answer.ts'
import { featureRules } from '../../../../src/pipelines/feature/rules.ts'
import { createScaffold } from '../../../../src/pipelines/feature/scaffold/scaffold-feature.ts'
import { scaffoldPlan } from '../../../../src/pipelines/feature/scaffold/scaffold-plan.ts'
import { sentFiles } from '../../../../src/pipelines/steps/base/base-files.ts'
import { compileErrors } from '../../../helpers/compile-typescript.ts'
import { runs } from '../../../helpers/property-runs.ts'

const free = async (): Promise<null> => null
const LIMITS = { branchPrefix: 'feat/', request: 'x', refusal: free }
const TYPES = ['varchar', 'text', 'integer', 'real', 'boolean', 'timestamp', 'json', 'uuid', 'blob']

interface Answer {
  entities?: object[]
  tools?: object[]
}

const field = (name: string, type = 'text', more: object = {}) => ({ name, type, ...more })
const tool = (name: string, more: object = {}) => ({ name, description: 'Does it.', inputSchema: '{}', ...more })

/** What is made of an answer of the planner over a project's files. */
async function scaffolded(answer: Answer, project: Record<string, string> = {}) {
  const read = await readPlan({ understood: 'x', branchName: 'x', steps: [], ...answer }, LIMITS)
  if (!('plan' in read)) return { problems: read.problems.join(' '), files: new Map<string, string>(), made: null }
  const files = new Map<string, string>()
  const job = {
    step: (_name: string, run: () => Promise<unknown>) => run(),
    files: {
      put: async (texts: ReadonlyMap<string, string>) => texts.forEach((text, path) => files.set(path, text)),
      read: async (path: string) => Buffer.from(files.get(path) ?? ''),
    },
  } as unknown as JobContext
  const base = sentFiles(new Map(Object.entries(project)), { fill: async () => {} })
  const { made } = await scaffoldPlan(createScaffold(job, { base, rules: featureRules([]), refusal: free }), read.plan)
  return { problems: '', files, made }
}

/** What a compiler says of it; what the plan is refused for. */
async function whatIsWrong(answer: Answer): Promise<string[]> {
  const { problems, files } = await scaffolded(answer)
  return problems === '' ? compileErrors(files) : [`refused: ${problems}`]
}

test('the default templates compile for names of any number, and every type of field', async t => {
  const names = ['character', 'people', 'person', 'status', 'series', 'news', 'child', 'children', 'data', 'datum']
  const more = ['order_item', 'OrderItems', 'analysis', 'sheep', 'bus', 'API key', 'box', 'Category', 'mouse', 'a']
  for (const name of [...names, ...more]) {
    const fields = TYPES.flatMap(type => [
      field(`${type}_one`, type, { length: type === 'varchar' ? 200 : null }),
      field(`${type}Two`, type, { nullable: true }),
    ])
    t.same(await whatIsWrong({ entities: [{ name, fields }], tools: [tool(`add_${name}`)] }), [], name)
  }
})

test('names that mean something in TypeScript, in Drizzle or in the templates do no harm', async t => {
  const fields = ['class', 'default', 'constructor', 'prototype', 'id', 'ID', 'createdAt', 'created_at', 'db', 'input']
  for (const name of fields) {
    const entity = { name: 'Thing', fields: [field(name, 'integer'), field('other')] }
    t.same(await whatIsWrong({ entities: [entity], tools: [tool('add_thing')] }), [], `field ${name}`)
  }
  const words = [
    'class',
    'new',
    'delete',
    'import',
    'enum',
    'await',
    'let',
    'static',
    'text',
    'integer',
    'blob',
    'real',
  ]
  const others = ['sqlite_table', 'db', 'input', 'test', 'assert', 'undefined', 'arguments', 'eval', 'Error', 'Promise']
  for (const name of [...words, ...others, 'BaseSQLiteDatabase', 'Date', 'Buffer', 'void', 'string', 'unknown']) {
    const [entities, plain] = [[{ name, tableName: name, fields: [field('x', 'timestamp'), field('y', 'blob')] }], []]
    t.same(await whatIsWrong({ entities, tools: [tool('add_it')] }), [], `entity ${name}`)
    t.same(await whatIsWrong({ entities: plain, tools: [tool(name)] }), [], `tool ${name}`)
    const thing = [{ name: 'Thing', tableName: 'things', fields: [field('x')] }]
    t.same(await whatIsWrong({ entities: thing, tools: [tool(name)] }), [], `tool ${name} of an entity`)
  }
  const same = { entities: [{ name: 'Thing', tableName: 'things', fields: [field('x')] }], tools: [tool('things')] }
  t.same(await whatIsWrong(same), [], 'a tool that is called as its table')
})

test('names that cannot stand in code are refused, each in a sentence', async t => {
  for (const name of [
    '__proto__',
    "a'b",
    'a"b',
    'a`b',
    'größe',
    '名前',
    'a}b',
    'a{{b}}',
    '',
    '1a',
    '$',
    'a\nb',
    'a-b;c',
  ]) {
    const { problems } = await scaffolded({ entities: [{ name: 'Thing', fields: [field(name)] }] })
    t.match(problems, /In "Thing" the field .* is no name that can stand in code/, JSON.stringify(name))
  }
  for (const [one, other] of [
    ['firstName', 'first_name'],
    ['a_', 'a'],
    ['Name', 'name'],
  ] as const) {
    const { problems } = await scaffolded({ entities: [{ name: 'Thing', fields: [field(one), field(other)] }] })
    t.match(problems, /comes twice/, `${one} and ${other} are one in code`)
  }
})

test('words of a plan stand in the files as they are, and end no comment', async t => {
  const description = 'Adds <b>"it"</b> & \'more\' */ process.exit() /* {{tableName}} `{x}` \u2028 end'
  const entities = [{ name: 'Thing', fields: [field('x', 'json')] }]
  const { files } = await scaffolded({ entities, tools: [tool('add_thing', { description })] })
  t.same(compileErrors(files), [])
  const text = files.get('src/dynamic/tools/add_thing.ts') ?? ''
  t.match(text, 'Adds <b>"it"</b> & \'more\' * / process.exit() /* {{tableName}}')
  t.notMatch([...files.values()].join('\n'), /&(?:amp|lt|gt|quot|#)/)
})

test('nothing is overwritten: what is there is kept, and two of one place are made once', async t => {
  const schema = 'src/dynamic/schema/things.ts'
  const entities = [{ name: 'Thing', fields: [field('x')] }]
  const { files, made } = await scaffolded({ entities, tools: [tool('add_thing')] }, { [schema]: '// mine\n' })
  t.same(made?.kept, [schema])
  t.same([...files.keys()], ['src/dynamic/tools/add_thing.ts', 'tests/dynamic/add_thing.test.ts'])
})

test('whatever a planner calls its things, what is made of it compiles', async t => {
  const name = fc.oneof(
    fc.stringMatching(/^[a-zA-Z][a-zA-Z0-9_]{0,12}$/),
    fc.constantFrom('id', 'class', 'text', 'news', 'people', 'createdAt', 'input', 'db', 'Date', 'typeof', 'Promise'),
  )
  const answers = fc.record({
    entities: fc.array(
      fc.record({
        name,
        fields: fc.array(fc.record({ name, type: fc.constantFrom(...TYPES), nullable: fc.boolean() }), {
          minLength: 1,
          maxLength: 6,
        }),
      }),
      { maxLength: 3 },
    ),
    tools: fc.array(fc.record({ name, description: fc.string(), inputSchema: fc.string() }), { maxLength: 3 }),
  })
  await fc.assert(
    fc.asyncProperty(answers, async answer => {
      const { files } = await scaffolded(answer)
      const errors = compileErrors(files)
      if (errors.length > 0) throw new Error(`${errors.join('\n')}\n${[...files].flat().join('\n')}`)
    }),
    { numRuns: runs(60) },
  )
  t.pass()
})
