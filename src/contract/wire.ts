import type { Static, TSchema } from '@fastify/type-provider-typebox'

type CamelName<Name extends string> = Name extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<CamelName<Tail>>}`
  : Name

/** The type of a schema with its fields in camelCase; the keys of records are data and stay. */
export type CamelCased<T> =
  T extends ReadonlyArray<infer Item>
    ? Array<CamelCased<Item>>
    : T extends object
      ? string extends keyof T
        ? T
        : { [Name in keyof T as CamelName<Name & string>]: CamelCased<T[Name]> }
      : T

/** The part of a JSON schema that says where fields are. */
interface Shape {
  properties?: Readonly<Record<string, Shape>>
  items?: Shape
  anyOf?: readonly Shape[]
  type?: string
  additionalProperties?: unknown
  const?: unknown
}

/** Gives the name that a field has before and after, by its name in the schema. */
interface Renaming {
  from: (name: string) => string
  to: (name: string) => string
  known: WeakMap<object, readonly FieldNames[]>
}

const camelName = (name: string): string =>
  name.replace(/_([a-z0-9])/g, (_match, letter: string) => letter.toUpperCase())

const snakeName = (name: string): string => name.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`)
const sameName = (name: string): string => name

const TO_WIRE: Renaming = { from: camelName, to: sameName, known: new WeakMap() }
const FROM_WIRE: Renaming = { from: sameName, to: camelName, known: new WeakMap() }

/** Renames what no schema describes: the results of other releases and of pipelines from outside. */
function allInSnakeCase(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(allInSnakeCase)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [snakeName(name), allInSnakeCase(item)]))
}

/** The member of a union that has the value's `kind`; any other schema is its own. */
function memberOf(schema: Shape, { kind }: Record<string, unknown>): Shape {
  return schema.anyOf?.find(({ properties }) => properties?.kind?.const === kind) ?? schema
}

/** What describes the items of an array; of a union of arrays those that the first item is of. */
function itemsOf({ items, anyOf }: Shape, [first]: readonly unknown[]): Shape | undefined {
  const isObject = typeof first === 'object'
  return items ?? anyOf?.find(member => (member.items?.type === 'object') === isObject)?.items
}

interface FieldNames {
  name: string
  from: string
  to: string
  field: Shape
}

/** The names of the fields of a schema before and after, which are worked out once. */
function namesIn(properties: NonNullable<Shape['properties']>, renaming: Renaming): readonly FieldNames[] {
  const known = renaming.known.get(properties)
  if (known !== undefined) return known
  const names = Object.entries(properties).map(([name, field]) => ({
    name,
    from: renaming.from(name),
    to: renaming.to(name),
    field,
  }))
  renaming.known.set(properties, names)
  return names
}

function renamed(schema: Shape, value: unknown, renaming: Renaming): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) {
    const items = itemsOf(schema, value)
    return items === undefined ? value : value.map(item => renamed(items, item, renaming))
  }
  const given = value as Record<string, unknown>
  const { properties, additionalProperties } = memberOf(schema, given)
  if (properties === undefined) return value
  const result: Record<string, unknown> = {}
  const isOpen = additionalProperties === true
  const taken = new Set<string>()
  for (const { name, from, to, field } of namesIn(properties, renaming)) {
    const source = given[from] === undefined ? name : from
    if (isOpen) taken.add(source)
    if (given[source] !== undefined) result[to] = renamed(field, given[source], renaming)
  }
  if (!isOpen) return result
  const rest = Object.entries(given).filter(([name]) => !taken.has(name))
  return { ...result, ...Object.fromEntries(rest.map(([name, item]) => [snakeName(name), allInSnakeCase(item)])) }
}

/**
 * The value in the names of the contract (`snake_case`). Fields that the schema does not name are dropped, unless it
 * allows further ones; fields that are missing stay so; the keys of records are data and stay as they are. A field that
 * has its contract name already keeps it.
 */
export function toWire<Schema extends TSchema>(schema: Schema, value: CamelCased<Static<Schema>>): Static<Schema> {
  return renamed(schema as Shape, value, TO_WIRE) as Static<Schema>
}

/** The value of a request in our names (`camelCase`), the reverse of `toWire`. */
export function fromWire<Schema extends TSchema>(schema: Schema, value: Static<Schema>): CamelCased<Static<Schema>> {
  return renamed(schema as Shape, value, FROM_WIRE) as CamelCased<Static<Schema>>
}
