import type { Paint } from './output.ts'
import type { WireJob } from './backend.ts'
import { printable } from './terminal-text.ts'

interface WireRequest {
  kind: string
  question?: string
  command?: string
  files?: Array<{ path: string, bytes: number }>
  diff?: string
  rejected_hunks?: unknown[]
  plan?: unknown
  branch?: string
  pull_request_url?: string | null
  spent?: object
  limit?: object
}

const DECIDE = '--approve or --reject'

/** What a waiting job asks and how to reply, for a person; empty when it asks nothing. */
export function requestText ({ id, request }: Pick<WireJob, 'id' | 'request'>, paint: Paint): string {
  if (request === null) return ''
  const asked = request as unknown as WireRequest
  const reply = (options: string) => paint('dim', `Reply: faultline jobs reply ${id} ${options}`)
  return `\n${paint('bold', heading(asked))}\n${detail(asked)}${reply(optionsFor(asked.kind))}`
}

function optionsFor (kind: string): string {
  if (kind === 'clarification') return '"your answer" (or --skip)'
  return kind === 'budget' ? '--tokens, --seconds or --usd with a higher limit' : DECIDE
}

function heading ({ kind, question, command, branch }: WireRequest): string {
  if (kind === 'clarification') return printable(question ?? '')
  if (kind === 'confirm_run') return printable(`May this be run? ${command ?? ''}`)
  if (kind === 'review_changes') return 'Are these changes right?'
  if (kind === 'review_plan') return 'Is this plan right?'
  return kind === 'budget' ? 'The budget is used up.' : printable(`May ${branch ?? 'the branch'} be delivered?`)
}

function detail ({ files = [], diff, rejected_hunks: rejected = [], plan, pull_request_url: pullRequest, spent, limit }: WireRequest): string {
  const lines = [
    ...files.map(({ path, bytes }) => `  ${path} (${bytes} bytes)`),
    ...(diff === undefined ? [] : [diff.trimEnd()]),
    ...(rejected.length === 0 ? [] : [`Left out, as they did not apply: ${rejected.length}`]),
    ...(plan === undefined ? [] : [typeof plan === 'string' ? plan : JSON.stringify(plan, null, 2)]),
    ...(pullRequest == null ? [] : [pullRequest]),
    ...(spent === undefined ? [] : [`spent ${JSON.stringify(spent)} of ${JSON.stringify(limit)}`]),
  ]
  return lines.map(line => `${printable(line)}\n`).join('')
}
