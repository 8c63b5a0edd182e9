import type { Type as TypeBox } from 'typebox'

type Builders = Pick<
  typeof TypeBox,
  | 'Array'
  | 'Boolean'
  | 'Enum'
  | 'Integer'
  | 'Literal'
  | 'Null'
  | 'Number'
  | 'Object'
  | 'Optional'
  | 'Record'
  | 'Ref'
  | 'String'
  | 'Union'
  | 'Unknown'
  | 'Unsafe'
>

type Schema = Record<string, unknown>

/** Sets marks that TypeBox reads and JSON does not show. */
function withHidden(schema: Schema, marks: Schema): Schema {
  for (const [name, value] of Object.entries(marks)) {
    Object.defineProperty(schema, name, { configurable: true, writable: true, enumerable: false, value })
  }
  return schema
}

const build = (kind: string, schema: Schema, options: Schema = {}): Schema =>
  withHidden({ ...schema, ...options }, { '~kind': kind })

/** The same schema with one more mark; the one that is given stays as it is. */
const marked = (schema: Schema, marks: Schema): Schema =>
  withHidden(Object.defineProperties({}, Object.getOwnPropertyDescriptors(schema)) as Schema, marks)

const isOptional = (schema: Schema | undefined): boolean => schema !== undefined && '~optional' in schema

function object(properties: Record<string, Schema>, options?: Schema): Schema {
  const required = Object.keys(properties).filter(name => !isOptional(properties[name]))
  return build('Object', { type: 'object', ...(required.length === 0 ? {} : { required }), properties }, options)
}

/**
 * Makes the same schemas, with the same types, as TypeBox's own `Type`, for the kinds that are used here. To load
 * TypeBox takes as long as all else that a start needs, and 20 MB; the rest of it is loaded with the first body that is
 * checked (`http/plugins/validation.ts`).
 */
export const Type = {
  Array: (items: Schema, options?: Schema) => build('Array', { type: 'array', items }, options),
  Boolean: (options?: Schema) => build('Boolean', { type: 'boolean' }, options),
  Enum: (values: readonly unknown[], options?: Schema) => build('Enum', { enum: values }, options),
  Integer: (options?: Schema) => build('Integer', { type: 'integer' }, options),
  Literal: (value: unknown, options?: Schema) => build('Literal', { type: typeof value, const: value }, options),
  Null: (options?: Schema) => build('Null', { type: 'null' }, options),
  Number: (options?: Schema) => build('Number', { type: 'number' }, options),
  Object: object,
  Optional: (schema: Schema) => marked(schema, { '~optional': true }),
  /** Fields of any names, which are not checked, with values of one kind. */
  Record: (_key: Schema, values: Schema, options?: Schema) =>
    build('Record', { type: 'object', patternProperties: { '^.*$': values } }, options),
  Ref: (id: string, options?: Schema) => build('Ref', { $ref: id }, options),
  String: (options?: Schema) => build('String', { type: 'string' }, options),
  Union: (anyOf: readonly Schema[], options?: Schema) => build('Union', { anyOf }, options),
  Unknown: (options?: Schema) => build('Unknown', {}, options),
  Unsafe: (schema: Schema) => marked(schema, { '~unsafe': null }),
} as unknown as Builders
