import { FaultlineError } from '../../../core/errors.ts'

/**
 * A body that is to become a job, without its `dry_run`.
 *
 * @param fix - What to do instead of asking for a job and for a dry run at once.
 * @throws {FaultlineError} VALIDATION_FAILED for `dry_run: true`.
 */
export function withoutDryRun<Body extends { dry_run?: boolean }>(
  { dry_run: isDryRun = false, ...body }: Body,
  fix = 'Leave dry_run out.',
): Omit<Body, 'dry_run'> {
  if (isDryRun) throw new FaultlineError('VALIDATION_FAILED', 'A dry run makes no job.', fix)
  return body
}
