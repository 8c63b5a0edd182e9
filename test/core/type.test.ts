import { test } from 'tap'
import { Type as TypeBox, type TSchema } from 'typebox'
import { Value } from 'typebox/value'
import { Type } from '../../src/core/type.ts'

/** One schema of each kind, by either builder. */
function samples(by: typeof Type): Record<string, TSchema> {
  const bounded = by.String({ minLength: 1, description: 'a name' })
  return {
    array: by.Array(bounded, { maxItems: 3 }),
    boolean: by.Boolean({ default: false }),
    enum: by.Enum(['a', 'b'], { description: 'one of two' }),
    integer: by.Integer({ minimum: 0 }),
    literal: by.Literal('x'),
    literalNumber: by.Literal(7),
    null: by.Null(),
    number: by.Number(),
    empty: by.Object({}),
    object: by.Object(
      { name: bounded, note: by.Optional(by.String()), none: by.Optional(by.Null()) },
      { additionalProperties: false, $id: 'Thing' },
    ),
    allOptional: by.Object({ note: by.Optional(by.Integer({ default: 3 })) }),
    optional: by.Optional(by.Array(by.Unknown())),
    record: by.Record(by.String(), by.Object({ input: by.Number({ minimum: 0 }) }), { description: 'by name' }),
    ref: by.Ref('Thing', { description: 'a thing' }),
    string: by.String(),
    union: by.Union([by.Literal('on'), by.Null()], { description: 'on or nothing' }),
    unknown: by.Unknown({ description: 'anything' }),
    unsafe: by.Unsafe<string>({ type: 'string', nullable: true }),
    optionalUnsafe: by.Optional(by.Unsafe<string>({ type: 'string' })),
  }
}

/** A schema with what JSON does not show. */
function whole(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(whole)
  const entries = Object.entries(Object.getOwnPropertyDescriptors(value))
  return Object.fromEntries(entries.map(([name, { value: inner, enumerable }]) => [name, [enumerable, whole(inner)]]))
}

test('schemas are those of TypeBox, with the marks that it reads', async t => {
  const expected = samples(TypeBox)
  for (const [name, schema] of Object.entries(samples(Type))) {
    t.equal(JSON.stringify(schema), JSON.stringify(expected[name]), name)
    t.same(whole(schema), whole(expected[name]), name)
  }
})

test('TypeBox checks, completes and converts by them', async t => {
  const { object, allOptional, union, record } = samples(Type)
  if (!object || !allOptional || !union || !record) return t.fail('there is one of each')
  t.ok(Value.Check(object, { name: 'a' }))
  t.notOk(Value.Check(object, { note: 'a' }))
  t.notOk(Value.Check(object, { name: 'a', more: 1 }))
  t.same(Value.Default(allOptional, {}), { note: 3 })
  t.same(Value.Convert(allOptional, { note: '4' }), { note: 4 })
  t.same(Value.Clean(object, { name: 'a', more: 1 }), { name: 'a' })
  t.ok(Value.Check(union, null))
  t.ok(Value.Check(record, { any: { input: 1 } }))
})

test('a schema that is made optional stays as it was', async t => {
  const name = Type.String()
  Type.Optional(name)
  t.same(Type.Object({ name }).required, ['name'])
})
