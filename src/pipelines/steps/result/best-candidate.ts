import type { Verification } from '../../../contract/verification.ts'
import type { ReviewedChecks } from './review.ts'

/** What is compared of an answer. */
export interface Comparable {
  checks: Pick<ReviewedChecks, 'verification' | 'warnings'>
  diff: string
  /** Whether all of its edits could be applied. */
  complete: boolean
  /** How many answers came to the same diff, itself among them. */
  votes: number
}

/** The better ones first; what says nothing of a change counts as `unverified`. */
const LABELS: readonly Verification[] = ['verified', 'partially_verified', 'unverified', 'could_not_run']

const labelRank = ({ checks: { verification = 'unverified' } }: Comparable): number => LABELS.indexOf(verification)

/** Lines that a diff adds and removes. */
const diffLines = ({ diff }: Comparable): number =>
  diff.split('\n').filter(line => /^[+-]/.test(line) && !/^(?:\+\+\+|---) /.test(line)).length

/** By what answers are told apart, the weightiest first; less is better. */
const CRITERIA: ReadonlyArray<(candidate: Comparable) => number> = [
  ({ diff }) => (diff === '' ? 1 : 0), // no change mends nothing, though all tests may pass
  labelRank,
  ({ complete }) => (complete ? 0 : 1),
  ({ checks }) => checks.warnings ?? 0,
  ({ votes }) => -votes,
  diffLines,
]

function compare(a: Comparable, b: Comparable): number {
  for (const criterion of CRITERIA) {
    const difference = criterion(a) - criterion(b)
    if (difference !== 0) return difference
  }
  return 0
}

/**
 * The best of several answers: what exit codes say comes first, then fewer warnings, then how many answers agree, as in
 * the vote of Agentless (arXiv:2407.01489), then the smaller diff, then the earlier one.
 */
export function bestOf<C extends Comparable>(candidates: readonly C[]): C | null {
  const [first, ...others] = candidates
  if (first === undefined) return null
  return others.reduce((best, other) => (compare(other, best) < 0 ? other : best), first)
}
