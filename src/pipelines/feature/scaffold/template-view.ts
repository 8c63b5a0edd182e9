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

/** Words that cannot be the name of a variable in a module, and names that the default templates use themselves. */
const TAKEN: ReadonlySet<string> = new Set([
  ...['break', 'case', 'catch', 'class', 'const', 'continue', 'debugger', 'default', 'delete', 'do', 'else', 'enum'],
  ...['export', 'extends', 'false', 'finally', 'for', 'function', 'if', 'import', 'in', 'instanceof', 'new', 'null'],
  ...['return', 'super', 'switch', 'this', 'throw', 'true', 'try', 'typeof', 'var', 'void', 'while', 'with', 'await'],
  ...['implements', 'interface', 'let', 'package', 'private', 'protected', 'public', 'static', 'yield', 'arguments'],
  ...['eval', 'undefined', 'exports', 'require', 'module'],
  ...['blob', 'integer', 'real', 'sqliteTable', 'text', 'db', 'input', 'assert', 'test'],
])
/** The same for types. */
const TAKEN_TYPES: ReadonlySet<string> = new Set(['Promise', 'Error', 'Date', 'Buffer', 'BaseSQLiteDatabase', 'Object'])

/** A name for a variable that does nobody harm. */
const variableName = (name: string, ending: string): string => {
  const plain = functionName(name)
  return TAKEN.has(plain) ? `${plain}${ending}` : plain
}

function columnOf(field: Field): string {
  const make = COLUMNS[field.type] ?? sizedText
  const name = snakeCase(field.name)
  const column = make(name, field)
  if (name === 'id') return `${column}.primaryKey(${field.type === 'integer' ? '{ autoIncrement: true }' : ''})`
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
  const [hasId, hasCreatedAt] = ['id', 'created_at'].map(name => views.some(({ columnName }) => columnName === name))
  const columns = [
    ...views.map(({ column }) => column),
    ...(hasId === true && hasCreatedAt === true ? [] : ['integer(']),
  ]
  const helpers = ['blob', 'integer', 'real', 'sqliteTable', 'text'].filter(
    name => name === 'sqliteTable' || columns.some(column => column.startsWith(`${name}(`)),
  )
  const typeName = TAKEN_TYPES.has(entityName) ? `${entityName}Row` : entityName
  const tableVariable = variableName(featureName, 'Table')
  const toolFunction = variableName(toolName, 'Tool')
  const toolType = camelize(snakeCase(toolName))
  return {
    featureName,
    entityName: typeName,
    entityVariable: variableName(entityName, 'Row'),
    tableName: featureName,
    tableVariable,
    toolName,
    toolFunction: toolFunction === tableVariable && hasEntity ? `${toolFunction}Tool` : toolFunction,
    toolType: `${toolType}Input` === typeName ? `${toolType}Tool` : toolType,
    description: description.replaceAll('*/', '* /'),
    inputSchema: inputSchema.replaceAll('*/', '* /'),
    hasEntity,
    hasId,
    hasCreatedAt,
    fields: views,
    drizzleImports: helpers.join(', '),
    schemaImport: importPath(paths.tool, paths.schema, ending),
    toolImport: importPath(paths.test, paths.tool, ending),
  }
}
