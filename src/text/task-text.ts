import type { TaskAnswer, TaskLogAnswer, TaskResultAnswer, TaskRowAnswer } from '../contract/task.ts'
import { pathOf } from '../core/path-of.ts'
import { guardLines } from './guard-lines.ts'
import type { Format, Paint } from './paint.ts'
import { count, shortCommit, timeText } from './table.ts'
import { printable, printableLine } from './terminal-text.ts'

const RULE = '─'.repeat(60)

const COLOURS: Readonly<Record<TaskRowAnswer['status'], Format>> = {
  pending: 'yellow',
  coding: 'cyan',
  reviewing: 'cyan',
  testing: 'cyan',
  done: 'green',
  failed: 'red',
}

const heading = (title: string, paint: Paint): string[] => [
  paint('dim', RULE),
  ` ${paint('bold', title)}`,
  paint('dim', RULE),
]

/** A label of twelve columns and its value; further lines of the value stand below its first. */
const field = (label: string, value: string): string =>
  `  ${`${label}:`.padEnd(13)}${printable(value.trim()).replace(/\n(?=[^\n])/g, `\n${' '.repeat(15)}`)}`

/** The tasks, a line each, under a heading. */
export function tasksText(tasks: readonly TaskRowAnswer[], paint: Paint): string {
  const rows = tasks.map(
    ({ number, status, title }) => ` #${number} [${paint(COLOURS[status], status)}] ${printableLine(title)}`,
  )
  return [...heading('Tasks', paint), ...(rows.length === 0 ? [' No tasks.'] : rows)].join('\n')
}

function logLines(log: TaskLogAnswer, paint: Paint): string[] {
  const { agent, action, input_summary: input, output_summary: output, tokens_used: tokens, duration_ms: ms } = log
  return [
    `  [${paint('dim', timeText(log.created_at))}] ${paint('bold', `${agent}/${action}`)}`,
    ...(input === null ? [] : [`    Input:  ${printableLine(input)}`]),
    ...(output === null ? [] : [`    Output: ${printableLine(output)}`]),
    ...(tokens === null ? [] : [`    Tokens: ${tokens}`]),
    ...(ms === null ? [] : [`    Duration: ${ms}ms`]),
  ]
}

/** The branch of the newest attempt; those of a task that failed are gone. */
function branchText({ branch_name: name, status }: TaskAnswer): string {
  if (name === null) return '-'
  return status === 'failed' ? `${printableLine(name)} (deleted)` : printableLine(name)
}

/** A task, and what its agents did. */
export function taskText(task: TaskAnswer, paint: Paint): string {
  const { reviewer_feedback: feedback, error_message: error, logs } = task
  return [
    ...heading(`Task #${task.number}`, paint),
    field('Title', printableLine(task.title)),
    field('Status', paint(COLOURS[task.status], task.status)),
    field('Repository', printableLine(task.repo_path === null ? task.project_name : pathOf(task.repo_path))),
    field('Branch', branchText(task)),
    field('Attempt', `${task.attempt}/${task.max_attempts}`),
    field('Created', timeText(task.created_at)),
    field('Updated', timeText(task.updated_at)),
    ...(error === null ? [] : [field('Error', error)]),
    ...(feedback === null ? [] : [field('Feedback', feedback)]),
    '',
    ...heading('Agent Logs', paint),
    ...(logs.length === 0 ? ['  Nothing yet.'] : logs.flatMap(log => logLines(log, paint))),
  ].join('\n')
}

type Attempt = TaskResultAnswer['attempts'][number]

/** Why an attempt was sent back, or that it passed. */
function attemptLine({ number, failure }: Attempt, paint: Paint): string {
  if (failure === null) return `  attempt ${number}  ${paint('green', 'passed')}`
  return `  attempt ${number}  ${paint('red', failure.stage)}: ${printableLine(failure.message).slice(0, 200)}`
}

/** Where the change of a task is. */
function branchLines(result: TaskResultAnswer, paint: Paint): string[] {
  const { branch, commit, base_branch: onto, base_commit: base, merged, merge_commit: mergeCommit } = result
  if (branch === null || commit === null) return []
  const name = paint('bold', printableLine(branch))
  const target = printableLine(onto ?? 'the default branch')
  if (merged) return [`Merged ${name} into ${target} as ${paint('yellow', shortCommit(mergeCommit ?? commit))}.`]
  const onTop = base === null ? '' : `, on top of ${target} at ${shortCommit(base)}`
  return [`Committed as ${paint('yellow', shortCommit(commit))} to ${name} in the clone${onTop}.`]
}

/** What the reviewer says of the change that passed: what it let pass is for whoever merges. */
function reviewLines(review: Attempt['review']): string[] {
  if (review === null) return []
  const issues = review.issues.map(({ severity, file, line, message }) => {
    const at = line === null ? '' : `:${line}`
    const place = file === null ? '' : `${file}${at}: `
    return `  [${severity}] ${printableLine(place)}${printableLine(message)}`
  })
  return [`Review: ${printableLine(review.summary || 'approved')}`, ...issues]
}

/** What came of a task: its attempts, where the change is, and whether anybody ran it. */
export function taskResultText(result: TaskResultAnswer, paint: Paint): string {
  const { task_number: number, attempts, branch, pull_request_url: request, compare_url: compare } = result
  const passed = attempts.find(({ failure }) => failure === null)
  const tests = passed?.tests ?? null
  return [
    paint('bold', `Task #${number}: ${count(attempts.length, 'attempt')}`),
    ...attempts.map(attempt => attemptLine(attempt, paint)),
    ...branchLines(result, paint),
    ...reviewLines(passed?.review ?? null),
    ...(tests === null || !result.tests_ran ? [] : [`Checks: ${printableLine(tests.summary)}`]),
    ...(branch === null || result.tests_ran ? [] : [paint('yellow', 'Nobody ran a linter or tests over it.')]),
    ...guardLines(tests?.guards, paint),
    ...(request === null ? [] : [`Pull request: ${paint('bold', printableLine(request))}`]),
    ...(request !== null || compare === null
      ? []
      : [`Open a pull request at: ${paint('bold', printableLine(compare))}`]),
  ].join('\n')
}
