import type { TSchema } from 'typebox'
import type { Test } from 'tap'
import { examplesOf, fitsSchema } from '../helpers/fits-schema.ts'

/** Checks that the examples of a body and its least form can be sent, and that no unknown or mistyped field can. */
export function checkBody(t: Test, schema: TSchema, { least, mistyped }: { least: object; mistyped: object }): void {
  t.ok(examplesOf(schema).length > 0)
  for (const example of examplesOf(schema)) t.ok(fitsSchema(schema, example))
  t.ok(fitsSchema(schema, least))
  t.notOk(fitsSchema(schema, { ...least, unknown: 1 }))
  t.notOk(fitsSchema(schema, mistyped))
}
