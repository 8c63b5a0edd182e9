import { FaultlineError } from '../../core/errors.ts'
import type { JobType, JsonObject } from '../../core/job.ts'

/**
 * The body that a job keeps, as the input that it was when it was stored. Jobs outlive releases: one without a field
 * that its pipeline cannot do without is refused.
 *
 * @param url - The route that makes such jobs.
 * @param texts - Fields that must be texts.
 * @throws {FaultlineError} BAD_REQUEST
 */
export function readStoredBody<Input extends JsonObject>(
  input: JsonObject,
  { type, url, texts }: { type: JobType; url: string; texts: readonly string[] },
): Input {
  if (texts.some(field => typeof input[field] !== 'string')) {
    throw new FaultlineError(
      'BAD_REQUEST',
      `The stored body of this ${type} job is not complete.`,
      `POST ${url} again.`,
    )
  }
  return input as Input
}
