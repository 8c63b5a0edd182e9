import type { TSchema } from 'typebox'
import { Value } from 'typebox/value'

/** Whether a body fits a schema, as the server checks it. */
export const fitsSchema = (schema: TSchema, body: unknown): boolean => Value.Check(schema, body)

/** The examples that the document shows for a schema. */
export const examplesOf = (schema: TSchema): unknown[] => (schema as { examples?: unknown[] }).examples ?? []
