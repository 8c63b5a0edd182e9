import {
  hasChanges,
  type FixAnswer,
  type GenerateAnswer,
  type HealAnswer,
  type ImproveAnswer,
  type ProgramRunAnswer,
  type SelfHealAnswer,
} from '../contract/generation-results.ts'
import type { BisectAnswer } from '../contract/bisect.ts'
import type { FeatureResultAnswer } from '../contract/feature.ts'
import type { TaskResultAnswer } from '../contract/task.ts'
import type { JobAnswer } from '../contract/job.ts'
import { bisectText } from './bisect-text.ts'
import { featureResultText } from './feature-text.ts'
import { guardLines } from './guard-lines.ts'
import type { Paint } from './paint.ts'
import { columns, count, milliseconds, shortCommit } from './table.ts'
import { listed, MAX_LISTED } from './listed.ts'
import { taskResultText } from './task-text.ts'
import { verificationLines } from './verification-text.ts'
import { printableLine } from './terminal-text.ts'

function outcomeOf({ exit_code: exitCode, killed_by: killedBy, ready }: ProgramRunAnswer): string {
  if (ready) return 'ready'
  if (killedBy !== null) return `ended for its ${killedBy}`
  return `exit code ${exitCode ?? 'none'}`
}

/** How a run of a program ended, and after what time. */
function endOf(run: ProgramRunAnswer): string {
  return `${outcomeOf(run)} after ${milliseconds(run.duration_ms)}`
}

/** How a run ended, in the colour of its exit code. */
const endText = (run: ProgramRunAnswer, paint: Paint): string =>
  paint(run.exit_code === 0 ? 'green' : 'red', endOf(run))

const STOPS = new Map([
  ['max_attempts', 'the attempts were used up'],
  ['same_error', 'the same error came again'],
  ['no_change', 'the model had no change to make'],
  ['budget', 'the budget or the time was used up'],
])

/** The last line that a run printed, which is the error in most runtimes. */
const lastLine = ({ stderr, stdout }: ProgramRunAnswer): string =>
  (stderr.trim() || stdout.trim()).split('\n').at(-1)?.slice(0, 200) ?? ''

/** Why healing ended as it did, and each run. */
function healText(
  { healed, stopped_because: reason, attempts }: Pick<HealAnswer, 'healed' | 'stopped_because' | 'attempts'>,
  paint: Paint,
): string {
  const why = STOPS.get(reason) ?? printableLine(reason)
  const outcome = healed
    ? paint('green', `Healed: run ${attempts.length} worked.`)
    : paint('red', `Not healed after ${count(attempts.length, 'run')}: ${why}.`)
  return [
    outcome,
    columns(
      attempts.map((attempt, index) => [
        `  run ${index + 1}`,
        endOf(attempt),
        paint('dim', printableLine(lastLine(attempt))),
      ]),
    ),
  ]
    .filter(text => text !== '')
    .join('\n')
}

/** Whether a generated program was run, and how that went. */
export function outcomeText({ run, heal }: GenerateAnswer, paint: Paint): string {
  if (heal !== null) return healText(heal, paint)
  return run === null ? paint('dim', 'It was not run.') : `${paint('bold', 'Run')}: ${endText(run, paint)}`
}

function generatedText(result: GenerateAnswer, paint: Paint): string {
  const names = listed(result.files.map(({ path }) => path))
  return `${count(result.files.length, 'file')}: ${names}\n${outcomeText(result, paint)}`
}

function changesText(result: Pick<ImproveAnswer, 'files' | 'deleted'>, paint: Paint): string {
  if (!hasChanges(result)) return 'Nothing is different.'
  return [
    ...result.files.map(({ path }) => `  ${paint('green', 'changed')}  ${printableLine(path)}`),
    ...result.deleted.map(path => `  ${paint('red', 'deleted')}  ${printableLine(path)}`),
  ].join('\n')
}

/** Where the changes of a project are. */
function branchLines(
  { branch, commit, base_commit: base }: Pick<ImproveAnswer, 'branch' | 'commit' | 'base_commit'>,
  paint: Paint,
): string[] {
  if (branch === null || commit === null) return []
  const where = `to ${paint('bold', printableLine(branch))} in the clone`
  const onTop = base === null ? '' : `, on top of ${shortCommit(base)}`
  return [`Committed as ${paint('yellow', shortCommit(commit))} ${where}${onTop}.`]
}

