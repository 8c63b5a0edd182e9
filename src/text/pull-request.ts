import { createHash } from 'node:crypto'
import { parsePatch } from 'diff'
import type { ChangedTests, VerifiedRun } from '../contract/verification.ts'
import type { FeatureResultAnswer } from '../contract/feature.ts'
import { shortened } from '../core/both-ends.ts'
import { withoutActive, escapeLine, fenced, inlineCode } from './markdown/escape.ts'
import { onlyShown, plainTitle, withoutClosing } from './markdown/forge-safe.ts'
import { count, shortCommit } from './table.ts'
import { printableLine } from './terminal-text.ts'
import { RUN_KINDS } from './verification-text.ts'

/** A fault that a change is to mend, as it was located. */
export interface FaultEvidence {
  /** Type and message; empty where the trace has neither. */
  error: string
  /** Equal for equal faults; null where it has none. */
  fingerprint: string | null
  trace: string
  /** Frames in code of the project, outermost call first. */
  frames: ReadonlyArray<{ path: string; line: number | null; function: string | null; why: string }>
  suspects: ReadonlyArray<{ commit: string; author: string; date: string; summary: string; why: string }>
  resolutionId: string
}

/** What runs of commands said of a change. */
export interface RunEvidence {
  label: string
  /** Why it is not better; empty for nothing to say. */
  reason: string
  /** Each command with its exit codes before and after; null for a run that was killed or not done. */
  runs: readonly VerifiedRun[]
  tests: { [Kind in keyof ChangedTests]: readonly string[] } | null
}

/** Everything that a pull request is described with. */
export interface PullRequestEvidence {
  projectName: string
  jobId: string
  /** What was asked for, in words of the person who asked; null for a fault. */
  request: string | null
  fault: FaultEvidence | null
  /** What the model says of its change; empty for nothing. */
  explanation: string
  baseCommit: string | null
  diff: string
  runs: RunEvidence | null
  /** Places where the change may only hide the fault. */
  guards: ReadonlyArray<{ path: string; line: number | null; kind: string; detail: string }>
  /** Edits of the model that did not fit and are left out. */
  leftOut: number
  /** What is told of a feature; left out for any other change. */
  feature?: Pick<FeatureResultAnswer, 'plan' | 'attempts' | 'migrations' | 'conflicts'>
}

/** The least that a description may have at the forges. */
const MAX_CHARS = 30_000
const MAX_TITLE_CHARS = 120
const MAX_TRACE_CHARS = 4_000
const MAX_EXPLANATION_CHARS = 8_000
const MAX_ROWS = 20
const MAX_CODE_CHARS = 300
const LEFT_OUT = 'Parts that are too long for a description are left out; the job has them.'

/** A word by which the request for a fault is found again; it says nothing about the fault. */
export function faultWord(projectName: string, fingerprint: string): string {
  const hash = createHash('sha256').update(`${projectName.toLowerCase()}\0${fingerprint}`).digest('hex')
  return `faultline-fault-${hash.slice(0, 32)}`
}

/** A word by which the request of a job is found again. */
const jobWord = (jobId: string): string => `faultline-job-${jobId.replace(/[^\w-]/g, '')}`

const cutLine = (line: string, most: number): string =>
  line.length <= most ? line : `${line.slice(0, most - 1).toWellFormed()}…`

/** The title of a request: the first line of its commit. */
export const pullRequestTitle = (subject: string): string =>
  cutLine(plainTitle(printableLine(subject).trim()) || 'Change files', MAX_TITLE_CHARS)

/** The first rows of a list, and how many are left out. */
function rows<One>(all: readonly One[], row: (one: One) => string): string {
  const left = all.length - MAX_ROWS
  return [...all.slice(0, MAX_ROWS).map(one => `- ${row(one)}`), ...(left > 0 ? [`- ${left} more`] : [])].join('\n')
}

/** Foreign text as a block of code in which nothing closes an issue. */
const block = (text: string): string => withoutClosing(fenced(text, 'text'))
const code = (text: string): string => withoutClosing(inlineCode(cutLine(printableLine(text), MAX_CODE_CHARS)))
const said = (text: string): string => escapeLine(cutLine(text, MAX_CODE_CHARS))

