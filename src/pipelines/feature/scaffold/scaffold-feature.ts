import type { PlannedEntity } from '../../../contract/feature.ts'
import { FaultlineError } from '../../../core/errors.ts'
import type { JobContext } from '../../../jobs/job-context.ts'
import { addChanges, currentFiles, type BaseFiles, type Changes } from '../../steps/base/base-files.ts'
import { addingTool, entityName as nameOfEntity, isIdentifier, snakeCase, tableName } from '../names.ts'
import type { FeatureRules } from '../rules.ts'
import { FIELD_NAMES, importEnding, templateView } from './template-view.ts'
import { findTemplate, renderTemplate, type TemplateKind } from './templates.ts'

/** What skeletons are made for, in the seed's words. */
export interface ScaffoldInput {
  /** As the table, `characters`. */
  featureName: string
  /** As `Character`. */
  entityName: string
  fields?: PlannedEntity['fields']
  /** Default: true. */
  generateSchema?: boolean
  generateTool?: boolean
  generateTest?: boolean
  /** Default: `add_` and the entity. */
  toolName?: string
  description?: string
  inputSchema?: string
}

/** The skeletons that were made. */
export interface ScaffoldOutput {
  filesCreated: string[]
  /** Were there already, and are left as they are. */
  filesKept: string[]
  /** Where each kind is, made or kept. */
  paths: { schema: string; tool: string; test: string }
  /** Templates of the project that they were made from. */
  templates: string[]
}

/** Makes skeletons. */
export type Scaffold = (input: ScaffoldInput, changes: Changes) => Promise<ScaffoldOutput & { changes: Changes }>

/** The project that they are made in. */
interface ScaffoldProject {
  base: BaseFiles
  rules: Pick<FeatureRules, 'templates' | 'paths'>
  /** Why a file may not be changed; null for one that may. */
  refusal: (path: string) => Promise<string | null>
}

const KINDS: readonly TemplateKind[] = ['schema', 'tool', 'test']
const SLOT = /\{(table|entity|tool)\}/g

function checkedNames({ featureName, entityName, toolName }: ScaffoldInput) {
  const entity = nameOfEntity(entityName)
  const names = {
    table: snakeCase(featureName) || tableName(entity),
    entity,
    tool: toolName === undefined ? addingTool(entity) : snakeCase(toolName),
  }
  for (const name of Object.values(names)) {
    if (!isIdentifier(name)) {
      throw new FaultlineError('PLAN_INVALID', `${JSON.stringify(name)} is no name that can stand in code.`)
    }
  }
  return names
}

/** The path of a file, with the extension of its template. */
function filled(path: string, names: Record<string, string>, extension: string): string {
  const { entity = '' } = names
  const values: Record<string, string> = { ...names, entity: snakeCase(entity) }
  const plain = path.replace(SLOT, (_whole, slot: string) => values[slot] ?? '')
  return plain.endsWith(`.${extension}`) ? plain : `${plain}.${extension}`
}

/**
 * Makes the skill `scaffold_feature`: files from templates, in a step. Nothing that is there is overwritten.
 *
 * @returns A function that throws VALIDATION_FAILED for a template that cannot be used, and OUT_OF_SCOPE where the
 * paths of the project lie outside of what features may change.
 */
export function createScaffold(job: JobContext, { base, rules, refusal }: ScaffoldProject): Scaffold {
  async function make(input: ScaffoldInput, changes: Changes): Promise<ScaffoldOutput> {
    const names = checkedNames(input)
    const wanted = { schema: input.generateSchema ?? true, tool: input.generateTool, test: input.generateTest }
    const templates = new Map(
      await Promise.all(KINDS.map(async kind => [kind, await findTemplate(base, rules.templates, kind)] as const)),
    )
    const pathOf = (kind: TemplateKind): string =>
      filled(rules.paths[kind], names, templates.get(kind)?.extension ?? '')
    const paths = { schema: pathOf('schema'), tool: pathOf('tool'), test: pathOf('test') }
    const view = templateView({
      featureName: names.table,
      entityName: names.entity,
      toolName: names.tool,
      fields: input.fields ?? [],
      hasEntity: (input.fields ?? []).length > 0,
      description: input.description ?? `Adds to ${names.table}.`,
      inputSchema: input.inputSchema ?? '',
      paths,
      ending: importEnding(await base.read('tsconfig.json')),
    })
    const there = new Set(await currentFiles(job, base, changes).paths())
    const output: ScaffoldOutput = { filesCreated: [], filesKept: [], paths, templates: [] }
    const made = new Map<string, string>()
    for (const [kind, template] of templates) {
      if (wanted[kind] !== true) continue
      if (template.isOwn) output.templates.push(template.name)
      const path = paths[kind]
      if (there.has(path)) {
        output.filesKept.push(path)
        continue
      }
      const why = await refusal(path)
      if (why !== null) throw new FaultlineError('OUT_OF_SCOPE', why, 'Set features.paths to paths that are allowed.')
      made.set(path, renderTemplate(template, view, FIELD_NAMES))
      output.filesCreated.push(path)
    }
    await job.files.put(made)
    return output
  }

  return async (input, changes) => {
    const output = await job.step('scaffold', () => make(input, changes))
    return { ...output, changes: addChanges(changes, { changed: output.filesCreated, deleted: [] }) }
  }
}