/** Where the changes of a project can be looked at; a server of an earlier release says nothing of it. */
function reviewLines({ pull_request_url: request, compare_url: compare }: ImproveAnswer, paint: Paint): string[] {
  const [told, url] = request ? ['Pull request', request] : ['Open a pull request at', compare]
  return url ? [`${told}: ${paint('bold', printableLine(url))}`] : []
}

function rejectedLines({ rejected_hunks: rejected }: Pick<ImproveAnswer, 'rejected_hunks'>, paint: Paint): string[] {
  return rejected.length === 0
    ? []
    : [
        paint('yellow', `Left out, as they did not apply: ${rejected.length}`),
        ...rejected
          .slice(0, MAX_LISTED)
          .map(({ path, reason, detail }) => `  ${printableLine(`${path ?? 'the reply'}: ${reason}: ${detail}`)}`),
      ]
}

function improvedLines(result: ImproveAnswer, paint: Paint): string[] {
  if (result.decision === 'reject') return ['Nothing was changed.']
  return [
    changesText(result, paint),
    ...rejectedLines(result, paint),
    ...branchLines(result, paint),
    ...reviewLines(result, paint),
  ]
}

function healedText(result: SelfHealAnswer, paint: Paint): string {
  return [
    healText(result, paint),
    ...(hasChanges(result) ? [changesText(result, paint)] : []),
    ...branchLines(result, paint),
  ].join('\n')
}

/** The test of `reproduce`, in a line; nothing where none was asked for. */
function reproductionLines({ reproduction }: Pick<FixAnswer, 'reproduction'>): string[] {
  if (reproduction == null) return []
  const { reproduced, paths, reason } = reproduction
  if (reproduced) return [`A test shows the failure: ${listed(paths)}`]
  return [printableLine(`No test shows the failure: ${reason ?? 'none was written'}`)]
}

const LABEL_WORDS = new Map([
  ['partially_verified', 'partially verified'],
  ['could_not_run', 'could not run'],
])

const MAX_NOTE_CHARS = 120

/** The answers that the change was chosen from, a line each; nothing where there was one. */
function candidateLines({ candidates }: Pick<FixAnswer, 'candidates'>): string[] {
  // a job of an earlier release has none
  if (candidates === undefined || candidates.length === 0) return []
  const rows = candidates.map(({ number, chosen, votes, verification, warnings, note }) => {
    const label = verification ?? ''
    const remark = note ?? ''
    return [
      `  candidate ${number}`,
      LABEL_WORDS.get(label) ?? printableLine(label),
      votes > 1 ? count(votes, 'vote') : '',
      warnings === null || warnings === 0 ? '' : count(warnings, 'warning'),
      chosen ? 'chosen' : printableLine(remark).slice(0, MAX_NOTE_CHARS),
    ]
  })
  return [columns(rows)]
}

function fixedText(result: FixAnswer, paint: Paint): string {
  const { baseline, after, guards } = result
  return [
    ...improvedLines(result, paint),
    ...reproductionLines(result),
    ...candidateLines(result),
    ...verificationLines(result, paint),
    ...(baseline === null || after === null
      ? []
      : [`  before  ${endText(baseline, paint)}`, `  after   ${endText(after, paint)}`]),
    ...guardLines(guards, paint),
  ].join('\n')
}

/** The outcome of a job that writes or runs code, in some lines; empty for any other job. */
export function resultText({ type, result }: Pick<JobAnswer, 'type' | 'result'>, paint: Paint): string {
  if (result === null) return ''
  if (type === 'generate') return generatedText(result as GenerateAnswer, paint)
  if (type === 'improve') return improvedLines(result as ImproveAnswer, paint).join('\n')
  if (type === 'self_heal') return healedText(result as SelfHealAnswer, paint)
  if (type === 'bisect') return bisectText(result as BisectAnswer, paint)
  if (type === 'task') return taskResultText(result as TaskResultAnswer, paint)
  if (type === 'feature') return featureResultText(result as FeatureResultAnswer, paint)
  return type === 'fix' ? fixedText(result as FixAnswer, paint) : ''
}

/** The calls and tokens that a job used, and their cost. */
export function usageText({ id, usage }: JobAnswer, paint: Paint): string {
  const { llm_calls: calls, prompt_tokens: prompt, completion_tokens: completion, usd } = usage
  const price = usd === null ? '' : `, ${usd.toFixed(4)} USD`
  const spent = `${count(calls, 'call')} of the model, ${count(prompt, 'token')} in, ${completion} out${price}`
  return paint('dim', `Job ${id}: ${spent}.`)
}
