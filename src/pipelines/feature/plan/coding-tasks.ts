import type { FeaturePlan, PlannedEntity } from '../../../contract/feature.ts'
import type { MadeFiles } from '../scaffold/scaffold-plan.ts'

/** One thing to be done: by the coder, or by the command that generates migrations. */
export type CodingTask =
  | {
      kind: 'code'
      instruction: string
      /** What it was before the errors of earlier attempts came to it. */
      original?: string
      files: string[]
      readOnlyFiles: string[]
      /** Whether they may be right as they are; default: false. */
      mayStay?: boolean
    }
  | { kind: 'migration' }

type Made = Pick<MadeFiles, 'created' | 'schemas' | 'tools' | 'templates'>

function fieldText({ name, type, length, nullable }: PlannedEntity['fields'][number]): string {
  return `${name} (${type}${length === null ? '' : `, up to ${length}`}${nullable ? ', may be missing' : ''})`
}

const templatesOf = ({ templates }: Made, kind: string): string[] =>
  templates.filter(path => path.includes(`/${kind}.`))

/**
 * What the coder does for a plan, in the seed's order: the schema of each entity, each tool, further files, the
 * migration, then the test of each tool.
 */
export function codingTasks(
  { understood, entities, tools, files }: Pick<FeaturePlan, 'understood' | 'entities' | 'tools' | 'files'>,
  made: Made,
): CodingTask[] {
  const schemas = Object.values(made.schemas)
  const toolNamed = (name: string) => made.tools.find(one => one.name === name)
  const schemaOf = (entity: string | null): string[] => {
    const schema = entity === null ? undefined : made.schemas[entity]
    return schema === undefined ? [] : [schema]
  }
  return [
    ...entities.flatMap(({ name, tableName, fields }): CodingTask[] => {
      const [path] = schemaOf(name)
      if (path === undefined) return []
      const templates = templatesOf(made, 'schema')
      const mayStay = templates.length === 0 && made.created.includes(path) // our own template fills in all fields
      const instruction =
        `${understood}\n\nComplete ${path}: the entity ${name} in the table ${tableName} with the fields ` +
        `${fields.map(fieldText).join(', ')}. Keep what the template has, and the names that it exports.` +
        (mayStay ? ' Where nothing is missing, say so and write no file.' : '')
      return [{ kind: 'code', instruction, files: [path], readOnlyFiles: templates, mayStay }]
    }),
    ...tools.flatMap(({ name, description, inputSchema, entity }): CodingTask[] => {
      const at = toolNamed(name)
      if (at === undefined) return []
      const instruction =
        `${understood}\n\nImplement the tool ${name} in ${at.tool}: ${description}. Input: ${inputSchema}. Check the ` +
        'input, and refuse what cannot be stored with an error that names the field.'
      return [{ kind: 'code', instruction, files: [at.tool], readOnlyFiles: schemaOf(entity) }]
    }),
    ...files.map(({ path, purpose }): CodingTask => {
      const instruction = `${understood}\n\nMake or change ${path}: ${purpose}`
      return {
        kind: 'code',
        instruction,
        files: [path],
        readOnlyFiles: [...schemas, ...made.tools.map(one => one.tool)],
      }
    }),
    ...(entities.length === 0 ? [] : [{ kind: 'migration' } as const]),
    ...tools.flatMap(({ name, entity }): CodingTask[] => {
      const at = toolNamed(name)
      if (at === undefined) return []
      const instruction =
        `${understood}\n\nWrite the tests of ${name} in ${at.test}: what it does with good input, and that it ` +
        'refuses bad input. Run against a real database where the project has one for tests; leave no TODO.'
      return [{ kind: 'code', instruction, files: [at.test], readOnlyFiles: [at.tool, ...schemaOf(entity)] }]
    }),
  ]
}
