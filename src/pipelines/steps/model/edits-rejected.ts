import { FaultlineError } from '../../../core/errors.ts'
import type { RejectedHunk } from '../../../contract/generation-results.ts'

/** @throws {FaultlineError} EDITS_REJECTED: nothing could be applied, or not all and that is not allowed. */
export function requireEdits({
  touched,
  rejected,
  allowPartial,
}: {
  touched: readonly string[]
  rejected: readonly RejectedHunk[]
  allowPartial: boolean
}): void {
  if (rejected.length === 0 || (touched.length > 0 && allowPartial)) return
  const reasons = rejected
    .slice(0, 5)
    .map(
      ({ path, hunk, reason, detail }) =>
        `${path ?? 'the reply'}${hunk === null ? '' : `, hunk ${hunk}`}: ${reason}: ${detail}`,
    )
    .join('; ')
  throw new FaultlineError(
    'EDITS_REJECTED',
    `${rejected.length} ${rejected.length === 1 ? 'edit' : 'edits'} of the model could not be applied: ${reasons}`.slice(
      0,
      4000,
    ),
    touched.length > 0
      ? 'GET /jobs/{id}/diff has those that could; "allow_partial": true takes them. POST /jobs/{id}/retry tries again.'
      : 'GET /jobs/{id}/transcript shows what it wrote. POST /jobs/{id}/retry tries again; another model may do better.',
  )
}
