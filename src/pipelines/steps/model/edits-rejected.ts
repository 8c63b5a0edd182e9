import { counted } from '../counted.ts'
import { FaultlineError } from '../../../core/errors.ts'
import type { RejectedHunk } from '../../../contract/generation-results.ts'

const MAX_MESSAGE_CHARS = 4_000
const SOME_APPLIED =
  'GET /jobs/{id}/diff has those that could; "allow_partial": true takes them. POST /jobs/{id}/retry tries again.'
const NONE_APPLIED =
  'GET /jobs/{id}/transcript shows what it wrote. ' + 'POST /jobs/{id}/retry tries again; another model may do better.'

function placeOf({ path, hunk }: RejectedHunk): string {
  const file = path ?? 'the reply'
  return hunk === null ? file : `${file}, hunk ${hunk}`
}

/** How many edits could not be applied, and why the first of them. */
export function describeRejected(rejected: readonly RejectedHunk[]): string {
  const reasons = rejected
    .slice(0, 5)
    .map(hunk => `${placeOf(hunk)}: ${hunk.reason}: ${hunk.detail}`)
    .join('; ')
  return `${counted(rejected.length, 'edit')} of the model could not be applied: ${reasons}`.slice(0, MAX_MESSAGE_CHARS)
}

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
  throw new FaultlineError(
    'EDITS_REJECTED',
    describeRejected(rejected),
    touched.length > 0 ? SOME_APPLIED : NONE_APPLIED,
  )
}
