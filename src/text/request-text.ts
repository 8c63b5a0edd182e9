import type { FeatureResultAnswer } from '../contract/feature.ts'
import type { JobAnswer, JobRequestAnswer } from '../contract/job.ts'
import { isObject } from '../core/is-object.ts'
import type { Spent } from '../core/job.ts'
import { diffText } from './diff-text.ts'
import { checkLines, conflictLines, planLines } from './feature-text.ts'
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

/** How often a rejection with a comment has something made again: 0 where a comment would change nothing. */
export function commentsLeft(request: AskedRequest): number {
  const { kind, refinements_left: refinements, replans_left: replans, reworks_left: reworks } = request
  const left = new Map([
    ['review_changes', refinements],
    ['review_plan', replans],
    ['approve_delivery', reworks],
  ])
  return left.get(kind) ?? 0
}

/** Options of `faultline jobs reply` that answer a request. */
export function replyOptions(request: AskedRequest): string {
  const { kind } = request
  if (kind === 'clarification') return '"your answer" (or --skip)'
  if (commentsLeft(request) > 0) {
    return '--approve, --reject, or --reject --comment "what should be different"'
  }
  return kind === 'budget'
    ? '--tokens, --seconds or --usd with a higher limit (or --skip: end with what there is)'
    : '--approve or --reject'
}

/** What a waiting job asks, on one line. */
export function requestHeading({ kind, question, command, branch, problem }: AskedRequest): string {
  if (kind === 'clarification') return printable(question ?? '')
  if (kind === 'confirm_run') return printable(`May this be run? ${command ?? ''}`)
  if (kind === 'review_changes') return 'Are these changes right?'
  if (kind === 'review_plan') return 'Is this plan right?'
  if (kind === 'budget') return 'The budget is used up.'
  return printable(`${problem == null ? 'May' : 'Once more: may'} ${branch ?? 'the branch'} be delivered?`)
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

const isPlan = (plan: unknown): plan is NonNullable<FeatureResultAnswer['plan']> =>
  isObject(plan) &&
  typeof plan.understood === 'string' &&
  typeof plan.branch_name === 'string' &&
  ['entities', 'tools', 'files', 'steps'].every(name => Array.isArray(plan[name]))

/** A plan as this release knows it; any other as it is. */
function anyPlanLines(plan: unknown, paint: Paint): string[] {
  if (plan === undefined) return []
  return isPlan(plan) ? planLines(plan, paint) : [printable(JSON.stringify(plan, null, 2))]
}

const DEPLOYERS = new Map([
  ['url', 'calls deploy_url'],
  ['command', "runs the operator's command"],
  ['check', 'runs checks.deploy in the sandbox'],
])

/** What an approval and a rejection of a delivery do. */
function consequence({ kind, pushes = false, merge = false, merged = false, deploys_by: by }: AskedRequest): string[] {
  if (kind !== 'approve_delivery') return []
  const rejected = merged
    ? 'A rejection leaves it merged, and not deployed.'
    : 'A rejection without a comment aborts it: its branch is deleted here and on the remote.'
  if (pushes) return ['An approval tries to push it once more, and you are asked again.', rejected]
  const deploys = DEPLOYERS.get(by ?? '')
  const does = [...(merge ? ['merges it'] : []), ...(deploys === undefined ? [] : [deploys])]
  return [`An approval ${does.length === 0 ? 'leaves the branch as it is' : does.join(' and ')}.`, rejected]
}

/** What else speaks for or against a delivery. */
function deliveryLines(request: AskedRequest, paint: Paint): string[] {
  const { checks = [], conflicts = [], compare_url: compare, pull_request_url: pullRequest, problem } = request
  return [
    ...checkLines(checks, paint),
    ...conflictLines(conflicts, paint),
    ...(pullRequest == null ? [] : [printable(pullRequest)]),
    ...(pullRequest != null || compare == null ? [] : [`Open a pull request at ${printable(compare)}`]),
    ...(problem == null ? [] : [paint('red', printable(problem))]),
    ...consequence(request),
  ]
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
    ...anyPlanLines(plan, paint),
    ...deliveryLines(request, paint),
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
