import type { TSchema } from 'typebox'
import { FaultlineError } from '../core/errors.ts'
import type { Job, JsonObject } from '../core/job.ts'
import type { PreparedRequest } from './pipeline.ts'

/** A retry as it is asked for. */
export interface RetryRequest {
  type: Job['type']
  /** The body that the earlier job keeps. */
  input: JsonObject
  /** Fields that take the place of those of the earlier body. */
  overrides: JsonObject
  /** Throws for a body that does not fit the schema. */
  validate: (schema: TSchema, body: JsonObject) => void
}

function overridden(input: JsonObject, overrides: JsonObject, oneOf: readonly string[] = []): JsonObject {
  const isReplaced = oneOf.some(field => overrides[field] !== undefined)
  const kept = Object.entries(input).filter(([field]) => !(isReplaced && oneOf.includes(field)))
  return { ...Object.fromEntries(kept), ...overrides }
}

/**
 * The body of a retry: that of the earlier job with the overrides, checked like a new one.
 *
 * @param requests - The kinds of requests; the first that fits the job counts.
 * @throws {FaultlineError} BAD_REQUEST for jobs that no request makes.
 */
export async function completeRetry(
  requests: readonly PreparedRequest[],
  { type, input, overrides, validate }: RetryRequest,
): Promise<JsonObject> {
  const request = requests.find(one => one.type === type && (one.isFor?.(input) ?? true))
  if (request === undefined) throw new FaultlineError('BAD_REQUEST', `Jobs of type ${type} cannot be retried.`)
  const body = overridden(input, overrides, request.oneOf)
  validate(request.schema, body)
  return request.complete(body as never)
}
