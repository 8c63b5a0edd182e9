import { FaultlineError } from '../../../core/errors.ts'
import type { JobFile } from '../../../core/job.ts'
import type { JobContext } from '../../../jobs/job-context.ts'
import type { BaseFiles, Changes } from '../base/base-files.ts'
import type { Improvement } from '../model/improve-files.ts'
import { bestOf } from './best-candidate.ts'
import type { Outcome } from './outcome.ts'
import type { ReviewedChecks } from './review.ts'

/** An answer of the model that could be applied. */
export interface Made {
  improved: Omit<Improvement, 'cut'>
  outcome: Outcome
}

/** The same with what was found out about it. */
interface Checked<Checks> extends Made {
  checks: Checks
}

/** What came of one answer, for the result of the job. */
export type Candidate<Checks> = {
  /** From 1. */
  number: number
  isChosen: boolean
  votes: number
  diff: string
  /** Null for one that could not be applied, and for one that came to the diff of an earlier one. */
  checks: Checks | null
  /** Why it could not be applied, or of which earlier one it is a copy; null for the others. */
  note: string | null
}

/** How answers are made and looked at. */
interface CandidatesOptions<Checks> {
  /** How many, from 2 on. */
  count: number
  /** Asks the model. @throws {FaultlineError} Of the kinds in `ONLY_THIS` where this answer alone is of no use. */
  make: (number: number) => Promise<Made>
  check: (changes: Changes) => Promise<Checks>
  /** The files of the job before the first answer. */
  before: BaseFiles
  takeBack: (job: JobContext, before: BaseFiles, touched: readonly string[]) => Promise<void>
  /** Sets the diff and the patch of the job again. */
  outcomeOf: (changes: Changes) => Promise<Outcome>
}

/** An answer with what puts its files back. */
interface Kept<Checks> extends Checked<Checks> {
  number: number
  files: JobFile[]
  diff: string
  complete: boolean
  votes: number
}

/** Faults of one answer: the next one may do better. */
const ONLY_THIS: ReadonlySet<string> = new Set(['EDITS_REJECTED', 'REPLY_TRUNCATED', 'REPLY_FILTERED'])

const ENOUGH = 'The budget is used up: there are no further candidates.'

/** Its files, as they were when it was made. */
async function restore(job: JobContext, { files, improved }: Kept<unknown>): Promise<void> {
  const versions = new Map<string, Buffer | null>(improved.changes.deleted.map(path => [path, null]))
  for (const file of files) versions.set(file.path, await job.files.readVersion(file))
  await job.files.put(versions)
}

/**
 * Asks the model several times, each time anew, and looks at each answer in turn, as far as the budget goes. The best
 * one is what the job goes on with; all are kept with what came of them. An answer that comes to the diff of an earlier
 * one is not looked at again: it is a vote for it.
 *
 * @throws {FaultlineError} What the first answer failed with, where none could be applied.
 */
export async function bestCandidate<Checks extends ReviewedChecks>(
  job: JobContext,
  { count, make, check, before, takeBack, outcomeOf }: CandidatesOptions<Checks>,
): Promise<{ best: Checked<Checks>; candidates: Array<Candidate<Checks>> }> {
  const kept: Array<Kept<Checks>> = []
  const others: Array<Omit<Candidate<Checks>, 'isChosen'>> = []
  const failures: FaultlineError[] = []
  let hasLeftOver = false

  /** What an answer left that could not be used; where no other comes after it, a person can look at it. */
  async function takeLeftOver(): Promise<void> {
    if (!hasLeftOver) return
    hasLeftOver = false
    await job.step('candidate.take_back', async () => {
      const paths = (await job.files.list()).map(({ path }) => path)
      await takeBack(job, before, [...new Set([...paths, ...(await before.paths())])])
    })
  }

  /** False when there is nothing left to spend. */
  async function tryOne(number: number): Promise<boolean> {
    let made: Made
    await takeLeftOver()
    try {
      made = await make(number)
    } catch (error) {
      if (!(error instanceof FaultlineError)) throw error
      if (error.code === 'BUDGET_EXHAUSTED' && kept.length > 0) return false
      if (!ONLY_THIS.has(error.code)) throw error
      failures.push(error)
      hasLeftOver = true
      others.push({ number, votes: 0, diff: '', checks: null, note: error.message })
      return true
    }
    const { improved, outcome } = made
    const { diff } = outcome
    const twin = kept.find(one => one.diff === diff)
    if (twin === undefined) {
      const files = await job.step('candidate.files', async () =>
        (await job.files.list()).filter(({ path }) => improved.changes.changed.includes(path)),
      )
      const complete = improved.rejected.length === 0
      kept.push({ ...made, number, files, diff, complete, votes: 1, checks: await check(improved.changes) })
    } else {
      twin.votes += 1
      others.push({ number, votes: 0, diff, checks: null, note: `The same changes as candidate ${twin.number}.` })
    }
    await job.step('candidate.take_back', () => takeBack(job, before, improved.touched))
    return true
  }

  for (let number = 1; number <= count; number++) {
    const isLate = number > 1 && (await job.step('candidate.time', async () => job.isOutOfTime()))
    if ((isLate && kept.length > 0) || !(await tryOne(number))) {
      job.log(ENOUGH)
      break
    }
  }
  const best = bestOf(kept)
  if (best === null) throw failures[0] ?? new Error('an answer fails or is kept')
  await takeLeftOver()
  job.log(`Of ${kept.length + others.length} candidates the best is number ${best.number}.`)
  await job.step('candidate.restore', () => restore(job, best))
  const outcome = await job.step('diff', () => outcomeOf(best.improved.changes))
  const candidates = [
    ...others.map(other => ({ ...other, isChosen: false })),
    ...kept.map(({ number, votes, diff, checks }) => ({
      number,
      isChosen: number === best.number,
      votes,
      diff,
      checks,
      note: null,
    })),
  ].sort((a, b) => a.number - b.number)
  return { best: { improved: best.improved, outcome, checks: best.checks }, candidates }
}
