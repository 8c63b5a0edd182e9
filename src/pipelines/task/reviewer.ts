import type { Review } from '../../contract/task.ts'
import type { DialogueMessage } from '../../core/dialogue.ts'
import type { JobContext } from '../../jobs/job-context.ts'
import type { AskModel } from '../steps/model/ask-model.ts'
import { replied, says } from '../steps/model/dialogues.ts'
import { MAX_ANSWER_TOKENS, MAX_ASKED, addSpent, asksForJson, jsonRule, tooLong, type Spent } from './agent.ts'
import { REVIEW_JSON, readReview } from './review-answer.ts'
import { fitDiff, type FittingDiff } from './review-diff.ts'

/** A diff for a reviewer, as git writes it. */
interface ReviewRequest {
  diff: string
  model?: string
  temperature?: number
}

/** What a reviewer says of a diff, or why nothing came of it. */
export type Reviewed = Spent & ({ ok: true; review: Review } | { ok: false; message: string })

/** Tokens of a diff for a model whose context nobody named: what most of them read with care. */
const DIFF_TOKENS = 60_000
/** Tokens of a context that the rules, the answer and a second question need. */
const OTHER_TOKENS = 12_000
const MIN_DIFF_SHARE = 0.25
const MAX_NAMES = 50

/** Names of files, the first of many. */
function namesOf(paths: readonly string[], between: string): string {
  const more = paths.length - MAX_NAMES
  return [...paths.slice(0, MAX_NAMES), ...(more > 0 ? [`and ${more} more`] : [])].join(between)
}

function dialogueOf({ text, leftOut }: FittingDiff): DialogueMessage[] {
  const files = { label: 'files left out', text: namesOf(leftOut, '\n') }
  return [
    { role: 'system', content: { prompt: 'task-reviewer' } },
    says([
      { prompt: 'task-reviewer-user', slots: { diff: { label: 'diff', text } } },
      ...(leftOut.length === 0 ? [] : ['\n\n', { prompt: 'task-reviewer-left-out', slots: { files } }]),
      '\n\n',
      jsonRule(REVIEW_JSON),
    ]),
  ]
}

/** Tokens of a diff that a model can be shown. */
function roomOf({ contextOf }: Pick<AskModel, 'contextOf'>, model: string | undefined): number {
  const context = contextOf(model)
  if (context === null) return DIFF_TOKENS
  return Math.max(context - OTHER_TOKENS, Math.floor(context * MIN_DIFF_SHARE))
}

/** What a review comes to where a part of the change was not read: nobody has approved that part. */
function judged(
  review: Review,
  leftOut: readonly string[],
): { ok: true; review: Review } | { ok: false; message: string } {
  if (leftOut.length === 0) return { ok: true, review }
  const said = `Not read, as the change is larger than the model takes: ${namesOf(leftOut, ', ')}.`
  const summary = review.summary === '' ? said : `${review.summary} ${said}`
  if (review.decision === 'reject') return { ok: true, review: { ...review, summary } }
  return { ok: false, message: `The reviewer could approve a part of the change alone. ${said} Make it smaller.` }
}

/**
 * Asks a reviewer for a judgement of a diff, which is all that it sees. A reply that cannot be read is asked for once
 * more with the reasons. Each call is a step.
 *
 * @throws {FaultlineError} REPLY_FILTERED, and what `askModel` throws.
 */
export async function askReviewer(job: JobContext, deps: AskModel, request: ReviewRequest): Promise<Reviewed> {
  const { diff, model, temperature } = request
  const countTokens = (text: string): number => deps.estimate({ messages: [says(text)], model }).tokens
  const fitting = await job.step('reviewer.diff', async () => fitDiff(diff, roomOf(deps, model), countTokens))
  let spent: Spent = { tokensUsed: 0, durationMs: 0 }
  if (fitting.text === '') {
    const files = namesOf(fitting.leftOut, ', ')
    return {
      ok: false,
      message: `The change is larger than the reviewer can read: ${files}. Make it smaller.`,
      ...spent,
    }
  }
  const messages = dialogueOf(fitting)
  for (let asked = 1; ; asked++) {
    const options = { maxOutputTokens: MAX_ANSWER_TOKENS, json: REVIEW_JSON, model, temperature }
    const reply = await deps.askModel(job, { name: 'reviewer', messages: [...messages], ...options })
    spent = addSpent(spent, reply)
    if (reply.cut !== null) return { ok: false, message: tooLong(reply.cut), ...spent }
    const read = readReview(deps.jsonValuesIn(reply.text))
    if ('review' in read) return { ...judged(read.review, fitting.leftOut), ...spent }
    if (asked === MAX_ASKED) {
      return { ok: false, message: `The reply of the reviewer cannot be used: ${read.problems.join(' ')}`, ...spent }
    }
    job.log('The reply of the reviewer cannot be read; it is asked again.')
    messages.push(replied(reply.text), asksForJson(read.problems))
  }
}

function placeOf({ file, line }: Review['issues'][number]): string {
  if (file === null) return ''
  return line === null ? ` ${file}:` : ` ${file}:${line}:`
}

/** A review as the coder of the next attempt is told, the critical issues first. */
export function reviewFeedback({ issues, summary }: Review): string {
  const isCritical = ({ severity }: Review['issues'][number]): boolean => severity === 'critical'
  const sorted = [...issues.filter(isCritical), ...issues.filter(issue => !isCritical(issue))]
  const lines = sorted.map(issue => `- [${issue.severity}]${placeOf(issue)} ${issue.message}`)
  return [`The reviewer rejected the change.${summary === '' ? '' : ` ${summary}`}`, ...lines].join('\n')
}
