import type { FixInput } from '../../contract/generation.ts'
import type { Verification, VerifiedRun } from '../../contract/verification.ts'
import type { RunEvidence } from '../../text/pull-request.ts'
import type { ChangeEvidence } from '../steps/result/publish.ts'
import type { LocatedFault } from './dialogue.ts'

/** What a fix was checked with. */
interface FixChecks {
  verification: Verification
  verificationReason?: string | null
  runs: readonly VerifiedRun[]
  tests?: RunEvidence['tests']
  guards?: ChangeEvidence['guards']
}

/** What a pull request says of a fix: the fault as it was located, and what the runs of its commands came to. */
export function fixEvidence(
  { stacktrace }: Pick<FixInput, 'stacktrace'>,
  { id, frames, error, suspects = [], fingerprint = null }: LocatedFault,
  { verification, verificationReason, runs, tests = null, guards = [] }: FixChecks,
): ChangeEvidence {
  return {
    fault: {
      error,
      fingerprint,
      trace: stacktrace,
      frames: frames.flatMap(({ inProject, path, codeLine, line, function: name, why }) => {
        if (!inProject || path === null) return []
        return [{ path, line: codeLine ?? line, function: name, why }]
      }),
      suspects,
      resolutionId: id,
    },
    runs: {
      label: verification,
      reason: verificationReason ?? '',
      runs,
      tests,
    },
    guards,
  }
}
