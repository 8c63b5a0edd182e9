import type { RejectedHunk } from '../../../contract/generation-results.ts'
import type { Decision } from '../../../core/job.ts'
import type { JobContext } from '../../../jobs/job-context.ts'
import type { Sandbox } from '../../../sandbox/sandbox.ts'
import { snapshotFiles, type BaseFiles, type Changes } from '../base/base-files.ts'
import type { AskModel } from '../model/ask-model.ts'
import { commentTurn } from '../model/dialogues.ts'
import { requireEdits } from '../model/edits-rejected.ts'
import { improveFiles, type ImproveOptions, type Talk } from '../model/improve-files.ts'
import { bestCandidate, type Candidate, type Made } from './candidates.ts'
import { deliver, NOT_DELIVERED, type ApartCommit, type DeliverDeps, type Delivery } from './deliver.ts'
import { outcomeOf, type Outcome } from './outcome.ts'
import { NOT_PUBLISHED, publish, type ChangeEvidence, type PublishDeps } from './publish.ts'
import { review, type ReviewedChecks } from './review.ts'

/** What proposing changes needs. */
interface ProposeDeps extends Omit<DeliverDeps, 'git'>, Omit<PublishDeps, 'git'> {
  git: DeliverDeps['git'] & PublishDeps['git']
  model: AskModel
  sandbox: Pick<Sandbox, 'fill'>
}

/** Where changes go. */
interface Delivered extends Pick<Delivery, 'prompt'> {
  /** The project that they are committed to; null for files that were sent. */
  at: Delivery['at'] | null
  push?: boolean
  /** Whether a pull request is opened as one that is not to be merged yet; default true. */
  draft?: boolean
}

/** Changes to ask a model for, and a person to decide about. */
interface Proposal<Checks> extends Delivered {
  improve: Omit<ImproveOptions, 'earlier'>
  /** Changes that were there before the model was asked, to be committed by themselves. */
  first?: ApartCommit
  /** Whether what fits is taken where some edits do not. */
  allowPartial: boolean
  /** How many answers the best is chosen from; default 1. */
  candidates?: number
  /** Looks at changes before a person does. */
  check: (changes: Changes) => Promise<Checks>
  /** What a pull request says of the last changes. */
  evidence: (checks: Checks) => ChangeEvidence
  whether: 'ask' | 'auto'
  /** Tells the job's progress. */
  enter: (phase: 'improve' | 'review_changes' | 'commit', message: string) => void
}

/** Takes rejected changes back: the job keeps its files as they were before, and no diff. */
async function takeBack(job: JobContext, before: BaseFiles, touched: readonly string[]): Promise<void> {
  const files = new Map<string, string | null>()
  for (const path of touched) files.set(path, await before.read(path))
  await job.files.put(files)
  await job.setDiff('')
  await job.setPatch('')
}

/** How freely a model answers that is asked for another candidate: with less, it would say the same again. */
const SAMPLING_TEMPERATURE = 0.8

const sampledApart = (options: ImproveOptions): ImproveOptions => ({
  ...options,
  temperature: Math.max(SAMPLING_TEMPERATURE, options.temperature ?? 0),
})

/** What came of asking for changes, and what was decided about them. */
interface Conclusion extends Delivered, Pick<Proposal<unknown>, 'enter' | 'first'> {
  base: BaseFiles
  changes: Changes
  outcome: Outcome
  rejected: RejectedHunk[]
  refinements: number
  decision: Decision['decision'] | null
  explanation: string
  evidence: ChangeEvidence
}

/** The comment of a rejection; undefined where nothing was rejected, or without a word. */
const commentIn = (reply: Decision | null): string | undefined =>
  reply?.decision === 'reject' ? reply.comment : undefined

const exhausted = (maxRefinements: number): string =>
  `The changes were rejected with a comment, and the model is not asked again: max_refinements (${maxRefinements}) ` +
  'is used up. Nothing is changed.'

/** The same request once more, after a rejection: the comment may also name what is to go from files. */
const withComment = (options: ImproveOptions, { turns, refinements }: Talk, comment: string): ImproveOptions => ({
  ...options,
  asked: `${options.asked}\n${comment}`,
  earlier: { turns: [...turns, commentTurn(comment)], refinements: refinements + 1 },
})

