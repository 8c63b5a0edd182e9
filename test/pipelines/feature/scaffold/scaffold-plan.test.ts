import { test } from 'tap'
import type { FeaturePlan } from '../../../../src/contract/feature.ts'
import type { Scaffold } from '../../../../src/pipelines/feature/scaffold/scaffold-feature.ts'
import { scaffoldPlan } from '../../../../src/pipelines/feature/scaffold/scaffold-plan.ts'

const FIELDS = [{ name: 'age', type: 'integer', length: null, nullable: false }]
const PLAN = {
  entities: [{ name: 'Character', tableName: 'characters', fields: FIELDS }],
  tools: [
    { name: 'add', entity: 'Character', description: 'Adds one', inputSchema: '{ age }' },
    { name: 'report', entity: null, description: 'Reports', inputSchema: '{}' },
    { name: 'drop', entity: 'Unknown', description: 'Drops one', inputSchema: '{}' },
  ],
} as unknown as FeaturePlan

test('skeletons of entities come first, then those of tools, each over the changes before', async t => {
  const asked: Array<Parameters<Scaffold>> = []
  const { changes, made } = await scaffoldPlan(async (input, before) => {
    asked.push([input, before])
    const { toolName: name } = input
    const own = name === undefined ? 'schema.ts' : `${name}.ts`
    return {
      paths: { schema: 'schema.ts', tool: `${name}.ts`, test: `${name}.test.ts` },
      filesCreated: [own],
      filesKept: name === undefined ? [] : [`${name}.test.ts`],
      templates: ['templates/all.ejs', `templates/${name ?? 'schema'}.ejs`],
      changes: { changed: [...before.changed, own], deleted: [] },
    }
  }, PLAN)
  t.same(
    asked.map(([, before]) => before.changed),
    [[], ['schema.ts'], ['schema.ts', 'add.ts'], ['schema.ts', 'add.ts', 'report.ts']],
  )
  const tool = { generateSchema: false, generateTool: true, generateTest: true }
  t.match(
    asked.map(([input]) => input),
    [
      { featureName: 'characters', entityName: 'Character', fields: FIELDS, generateSchema: undefined },
      { featureName: 'characters', entityName: 'Character', fields: FIELDS, toolName: 'add', ...tool },
      { featureName: 'report', entityName: 'report', fields: undefined, toolName: 'report', ...tool },
      { featureName: 'drop', entityName: 'drop', fields: undefined, toolName: 'drop', ...tool },
    ],
  )
  t.same(changes.changed, ['schema.ts', 'add.ts', 'report.ts', 'drop.ts'])
  t.same(made, {
    created: ['schema.ts', 'add.ts', 'report.ts', 'drop.ts'],
    kept: ['add.test.ts', 'report.test.ts', 'drop.test.ts'],
    templates: [
      'templates/all.ejs',
      'templates/schema.ejs',
      'templates/add.ejs',
      'templates/report.ejs',
      'templates/drop.ejs',
    ],
    schemas: { Character: 'schema.ts' },
    tools: [
      { name: 'add', entity: 'Character', tool: 'add.ts', test: 'add.test.ts' },
      { name: 'report', entity: null, tool: 'report.ts', test: 'report.test.ts' },
      { name: 'drop', entity: 'Unknown', tool: 'drop.ts', test: 'drop.test.ts' },
    ],
  })
})
