import type { FeaturePlan } from '../../../contract/feature.ts'
import { NO_CHANGES, type Changes } from '../../steps/base/base-files.ts'
import type { Scaffold, ScaffoldOutput } from './scaffold-feature.ts'

/** Where the parts of a plan are. */
export interface MadeFiles {
  created: string[]
  /** Were there already. */
  kept: string[]
  /** Templates of the project that were used. */
  templates: string[]
  /** Path of the schema, by entity. */
  schemas: Record<string, string>
  tools: Array<{ name: string; entity: string | null; tool: string; test: string }>
}

/** Makes skeletons of all entities and tools of a plan. */
export async function scaffoldPlan(
  scaffold: Scaffold,
  { entities, tools }: FeaturePlan,
): Promise<{ changes: Changes; made: MadeFiles }> {
  const made: MadeFiles = { created: [], kept: [], templates: [], schemas: {}, tools: [] }
  let changes = NO_CHANGES
  function keep(output: ScaffoldOutput & { changes: Changes }): ScaffoldOutput['paths'] {
    changes = output.changes
    made.created.push(...output.filesCreated)
    made.kept.push(...output.filesKept)
    made.templates = [...new Set([...made.templates, ...output.templates])]
    return output.paths
  }
  for (const { name, tableName, fields } of entities) {
    const paths = keep(await scaffold({ featureName: tableName, entityName: name, fields }, changes))
    made.schemas[name] = paths.schema
  }
  for (const { name, entity, description, inputSchema } of tools) {
    const of = entities.find(one => one.name === entity)
    const input = {
      featureName: of?.tableName ?? name,
      entityName: of?.name ?? name,
      fields: of?.fields,
      generateSchema: false,
      generateTool: true,
      generateTest: true,
      toolName: name,
      description,
      inputSchema,
    }
    const { tool, test } = keep(await scaffold(input, changes))
    made.tools.push({ name, entity, tool, test })
  }
  return { changes, made }
}