function brokenPart({ error, trace, frames }: FaultEvidence): string[] {
  return [
    '### What broke',
    ...(error === '' ? [] : [code(error)]),
    block(shortened(trace, MAX_TRACE_CHARS)),
    ...(frames.length === 0
      ? []
      : [
          'In code of the project, the failing line last:',
          rows(frames.slice(-MAX_ROWS), ({ path, line, function: name, why }) => {
            const where = code(`${path}${line === null ? '' : `:${line}`}`)
            return `${where}${name === null || name === '' ? '' : ` in ${code(name)}`}: ${said(why)}`
          }),
        ]),
  ]
}

function suspectsPart({ suspects }: FaultEvidence): string[] {
  if (suspects.length === 0) return []
  const row = ({ commit, author, date, summary, why }: FaultEvidence['suspects'][number]) =>
    `${code(shortCommit(commit))} ${said(date.slice(0, 10))} ${code(author)}: ${code(summary)} (${said(why)})`
  return ['### Suspect commits', rows(suspects, row)]
}

/** Files of a unified diff with their added and removed lines. */
export function diffSummary(diff: string): Array<{ path: string; added: number; removed: number }> {
  return parsePatch(diff).flatMap(({ oldFileName: before, newFileName: after, hunks }) => {
    const name = after === '/dev/null' ? before : after
    if (name === undefined) return []
    const lines = hunks.flatMap(hunk => hunk.lines)
    const counted = (sign: string): number => lines.filter(line => line.startsWith(sign)).length
    return [{ path: name.replace(/^[ab]\//, ''), added: counted('+'), removed: counted('-') }]
  })
}

function leftOutText(edits: number): string[] {
  if (edits === 0) return []
  return [`${count(edits, 'edit')} of the model did not fit and ${edits === 1 ? 'is' : 'are'} left out.`]
}

function changePart({ diff, leftOut, baseCommit }: PullRequestEvidence): string[] {
  const on = baseCommit === null ? '' : `, on top of ${code(shortCommit(baseCommit))}`
  const files = diffSummary(diff)
  return [
    '### What changes',
    `${count(files.length, 'file')}${on}:`,
    rows(files, ({ path, added, removed }) => `${code(path)} +${added} −${removed}`),
    ...leftOutText(leftOut),
  ]
}

const exit = (exitCode: number | null): string => (exitCode === null ? 'none (killed or not run)' : String(exitCode))

/** The plan of a feature, and with what it conflicts. */
function planPart({ plan, migrations, conflicts }: NonNullable<PullRequestEvidence['feature']>): string[] {
  if (plan === null) return []
  const entity = ({ name, table_name: table, fields }: NonNullable<typeof plan>['entities'][number]): string =>
    `${code(name)} in ${code(table)}: ${fields.map(field => code(`${field.name}: ${field.type}`)).join(', ')}`
  return [
    '### The plan',
    said(plan.understood),
    ...(plan.entities.length === 0 ? [] : [rows(plan.entities, entity)]),
    ...(plan.tools.length === 0 ? [] : [rows(plan.tools, one => `${code(one.name)}: ${said(one.description)}`)]),
    ...(migrations.length === 0 ? [] : ['Migrations:', rows(migrations, code)]),
    ...(conflicts.length === 0
      ? []
      : ['Conflicts:', rows(conflicts, one => `with ${code(one.with)} in ${one.paths.map(code).join(', ')}`)]),
  ]
}

/** What was run over a feature in its last attempt. */
function checksPart({ attempts }: NonNullable<PullRequestEvidence['feature']>): string[] {
  const checks = attempts.at(-1)?.checks ?? []
  return [
    '### What was run',
    checks.length === 0
      ? 'Nothing was run.'
      : rows(checks, ({ check, passed, command, exit_code: exitCode, output }) => {
          if (passed === null) return `${code(check)}: not run. ${said(output.split('\n', 1)[0] ?? '')}`
          const how = command === null ? '' : ` (${code(command)})`
          return `${code(check)}${how}: exit code ${exit(exitCode)}`
        }),
  ]
}

function testsText({ fixed, broken, flaky }: NonNullable<RunEvidence['tests']>): string[] {
  return [
    ['Failed before and pass now', fixed] as const,
    ['Passed before and fail now', broken] as const,
    ['Not the same in every run', flaky] as const,
  ].flatMap(([told, names]) => (names.length === 0 ? [] : [`${told}:`, rows(names, code)]))
}

function commandsText({ runs }: RunEvidence): string {
  if (runs.length === 0) return 'No command was run.'
  return rows(runs, ({ kind, command, before, after }) => {
    const what = `${code(command)} (${RUN_KINDS[kind]})`
    if (kind === 'old_tests') return `${what}: exit code ${exit(after)} after the change.`
    return `${what}: exit code ${exit(before)} before the change, ${exit(after)} after it.`
  })
}

function labelText({ label, reason }: RunEvidence): string {
  const shown = `**${said(label.replaceAll('_', ' '))}**`
  return reason === '' ? shown : `${shown}: ${said(reason)}`
}

function guardsText(guards: PullRequestEvidence['guards']): string[] {
  if (guards.length === 0) return []
  const row = ({ path, line, kind, detail }: PullRequestEvidence['guards'][number]): string =>
    `${code(line === null ? path : `${path}:${line}`)} ${code(kind)}: ${said(detail)}`
  return ['The change may only hide the fault:', rows(guards, row)]
}

function runsPart({ runs, guards }: PullRequestEvidence): string[] {
  if (runs === null) return ['### What was run', 'Nothing was run.', ...guardsText(guards)]
  return ['### What was run', labelText(runs), commandsText(runs), ...guardsText(guards)]
}

function testsPart({ runs }: PullRequestEvidence): string[] {
  const tests = runs === null || runs.tests === null ? [] : testsText(runs.tests)
  return tests.length === 0 ? [] : ['### Tests', ...tests]
}

function explanationPart({ explanation }: PullRequestEvidence): string[] {
  if (explanation.trim() === '') return []
  const text = withoutActive(shortened(explanation.trim(), MAX_EXPLANATION_CHARS))
  return ['### Cause, as a model explains it', 'A model wrote the following; what was run is said above.', text]
}

function endPart({ projectName, jobId, fault }: PullRequestEvidence): string {
  const from = fault === null ? '' : `, resolution ${code(fault.resolutionId)}`
  return `Made by Faultline for the project ${code(projectName)}, job ${code(jobId)}${from}.`
}

/**
 * The description of a pull request: what broke, where, what changes and what was run, in our words and with exit
 * codes, and last what a model says. Nothing that a trace, a repository or a model wrote can call somebody, close an
 * issue or leave its block.
 */
export function pullRequestBody(evidence: PullRequestEvidence): string {
  const { fault, request, jobId, projectName, feature } = evidence
  const words = [...(fault?.fingerprint ? [faultWord(projectName, fault.fingerprint)] : []), jobWord(jobId)]
  const marks = words.map(word => `<!-- ${word} -->`).join('\n')
  const end = endPart(evidence)
  const textOf = (section: readonly string[]): string => onlyShown(section.join('\n\n'))
  const runs = textOf(feature === undefined ? runsPart(evidence) : checksPart(feature))
  const sections = [
    ...(request === null ? [] : [textOf(['### What was asked for', block(shortened(request, MAX_TRACE_CHARS))])]),
    ...(fault === null ? [] : [textOf(brokenPart(fault))]),
    ...(feature === undefined ? [] : [textOf(planPart(feature))]),
    textOf(changePart(evidence)),
    runs,
    textOf(testsPart(evidence)),
    ...(fault === null ? [] : [textOf(suspectsPart(fault))]),
    textOf(explanationPart(evidence)),
  ].filter(section => section !== '')

  let room = MAX_CHARS - marks.length - end.length - LEFT_OUT.length - runs.length - 2 // what counts most always fits
  const kept = sections.filter(section => {
    const fits = section === runs || section.length + 2 <= room
    if (fits && section !== runs) room -= section.length + 2
    return fits
  })
  return [marks, ...kept, ...(kept.length === sections.length ? [] : [LEFT_OUT]), '---', end].join('\n\n')
}
