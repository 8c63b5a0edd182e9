import { posix } from 'node:path'
import type { PlannedEntity } from '../../../contract/feature.ts'
import { camelize } from 'inflection'
import { functionName, snakeCase } from '../names.ts'

type Field = PlannedEntity['fields'][number]

const sizedText = (column: string, { length }: Field): string =>
  length === null ? `text('${column}')` : `text('${column}', { length: ${length} })`

/** A column of Drizzle for SQLite, by the type of a field. */
const COLUMNS: Readonly<Record<string, (column: string, field: Field) => string>> = {
  varchar: sizedText,
  text: column => `text('${column}')`,
  uuid: column => `text('${column}', { length: 36 })`,
  integer: column => `integer('${column}')`,
  real: column => `real('${column}')`,
  boolean: column => `integer('${column}', { mode: 'boolean' })`,
  timestamp: column => `integer('${column}', { mode: 'timestamp' })`,
  json: column => `text('${column}', { mode: 'json' })`,
  blob: column => `blob('${column}', { mode: 'buffer' })`,
}
/** The same in TypeScript. */
const TYPES: Readonly<Record<string, string>> = {
  integer: 'number',
  real: 'number',
  boolean: 'boolean',
  timestamp: 'Date',
  json: 'unknown',
  blob: 'Buffer',
}

function columnOf(field: Field): string {
  const make = COLUMNS[field.type] ?? sizedText
  const column = make(snakeCase(field.name), field)
  return field.nullable ? column : `${column}.notNull()`
}

/** A field, as templates see it. */
const viewOfField = (field: Field) => ({
  name: field.name,
  /** In code. */
  property: functionName(field.name),
  /** In the database. */
  columnName: snakeCase(field.name),
  column: columnOf(field),
  type: TYPES[field.type] ?? 'string',
  fieldType: field.type,
  length: field.length ?? '',
  nullable: field.nullable,
})

/** Names that belong to the items of `fields`. */
export const FIELD_NAMES: ReadonlySet<string> = new Set([
  ...['name', 'property', 'columnName', 'column', 'type', 'fieldType', 'length', 'nullable'],
])

/** How a project writes the ends of imports in TypeScript, by its `tsconfig.json`; '' for none. */
export function importEnding(tsconfig: string | null): string {
  if (tsconfig === null || /"allowImportingTsExtensions"\s*:\s*true/.test(tsconfig)) return '.ts'
  return /"module(?:Resolution)?"\s*:\s*"(?:node16|node18|node20|nodenext)"/i.test(tsconfig) ? '.js' : ''
}

/** The path by which one file imports another. */
function importPath(from: string, to: string, ending: string): string {
  const relative = posix.relative(posix.dirname(from), to).replace(/\.tsx?$/, ending)
  return relative.startsWith('.') ? relative : `./${relative}`
}

/** What files are made for. */
interface Subject {
  featureName: string
  entityName: string
  toolName: string
  fields: readonly Field[]
  hasEntity: boolean
  description: string
  inputSchema: string
  paths: { schema: string; tool: string; test: string }
  ending: string
}

/** What templates are filled with: all of it is made of checked names, and of words without line breaks. */
export function templateView({ paths, ending, fields, ...subject }: Subject): Record<string, unknown> {
  const { featureName, entityName, toolName, hasEntity, description, inputSchema } = subject
  const views = fields.map(viewOfField)
  const helpers = ['blob', 'integer', 'real', 'sqliteTable', 'text'].filter(
    name => name === 'sqliteTable' || name === 'integer' || views.some(({ column }) => column.startsWith(`${name}(`)),
  )
  return {
    featureName,
    entityName,
    entityVariable: functionName(entityName),
    tableName: featureName,
    tableVariable: functionName(featureName),
    toolName,
    toolFunction: functionName(toolName),
    toolType: camelize(snakeCase(toolName)),
    description: description.replaceAll('*/', '* /'),
    inputSchema: inputSchema.replaceAll('*/', '* /'),
    hasEntity,
    fields: views,
    drizzleImports: helpers.join(', '),
    schemaImport: importPath(paths.tool, paths.schema, ending),
    toolImport: importPath(paths.test, paths.tool, ending),
  }
}
