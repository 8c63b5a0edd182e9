import type { Budget, Spent } from '../../core/job.ts'
import type { WireJob } from '../backend/backend.ts'
import { diffText } from './diff-text.ts'
import type { Paint } from './output.ts'
import { count } from './table.ts'
import { printable, printableLine } from './terminal-text.ts'

export interface WireRequest {
  kind: string
  question?: string
  command?: string
  script?: string
  files?: Array<{ path: string; bytes: number }>
  diff?: string
  /** What runs of a command say of the changes. */
  verification?: string
  rejected_hunks?: Array<{ path?: string | null; reason?: string; detail?: string }>
  plan?: unknown
  branch?: string
  pull_request_url?: string | null
  spent?: Partial<Spent>
  limit?: Budget
}

/** What a waiting job asks; the server of another version may ask what this one does not know. */
export const asked = ({ request }: Pick<WireJob, 'request'>): WireRequest =>
  (request ?? { kind: 'nothing' }) as unknown as WireRequest

/** Options of `faultline jobs reply` that answer a request. */
export function replyOptions(kind: string): string {
  if (kind === 'clarification') return '"your answer" (or --skip)'
  return kind === 'budget'
    ? '--tokens, --seconds or --usd with a higher limit (or --skip: end with what there is)'
    : '--approve or --reject'
}

export function requestHeading({ kind, question, command, branch }: WireRequest): string {
  if (kind === 'clarification') return printable(question ?? '')
  if (kind === 'confirm_run') return printable(`May this be run? ${command ?? ''}`)
  if (kind === 'review_changes') return 'Are these changes right?'
  if (kind === 'review_plan') return 'Is this plan right?'
  return kind === 'budget' ? 'The budget is used up.' : printable(`May ${branch ?? 'the branch'} be delivered?`)
}

function amounts({ tokens, seconds, usd }: Partial<Spent>): string {
  return [
    ...(tokens === undefined ? [] : [count(tokens, 'token')]),
    ...(seconds === undefined ? [] : [count(seconds, 'second')]),
    ...(usd == null ? [] : [`${usd} USD`]),
  ].join(', ')
}

/** What belongs to it, in whole lines. */
export function requestDetail(
  {
    files = [],
    script,
    diff,
    verification,
    rejected_hunks: rejected = [],
    plan,
    pull_request_url: pullRequest,
    spent,
    limit,
  }: WireRequest,
  paint: Paint,
): string {
  const lines = [
    ...(script === undefined ? [] : [printable(script.trimEnd()).replace(/^/gm, '    ')]),
    ...files.map(({ path, bytes }) => `  ${printableLine(path)} (${bytes} bytes)`),
    ...(diff === undefined ? [] : [diffText(diff, paint)]),
    ...(verification === undefined ? [] : [printableLine(verification.replaceAll('_', ' '))]),
    ...(rejected.length === 0
      ? []
      : [
          `Left out, as they did not apply: ${rejected.length}`,
          ...rejected.map(
            ({ path, reason, detail }) =>
              `  ${printableLine(`${path ?? 'the reply'}: ${reason ?? ''}: ${detail ?? ''}`)}`,
          ),
        ]),
    ...(plan === undefined ? [] : [printable(typeof plan === 'string' ? plan : JSON.stringify(plan, null, 2))]),
    ...(pullRequest == null ? [] : [printable(pullRequest)]),
    ...(spent === undefined ? [] : [`Spent ${amounts(spent)} of ${amounts(limit ?? {})}.`]),
  ]
  return lines.map(line => `${line}\n`).join('')
}

/** What a waiting job asks and how to reply, for a person; empty when it asks nothing. */
export function requestText(job: Pick<WireJob, 'id' | 'request'>, paint: Paint): string {
  if (job.request === null) return ''
  const request = asked(job)
  return `\n${paint('bold', requestHeading(request))}\n${requestDetail(request, paint)}${paint('dim', `Reply: faultline jobs reply ${job.id} ${replyOptions(request.kind)}`)}`
}
