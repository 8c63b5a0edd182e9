import type { FeaturePlan, PlannedEntity, PlannedTool } from '../../../contract/feature.ts'
import { isObject } from '../../../core/is-object.ts'
import { safePath } from '../../../core/safe-path.ts'
import { Type } from '../../../core/type.ts'
import { showLine } from '../../../core/visible-text.ts'
import { branchName } from '../branch-names.ts'
import { entityName, functionName, isIdentifier, snakeCase, tableName } from '../names.ts'

/** What the planner answers, as the model server is told: the names are the seed's. */
export const PLAN_JSON = {
  name: 'plan',
  schema: Type.Object({
    understood: Type.String(),
    entities: Type.Array(
      Type.Object({
        name: Type.String(),
        tableName: Type.String(),
        fields: Type.Array(
          Type.Object({
            name: Type.String(),
            type: Type.String(),
            length: Type.Optional(Type.Union([Type.Integer(), Type.Null()])),
            nullable: Type.Optional(Type.Boolean()),
          }),
        ),
      }),
    ),
    tools: Type.Array(
      Type.Object({
        name: Type.String(),
        description: Type.String(),
        inputSchema: Type.String(),
        entity: Type.Optional(Type.Union([Type.String(), Type.Null()])),
      }),
    ),
    files: Type.Optional(Type.Array(Type.Object({ path: Type.String(), purpose: Type.String() }))),
    branchName: Type.String(),
    steps: Type.Array(Type.String()),
  }),
}

/** What a plan is held to beside its form. */
interface PlanLimits {
  branchPrefix: string
  /** What the person asked for: names the branch where the plan does not. */
  request: string
  /** Why a file may not be changed; null for one that may. */
  refusal: (path: string) => Promise<string | null>
}

/** A plan, or what is wrong with it, each in a sentence for the model. */
export type ReadPlan =
  | { plan: FeaturePlan }
  | {
      problems: string[]
      /** Files that may not be changed, with the reasons. */
      outOfScope: string[]
    }

type Fields = Record<string, unknown>
type Field = PlannedEntity['fields'][number]

const MOST = { entities: 20, fields: 50, tools: 20, files: 50, steps: 50 }
const MAX_TEXT_CHARS = 2_000
const MAX_LENGTH = 65_535

/** By what models call them. */
const TYPES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    varchar: ['string', 'str', 'char', 'character varying', 'varchar'],
    text: ['text', 'longtext', 'clob'],
    integer: ['integer', 'int', 'number', 'bigint', 'smallint', 'long', 'serial'],
    real: ['real', 'float', 'double', 'decimal', 'numeric'],
    boolean: ['boolean', 'bool'],
    timestamp: ['timestamp', 'datetime', 'date', 'time', 'timestamptz'],
    json: ['json', 'jsonb', 'object', 'array'],
    uuid: ['uuid', 'guid'],
    blob: ['blob', 'binary', 'bytes', 'bytea'],
  }).flatMap(([type, spellings]) => spellings.map(spelling => [spelling, type])),
)
const KNOWN_TYPES = [...new Set(TYPES.values())].join(', ')

const textOf = (value: unknown): string =>
  typeof value === 'string' ? showLine(value).trim().slice(0, MAX_TEXT_CHARS).toWellFormed() : ''

const shown = (value: unknown): string => JSON.stringify(textOf(value).slice(0, 100))

/** Gathers what is wrong with a plan while it is read. */
class Reading {
  readonly problems: string[] = []

  wrong(sentence: string): void {
    this.problems.push(sentence)
  }

  /** The objects of a list. */
  list(plan: Fields, name: keyof typeof MOST): Fields[] {
    const { [name]: value = [] } = plan
    if (!Array.isArray(value)) {
      this.wrong(`"${name}" must be a list.`)
      return []
    }
    if (value.length > MOST[name]) this.wrong(`"${name}" has ${value.length} entries; ${MOST[name]} are the most.`)
    const items = value.slice(0, MOST[name])
    const objects = items.filter(isObject)
    if (objects.length < items.length) this.wrong(`Each entry of "${name}" must be an object.`)
    return objects
  }

  /** A name that can stand in code and that none before it has there: `firstName` and `first_name` are one. */
  identifier(name: string, what: string, known: Set<string>): string {
    const inCode = functionName(name).toLowerCase()
    if (!isIdentifier(name)) this.wrong(`${what} ${shown(name)} is no name that can stand in code.`)
    else if (known.has(inCode)) this.wrong(`${what} ${shown(name)} comes twice.`)
    known.add(inCode)
    return name
  }
}

