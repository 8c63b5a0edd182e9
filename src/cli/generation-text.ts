import type { JobFile } from '../core/job.ts'
import type { WireJob } from './backend.ts'
import type { Paint } from './output.ts'
import { columns, count, milliseconds, shortCommit } from './table.ts'
import { printableLine } from './terminal-text.ts'

/** Results of pipelines, as the contract has them. */
export interface WireRun { exit_code: number | null, stdout: string, stderr: string, timed_out: boolean, duration_ms: number, killed_by: string | null, ready: boolean }
export interface WireHeal { files: JobFile[], deleted: string[], diff: string, healed: boolean, stopped_because: string, attempts: WireRun[] }
export type WireSelfHeal = WireHeal & Pick<WireImproved, 'branch' | 'commit' | 'base_commit'>
export interface WireGenerated { files: JobFile[], entrypoint: string, run: WireRun | null, heal: WireHeal | null }
export interface WireImproved {
  files: JobFile[]
  deleted: string[]
  diff: string
  base_commit: string | null
  complete: boolean
  rejected_hunks: Array<{ path: string | null, reason: string, detail: string }>
  refinements: number
  branch: string | null
  commit: string | null
  decision: 'approve' | 'reject' | null
}

const MAX_LISTED = 20

/** How a run of a program ended. */
function endOf ({ exit_code: exitCode, killed_by: killedBy, ready, duration_ms: took }: WireRun): string {
  const how = ready ? 'ready' : killedBy === null ? `exit code ${exitCode ?? 'none'}` : `ended for its ${killedBy}`
  return `${how} after ${milliseconds(took)}`
}

/** The same in the colour of its exit code. */
export const endText = (run: WireRun, paint: Paint): string => paint(run.exit_code === 0 ? 'green' : 'red', endOf(run))

const STOPS = new Map([
  ['max_attempts', 'the attempts were used up'],
  ['same_error', 'the same error came again'],
  ['no_change', 'the model had no change to make'],
  ['budget', 'the budget or the time was used up'],
])

/** Why healing ended as it did, and each run. */
export function healText ({ healed, stopped_because: reason, attempts }: Pick<WireHeal, 'healed' | 'stopped_because' | 'attempts'>, paint: Paint): string {
  const outcome = healed ? paint('green', `Healed: run ${attempts.length} worked.`) : paint('red', `Not healed after ${count(attempts.length, 'run')}: ${STOPS.get(reason) ?? printableLine(reason)}.`)
  return [outcome, columns(attempts.map((attempt, index) => [`  run ${index + 1}`, endOf(attempt), paint('dim', printableLine(lastLine(attempt)))]))].filter(text => text !== '').join('\n')
}

/** What it said last, which is the error in most runtimes. */
const lastLine = ({ stderr, stdout }: WireRun): string => (stderr.trim() || stdout.trim()).split('\n').at(-1)?.slice(0, 200) ?? ''

export function changesText ({ files, deleted }: Pick<WireImproved, 'files' | 'deleted'>, paint: Paint): string {
  if (files.length + deleted.length === 0) return 'Nothing is different.'
  return [...files.map(({ path }) => `  ${paint('green', 'changed')}  ${printableLine(path)}`), ...deleted.map(path => `  ${paint('red', 'deleted')}  ${printableLine(path)}`)].join('\n')
}

/** Where the changes of a project are. */
export function branchText ({ branch, commit, base_commit: base }: Pick<WireImproved, 'branch' | 'commit' | 'base_commit'>, paint: Paint): string[] {
  if (branch === null || commit === null) return []
  return [`Committed as ${paint('yellow', shortCommit(commit))} to ${paint('bold', printableLine(branch))} in the clone${base === null ? '' : `, on top of ${shortCommit(base)}`}.`]
}

export function rejectedText ({ rejected_hunks: rejected }: Pick<WireImproved, 'rejected_hunks'>, paint: Paint): string[] {
  return rejected.length === 0 ? [] : [paint('yellow', `Left out, as they did not apply: ${rejected.length}`), ...rejected.slice(0, MAX_LISTED).map(({ path, reason, detail }) => `  ${printableLine(`${path ?? 'the reply'}: ${reason}: ${detail}`)}`)]
}

export function usageText ({ id, usage }: WireJob, paint: Paint): string {
  const { llm_calls: calls, prompt_tokens: prompt, completion_tokens: completion, usd } = usage
  return paint('dim', `Job ${id}: ${count(calls, 'call')} of the model, ${count(prompt, 'token')} in, ${completion} out${usd === null ? '' : `, ${usd.toFixed(4)} USD`}.`)
}

/** Names on one line, not endlessly many. */
export function listed (paths: readonly string[]): string {
  const shown = paths.slice(0, MAX_LISTED).map(printableLine).join(', ')
  return paths.length > MAX_LISTED ? `${shown} and ${paths.length - MAX_LISTED} more` : shown
}
