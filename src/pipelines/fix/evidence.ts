import type { FixInput } from '../../contract/generation.ts'
import type { VerifiedChange } from '../steps/verify/verification.ts'
import type { ChangeEvidence } from '../steps/result/publish.ts'
import type { LocatedFault } from './dialogue.ts'

/** What is found out about a fix. */
type FixChecks = Omit<VerifiedChange, 'after'> & Pick<ChangeEvidence, 'guards'>

/** What a pull request says of a fix: the fault as it was located, and what the runs of commands came to. */
export function fixEvidence(
  { stacktrace }: Pick<FixInput, 'stacktrace'>,
  { id, frames, error, suspects = [], fingerprint = null }: LocatedFault,
  { verification, verificationReason, runs, tests, guards }: FixChecks,
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
    runs: { label: verification, reason: verificationReason ?? '', runs, tests },
    guards,
  }
}