/** Commits and pushes what was not rejected, and says what came of the changes; of rejected ones only the diff. */
async function conclude(
  job: JobContext,
  deps: ProposeDeps,
  { at, base, changes, first, outcome, rejected, refinements, decision, enter, prompt, ...conclusion }: Conclusion,
) {
  const isRejected = decision === 'reject'
  const isCommitted = at !== null && !isRejected && outcome.diff !== ''
  if (isCommitted) enter('commit', 'committing the changes')
  const made = isCommitted ? await deliver(job, deps, { at, base, changes, first, prompt }) : null
  const { push = false, draft = true, explanation, evidence } = conclusion
  const published =
    made !== null && at !== null && push
      ? await publish(job, deps, {
          ...evidence,
          at,
          made,
          prompt,
          isDraft: draft,
          explanation,
          diff: outcome.diff,
          leftOut: rejected.length,
        })
      : NOT_PUBLISHED
  return {
    ...outcome,
    ...(isRejected ? { files: [], deleted: [] } : {}),
    baseCommit: base.commit,
    complete: rejected.length === 0,
    rejectedHunks: rejected,
    refinements,
    ...(made ?? NOT_DELIVERED),
    ...published,
    decision,
  }
}

/**
 * Asks for changes, shows them to a person unless nobody is to be asked, and commits what was not rejected. Changes
 * that were rejected with a comment are taken back, and the model is asked for others with its own replies and the
 * comment, as long as there are refinements left.
 *
 * @returns The fields of the job's result that say what came of the changes, the checks of the last ones, and what the
 * model answered where it was asked for several answers.
 * @throws {FaultlineError} As `improveFiles`, `outcomeOf`, `requireEdits`, `deliver` and `publish`.
 */
export async function propose<Checks extends ReviewedChecks>(
  job: JobContext,
  deps: ProposeDeps,
  { improve, allowPartial, candidates: count = 1, check, whether, evidence, ...delivery }: Proposal<Checks>,
) {
  const { enter, prompt, first } = delivery
  const { base, maxRefinements } = improve
  const before = await snapshotFiles(job, deps.sandbox)
  const describe = (changes: Changes): Promise<Outcome> => outcomeOf(job, base, changes, { request: prompt, first })

  async function make(options: ImproveOptions): Promise<Made> {
    const { cut, ...improved } = await improveFiles(job, deps.model, options)
    const outcome = await job.step('diff', () => describe(improved.changes))
    if (cut !== null) throw cut
    requireEdits({ ...improved, allowPartial })
    return { improved, outcome }
  }

  /** The only answer, or the best of several. */
  async function answer(options: ImproveOptions) {
    if (options.earlier !== undefined || count === 1) {
      enter('improve', options.earlier === undefined ? 'asking for changes' : 'asking again, with the comment')
      const made = await make(options)
      return { best: { ...made, checks: await check(made.improved.changes) }, candidates: [] }
    }
    return bestCandidate(job, {
      count,
      make(number) {
        enter('improve', `asking for candidate ${number} of ${count}`)
        return make(number === 1 ? options : sampledApart(options))
      },
      check,
      before,
      takeBack,
      outcomeOf: describe,
    })
  }

  const candidates: Array<Candidate<Checks>> = []
  for (let options: ImproveOptions = improve; ;) {
    const { best, candidates: made } = await answer(options)
    candidates.push(...made)
    const { improved, outcome, checks } = best
    const { verification } = checks
    enter('review_changes', `${verification === undefined ? '' : `${verification}: `}waiting for a decision`)
    const refinementsLeft = maxRefinements - improved.refinements
    const reply = await review(job, { ...improved, ...outcome, whether, checks, refinementsLeft })
    const comment = commentIn(reply)
    if (comment === undefined || refinementsLeft === 0) {
      if (comment !== undefined) job.log(exhausted(maxRefinements))
      const decision = reply?.decision ?? null
      const conclusion = { ...delivery, ...improved, base, outcome, decision, evidence: evidence(checks) }
      return { result: await conclude(job, deps, conclusion), checks, candidates }
    }
    await job.step('improve.take_back', () => takeBack(job, before, improved.touched))
    for (const one of candidates) one.isChosen = false // a person took none of them
    options = withComment(options, improved, comment)
  }
}
