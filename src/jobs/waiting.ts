import type { ReplyBody } from '../contract/job.ts'
import { FaultlineError } from '../core/errors.ts'
import type { Job, JobReply, JobRequest, RequestKind } from '../core/job.ts'
import { MAX_REPLY_CHARS } from '../core/reply-limits.ts'

/**
 * Thrown through the body of a job that has to wait for a person, so that it holds nothing meanwhile. After the reply
 * the body is run again from the top and gets it where it asked. Whoever catches it changes nothing: the job waits all
 * the same.
 */
export class Suspension extends Error {
  /** Names the question within the job, as a step is named. */
  readonly asked: string
  readonly request: JobRequest

  constructor(asked: string, request: JobRequest) {
    super(`the job waits for a person (${request.kind})`)
    this.name = 'Suspension'
    this.asked = asked
    this.request = request
  }
}

/** What is stored in place of a reply when nobody gave one in time. */
export interface Expired {
  expired: true
  since: string
}

/** The name under which it is stored that a budget was not raised; no step may have it. */
export const BUDGET_STEP = 'budget'

const DECISION = '{"decision": "approve"} or {"decision": "reject"}'

const COMMENTED = (does: string): string =>
  `{"decision": "approve"}, {"decision": "reject"}, or {"decision": "reject", "comment": ` +
  `"what should be different"} ${does}`

/** Kinds of requests whose rejection may say what should be different. */
const TAKES_COMMENT: ReadonlySet<RequestKind> = new Set(['review_changes', 'review_plan', 'approve_delivery'])

const ALLOWED: Record<RequestKind, string> = {
  clarification: '{"answer": "text"} (empty or "c" skips the question) or {"skip": true}',
  confirm_run: DECISION,
  review_changes: COMMENTED('to have the model asked again'),
  review_plan: COMMENTED('to have it planned again'),
  approve_delivery: COMMENTED('to have it coded again'),
  budget:
    '{"budget": {"tokens": …, "seconds": …, "usd": …}} with a higher limit, ' +
    '{"skip": true} to end with what there is, or POST /jobs/{id}/cancel',
}

/** What may be sent as the reply to a request, as a `fix` says it. */
const allowedReplies = (kind: RequestKind): string => `Send ${ALLOWED[kind]}.`

function notWaitingFix(status: Job['status']): string {
  if (status === 'queued' || status === 'running') {
    return 'GET /jobs/{id}?wait=60 answers when it asks something or has ended; POST /jobs/{id}/cancel ends it.'
  }
  return 'It has ended. POST /jobs/{id}/retry starts it again.'
}

/** The comment of a reply; undefined where there is none, or a blank one. */
function commentOf({ comment }: ReplyBody): string | undefined {
  const text = comment?.trim() ?? ''
  return text === '' ? undefined : text
}

/** A reply of the command line may not have passed the schema of the route. */
function checkLengths(body: ReplyBody): void {
  for (const field of ['answer', 'comment'] as const) {
    const { length = 0 } = body[field] ?? {}
    if (length > MAX_REPLY_CHARS[field]) {
      throw new FaultlineError(
        'VALIDATION_FAILED',
        `The ${field} has ${length} characters; ${MAX_REPLY_CHARS[field]} are the most.`,
        'Shorten it.',
      )
    }
  }
}

function replyTo(kind: RequestKind, body: ReplyBody): JobReply | null {
  const { answer, skip, decision, budget } = body
  if (kind === 'clarification') {
    if (answer !== undefined) return ['', 'c'].includes(answer.trim()) ? { skip: true } : { answer }
    return skip === true ? { skip } : null
  }
  if (kind === 'budget') {
    if (skip === true) return { skip }
    return budget === undefined || Object.keys(budget).length === 0 ? null : { budget }
  }
  if (decision !== 'reject') return decision === undefined ? null : { decision }
  const comment = commentOf(body)
  return comment === undefined ? { decision } : { decision, comment }
}

/**
 * The reply in its one form.
 *
 * @throws {FaultlineError} VALIDATION_FAILED when the body is not exactly one reply; NOT_WAITING, WRONG_REPLY with what
 * is allowed now.
 */
export function checkReply({ id, status, request }: Pick<Job, 'id' | 'status' | 'request'>, body: ReplyBody): JobReply {
  const given = (['answer', 'skip', 'decision', 'budget'] as const).filter(field => body[field] !== undefined)
  if (given.length !== 1) {
    throw new FaultlineError(
      'VALIDATION_FAILED',
      `A reply has exactly one of answer, skip, decision and budget; this one has ${given.join(', ') || 'none'}.`,
      request === null ? undefined : allowedReplies(request.kind),
    )
  }
  checkLengths(body)
  const hasComment = commentOf(body) !== undefined
  if (hasComment && body.decision !== 'reject') {
    throw new FaultlineError(
      'VALIDATION_FAILED',
      'A comment goes with the decision "reject" alone: it asks for other changes.',
      request === null ? undefined : allowedReplies(request.kind),
    )
  }
  if (status !== 'waiting' || request === null) {
    throw new FaultlineError('NOT_WAITING', `The job ${id} is ${status}; it asks nothing.`, notWaitingFix(status))
  }
  if (hasComment && !TAKES_COMMENT.has(request.kind)) {
    throw new FaultlineError(
      'WRONG_REPLY',
      `The job ${id} waits with a request of kind ${request.kind}, which takes no comment.`,
      allowedReplies(request.kind),
    )
  }
  const reply = replyTo(request.kind, body)
  if (reply === null) {
    throw new FaultlineError(
      'WRONG_REPLY',
      `The job ${id} waits with a request of kind ${request.kind}; ${given.join()} does not answer it.`,
      allowedReplies(request.kind),
    )
  }
  return reply
}

/** The error of a job that nobody answered in time. */
export const timedOut = ({ since }: Expired): FaultlineError =>
  new FaultlineError(
    'REPLY_TIMED_OUT',
    `Nobody replied since ${since}.`,
    'POST /jobs/{id}/retry starts it again; REPLY_TIMEOUT_DAYS says how long a job waits.',
  )

/** The error of a job whose budget was not raised. */
export const budgetSpent = (): FaultlineError =>
  new FaultlineError(
    'BUDGET_EXHAUSTED',
    'The budget is used up, and it was not raised.',
    'GET /jobs/{id}/files and /diff have what was done; POST /jobs/{id}/retry with a higher budget goes on.',
  )
