import type { JobAnswer, JobRequestAnswer } from '../contract/job.ts'
import type { Spent } from '../core/job.ts'
import { diffText } from './diff-text.ts'
import { guardLines } from './guard-lines.ts'
import type { Paint } from './paint.ts'
import { count } from './table.ts'
import { printable, printableLine } from './terminal-text.ts'
import { verificationLines } from './verification-text.ts'

type FieldName<Request> = Request extends unknown ? keyof Request : never
type FieldOf<Request, Name> = Request extends unknown ? (Name extends keyof Request ? Request[Name] : never) : never

/** The fields of all kinds of requests: a server of another release may leave out any but the kind. */
export type AskedRequest = { kind: string } & {
  [Name in Exclude<FieldName<JobRequestAnswer>, 'kind'>]?: FieldOf<JobRequestAnswer, Name>
}

/** What a waiting job asks; a server of another version may ask what this one does not know. */
export const asked = ({ request }: Pick<JobAnswer, 'request'>): AskedRequest =>
  (request ?? { kind: 'nothing' }) as AskedRequest

/** Options of `faultline jobs reply` that answer a request. */
export function replyOptions({ kind, refinements_left: left = 0 }: AskedRequest): string {
  if (kind === 'clarification') return '"your answer" (or --skip)'
  if (kind === 'review_changes' && left > 0) {
    return '--approve, --reject, or --reject --comment "what should be different"'
  }
  return kind === 'budget'
    ? '--tokens, --seconds or --usd with a higher limit (or --skip: end with what there is)'
    : '--approve or --reject'
}

/** What a waiting job asks, on one line. */
export function requestHeading({ kind, question, command, branch }: AskedRequest): string {
  if (kind === 'clarification') return printable(question ?? '')
  if (kind === 'confirm_run') return printable(`May this be run? ${command ?? ''}`)
  if (kind === 'review_changes') return 'Are these changes right?'
  if (kind === 'review_plan') return 'Is this plan right?'
  if (kind === 'budget') return 'The budget is used up.'
  return printable(`May ${branch ?? 'the branch'} be delivered?`)
}

function amounts({ tokens, seconds, usd }: Partial<Spent>): string {
  return [
    ...(tokens === undefined ? [] : [count(tokens, 'token')]),
    ...(seconds === undefined ? [] : [count(seconds, 'second')]),
    ...(usd == null ? [] : [`${usd} USD`]),
  ].join(', ')
}

function rejectedLines(rejected: NonNullable<AskedRequest['rejected_hunks']>): string[] {
  if (rejected.length === 0) return []
  const rows = rejected.map(({ path, reason, detail }) => {
    const parts = [path ?? 'the reply', reason ?? '', detail ?? '']
    return `  ${printableLine(parts.join(': '))}`
  })
  return [`Left out, as they did not apply: ${rejected.length}`, ...rows]
}

function explanationLines(explanation: string | undefined, paint: Paint): string[] {
  return explanation === undefined ? [] : [paint('bold', 'What the model says:'), printable(explanation), '']
}

function planLines(plan: unknown): string[] {
  if (plan === undefined) return []
  return [printable(typeof plan === 'string' ? plan : JSON.stringify(plan, null, 2))]
}

/** The details of a request, in whole lines. */
export function requestDetail(request: AskedRequest, paint: Paint): string {
  const {
    files = [],
    script,
    explanation,
    diff,
    guards,
    rejected_hunks: rejected = [],
    plan,
    pull_request_url: pullRequest,
    spent,
    limit = {},
  } = request
  const lines = [
    ...(script === undefined ? [] : [printable(script.trimEnd()).replace(/^/gm, '    ')]),
    ...files.map(({ path, bytes }) => `  ${printableLine(path)} (${bytes} bytes)`),
    ...explanationLines(explanation, paint),
    ...(diff === undefined ? [] : [diffText(diff, paint)]),
    ...verificationLines(request, paint),
    ...guardLines(guards, paint),
    ...rejectedLines(rejected),
    ...planLines(plan),
    ...(pullRequest == null ? [] : [printable(pullRequest)]),
    ...(spent === undefined ? [] : [`Spent ${amounts(spent)} of ${amounts(limit)}.`]),
  ]
  return lines.map(line => `${line}\n`).join('')
}

/** What a waiting job asks and how to reply, for a person; empty when it asks nothing. */
export function requestText(job: Pick<JobAnswer, 'id' | 'request'>, paint: Paint): string {
  if (job.request === null) return ''
  const request = asked(job)
  const reply = `Reply: faultline jobs reply ${job.id} ${replyOptions(request)}`
  const detail = requestDetail(request, paint)
  return `\n${paint('bold', requestHeading(request))}\n${detail}${paint('dim', reply)}`
}
