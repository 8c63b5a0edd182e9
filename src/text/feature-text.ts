import type { FeatureResultAnswer } from '../contract/feature.ts'
import { listed } from './listed.ts'
import type { Paint } from './paint.ts'
import { columns, count, shortCommit } from './table.ts'
import { printable, printableLine } from './terminal-text.ts'

type Plan = NonNullable<FeatureResultAnswer['plan']>
type Attempt = FeatureResultAnswer['attempts'][number]
type Check = Attempt['checks'][number]
type Conflict = FeatureResultAnswer['conflicts'][number]

function fieldText({ name, type, length, nullable }: Plan['entities'][number]['fields'][number]): string {
  return `${name}${nullable ? '?' : ''}: ${type}${length === null ? '' : `(${length})`}`
}

/** A plan: what was understood, what is made, and in which steps. */
export function planLines(plan: Plan, paint: Paint): string[] {
  const { understood, entities, tools, files, branch_name: branch, steps } = plan
  // what is painted is made printable before: colours are control characters
  const row = (name: string, text: string): string => `  ${paint('bold', printableLine(name))}${printableLine(text)}`
  return [
    printable(understood.trim()),
    ...entities.map(({ name, table_name: table, fields }) =>
      row(name, ` in ${table}: ${fields.map(fieldText).join(', ')}`),
    ),
    ...tools.map(({ name, description }) => row(name, `: ${description}`)),
    ...files.map(({ path, purpose }) => row(path, `: ${purpose}`)),
    `Branch: ${paint('bold', printableLine(branch))}`,
    ...steps.map((step, index) => printableLine(`  ${index + 1}. ${step}`)),
  ]
}

function checkRow({ check, passed, exit_code: exitCode, command, output }: Check, paint: Paint): string[] {
  if (passed === null) return [`  ${check}`, paint('yellow', 'not run'), printableLine(output.split('\n', 1)[0] ?? '')]
  const code = `exit code ${exitCode ?? 'none'}`
  const end = passed ? paint('green', 'passed') : paint('red', code)
  return [`  ${check}`, end, printableLine(command ?? '')]
}

/** What was run over a feature, a line each. */
export function checkLines(checks: readonly Check[], paint: Paint): string[] {
  return checks.length === 0 ? [] : [columns(checks.map(check => checkRow(check, paint)))]
}

/** With what a feature conflicts. */
export function conflictLines(conflicts: readonly Conflict[], paint: Paint): string[] {
  return conflicts.map(({ with: other, job_id: job, paths }) => {
    const who = job === null ? other : `${other} (feature ${job})`
    return paint('yellow', `Conflicts with ${printableLine(who)} in ${listed(paths)}`)
  })
}

const MAX_ERROR_CHARS = 200

function attemptLine({ number, error }: Attempt, paint: Paint): string {
  if (error === null) return `  attempt ${number}  ${paint('green', 'passed')}`
  return `  attempt ${number}  ${paint('red', printableLine(error).slice(0, MAX_ERROR_CHARS))}`
}

/** Where the feature is, or that nothing of it is left. */
function branchLines(result: FeatureResultAnswer, paint: Paint): string[] {
  const { outcome, branch, commit, base_branch: onto, base_commit: base, merged, merge_commit: mergeCommit } = result
  if (outcome === 'aborted') return ['Nothing of it is left but its diff.']
  if (branch === null || commit === null) return []
  const name = paint('bold', printableLine(branch))
  const target = printableLine(onto ?? 'the default branch')
  if (merged) return [`Merged ${name} into ${target} as ${paint('yellow', shortCommit(mergeCommit ?? commit))}.`]
  const onTop = base === null ? '' : `, on top of ${target} at ${shortCommit(base)}`
  return [`Committed as ${paint('yellow', shortCommit(commit))} to ${name} in the clone${onTop}.`]
}

function deploymentLines({ deployment }: FeatureResultAnswer, paint: Paint): string[] {
  if (deployment === null) return []
  const { ok, by, status, output } = deployment
  const how = `by ${by === 'url' ? 'deploy_url' : by}${status === null ? '' : ` (${status})`}`
  return [
    ok ? paint('green', `Deployed ${how}.`) : paint('red', `Not deployed ${how}.`),
    ...(output.trim() === '' ? [] : [paint('dim', printableLine(output).slice(0, MAX_ERROR_CHARS))]),
  ]
}

const HEADINGS: Readonly<Record<NonNullable<FeatureResultAnswer['outcome']>, string>> = {
  deployed: 'Deployed',
  delivered: 'Delivered',
  aborted: 'Aborted',
}

/** What came of a feature: its plan in short, its attempts, the checks of the last one, and where it is. */
export function featureResultText(result: FeatureResultAnswer, paint: Paint): string {
  const { outcome, plan, attempts, pull_request_url: request, compare_url: compare, notes } = result
  const heading = outcome === null ? 'Not finished' : HEADINGS[outcome]
  return [
    paint('bold', `${heading}: ${printableLine(plan?.understood ?? 'no plan was made')}`),
    ...(attempts.length === 0 ? [] : [`${count(attempts.length, 'attempt')}:`]),
    ...attempts.map(attempt => attemptLine(attempt, paint)),
    ...checkLines(attempts.at(-1)?.checks ?? [], paint),
    ...branchLines(result, paint),
    ...conflictLines(result.conflicts, paint),
    ...(request === null ? [] : [`Pull request: ${paint('bold', printableLine(request))}`]),
    ...(request !== null || compare === null
      ? []
      : [`Open a pull request at: ${paint('bold', printableLine(compare))}`]),
    ...deploymentLines(result, paint),
    ...notes.map(note => paint('yellow', printableLine(note))),
  ].join('\n')
}