function readField(reading: Reading, given: Fields, entity: string, known: Set<string>): Field {
  const name = reading.identifier(textOf(given.name), `In ${entity} the field`, known)
  const [, words = '', size] = /^([a-z ]+)(?:\((\d{1,6})\))?$/.exec(textOf(given.type).toLowerCase()) ?? []
  const spelled = words.trim()
  const type = TYPES.get(spelled)
  if (type === undefined) {
    reading.wrong(`The field ${shown(name)} of ${entity} has the type ${shown(given.type)}; known are ${KNOWN_TYPES}.`)
  }
  const told = size === undefined ? null : Number(size)
  const length = given.length ?? told
  const isLength = length === null || (Number.isInteger(length) && Number(length) > 0 && Number(length) <= MAX_LENGTH)
  if (!isLength) reading.wrong(`The field ${shown(name)} of ${entity} has no usable length.`)
  return {
    name,
    type: type ?? 'text',
    length: type === 'varchar' && isLength ? (length as number | null) : null,
    nullable: given.nullable === true,
  }
}

function readEntities(reading: Reading, plan: Fields): PlannedEntity[] {
  const [names, tables] = [new Set<string>(), new Set<string>()]
  return reading.list(plan, 'entities').map(given => {
    const name = reading.identifier(entityName(textOf(given.name)), 'The entity', names)
    const told = given.tableName ?? given.table_name
    const table = reading.identifier(snakeCase(textOf(told)) || tableName(name), 'The table', tables)
    const known = new Set<string>()
    const fields = reading.list(given, 'fields').map(field => readField(reading, field, shown(name), known))
    if (fields.length === 0) reading.wrong(`The entity ${shown(name)} has no fields.`)
    return { name, tableName: table, fields }
  })
}

function readTools(reading: Reading, plan: Fields, entities: readonly PlannedEntity[]): PlannedTool[] {
  const names = new Set<string>()
  return reading.list(plan, 'tools').map(given => {
    const name = reading.identifier(snakeCase(textOf(given.name)), 'The tool', names)
    const words = `_${name}_`
    const named = textOf(given.entity)
    const [only] = entities.length === 1 ? entities : []
    const meant =
      entities.find(one => named !== '' && one.name === entityName(named)) ??
      entities.find(one => words.includes(`_${snakeCase(one.name)}_`) || words.includes(`_${one.tableName}_`)) ??
      only
    return {
      name,
      description: textOf(given.description),
      inputSchema: textOf(given.inputSchema ?? given.input_schema),
      entity: meant?.name ?? null,
    }
  })
}

async function readFiles(
  reading: Reading,
  plan: Fields,
  refusal: PlanLimits['refusal'],
): Promise<{ files: FeaturePlan['files']; outOfScope: string[] }> {
  const files: FeaturePlan['files'] = []
  const outOfScope: string[] = []
  for (const given of reading.list(plan, 'files')) {
    const path = safePath(textOf(given.path))
    if (path === null) reading.wrong(`${shown(given.path)} is no path inside of the project.`)
    const why = path === null ? null : await refusal(path)
    const isKnown = files.some(one => one.path === path)
    if (why !== null) outOfScope.push(why)
    else if (path !== null && !isKnown) files.push({ path, purpose: textOf(given.purpose) })
  }
  return { files, outOfScope }
}

function readSteps(reading: Reading, { steps = [] }: Fields): string[] {
  if (!Array.isArray(steps)) {
    reading.wrong('"steps" must be a list of texts.')
    return []
  }
  return steps
    .slice(0, MOST.steps)
    .map(textOf)
    .filter(step => step !== '')
}

/** Reads a plan, in the seed's names or in those of the contract. */
export async function readPlan(value: unknown, { branchPrefix, request, refusal }: PlanLimits): Promise<ReadPlan> {
  if (!isObject(value)) return { problems: ['The plan must be a JSON object.'], outOfScope: [] }
  const reading = new Reading()
  const understood = textOf(value.understood)
  if (understood === '') reading.wrong('"understood" says nothing.')
  const entities = readEntities(reading, value)
  const tools = readTools(reading, value, entities)
  const { files, outOfScope } = await readFiles(reading, value, refusal)
  const isEmpty = entities.length + tools.length + files.length + outOfScope.length === 0
  if (isEmpty && reading.problems.length === 0) {
    reading.wrong('The plan makes nothing: it names no entity, no tool and no file.')
  }
  const steps = readSteps(reading, value)
  const { problems } = reading
  if (problems.length > 0 || outOfScope.length > 0) return { problems, outOfScope }
  const words = [...tools.map(({ name }) => name), ...entities.map(one => `add ${one.tableName}`), request]
  const wanted = textOf(value.branchName ?? value.branch_name)
  return {
    plan: {
      understood,
      entities,
      tools,
      files,
      branchName: branchName(wanted, { prefix: branchPrefix, words }),
      steps,
    },
  }
}
