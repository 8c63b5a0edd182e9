import type { FastifyRequest } from 'fastify'
import type { TSchema } from 'typebox'
import type { JsonObject } from '../core/job.ts'

/** Checks a body that is not the request's own, as that of a job that is retried. @throws As a wrong body does. */
export function validateBody(request: FastifyRequest, schema: TSchema, body: JsonObject): void {
  const validate = request.getValidationFunction(schema) ?? request.compileValidationSchema(schema, 'body')
  const verdict: unknown = validate(body)
  if (typeof verdict === 'object' && verdict !== null && 'error' in verdict && verdict.error instanceof Error) {
    throw verdict.error
  }
}
