import type { ChangedTests, VerifiedRun } from '../contract/verification.ts'
import { listed } from './listed.ts'
import type { Paint } from './paint.ts'
import { printableLine } from './terminal-text.ts'

/** What is known of a check of changes; a server of another release may leave out any of it. */
interface VerificationAnswer {
  verification?: string
  verification_reason?: string | null
  runs?: readonly VerifiedRun[]
  tests?: ChangedTests
}

const LABELS: Readonly<Record<string, string>> = {
  verified: 'Verified: it failed before the change and passes after it.',
  partially_verified: 'Partially verified.',
  unverified: 'Unverified.',
  could_not_run: 'The tests could not be run.',
}
/** What a command was run for, in words. */
export const RUN_KINDS: Readonly<Record<VerifiedRun['kind'], string>> = {
  narrow: 'the test of the failure',
  whole: 'the whole',
  old_tests: 'the tests as they were',
}

const exitCode = (code: number | null): string => (code === null ? 'killed' : `exit code ${code}`)

function runLine({ kind, command, before, after }: VerifiedRun): string {
  const codes = kind === 'old_tests' ? exitCode(after) : `${exitCode(before)}, then ${exitCode(after)}`
  return `  ${printableLine(`${(RUN_KINDS as Readonly<Record<string, string>>)[kind] ?? kind}: ${codes}: ${command}`)}`
}

/** The label of changes with its reason, the commands with both exit codes, and the tests that changed. */
export function verificationLines(
  { verification, verification_reason: reason, runs = [], tests }: VerificationAnswer,
  paint: Paint,
): string[] {
  if (verification === undefined) return []
  const label = LABELS[verification] ?? printableLine(verification.replaceAll('_', ' '))
  const said = reason == null ? label : `${label} ${printableLine(reason)}`
  const changed = Object.entries(tests ?? {}).filter(([, ids]) => ids.length > 0)
  return [
    paint(verification === 'verified' ? 'green' : 'yellow', said),
    ...runs.map(runLine),
    ...changed.map(([what, ids]) => `  ${printableLine(what)}: ${listed(ids)}`),
  ]
}
