import { stripVTControlCharacters } from 'node:util'
import type { ProgramRun } from '../../contract/generation-results.ts'
import type { TaskTests } from '../../contract/task.ts'
import { shortened } from '../../core/both-ends.ts'
import { fenced, inlineCode } from '../../text/markdown/escape.ts'

type CheckRun = TaskTests['checks'][number]

/** One check of a change, with what its last run printed. */
export interface CheckedCommand {
  run: CheckRun
  /** Null where nothing was run. */
  printed: string | null
  broken: readonly string[]
  /** What the change did to the check itself, without which it does not pass. */
  undone: readonly string[]
}

/** Of each stream of a result; a model is told no more than `MAX_REJECTION_CHARS` in all. */
const MAX_OUTPUT_CHARS = 20_000
const MAX_REJECTION_CHARS = 20_000
const MAX_LISTED = 40

const INSTEAD =
  'Leave the checks as strict as they were, and mend the code so that it passes them: put back the tests that test ' +
  'code which is still there, change what a test expects only where the task asks for other behaviour, take out ' +
  'comments that silence a checker, and leave its configuration and the scripts that run it alone.'
const HINT =
  'The commands, what is installed, and the scripts of package.json are those of the commit that the change is made ' +
  'to; a change can install nothing.'

/** What a program printed, in the order of its streams and without colours. */
export const printedBy = ({ stdout, stderr }: Pick<ProgramRun, 'stdout' | 'stderr'>): string =>
  stripVTControlCharacters([stdout, stderr].filter(text => text !== '').join('\n')).toWellFormed()

/** The ends of what a check printed, as results keep them. */
export const keptOutput = (printed: string | null): string => shortened(printed ?? '', MAX_OUTPUT_CHARS)

function endOf({ name, status, exit_code: exitCode, reason }: CheckRunInWords): string {
  if (status === 'skipped') return `${name} was not run: ${reason ?? ''}`.trim()
  const how = exitCode === null ? 'was ended' : `exit code ${exitCode}`
  const what = status === 'failed_before' ? 'fails as before the change' : 'failed'
  return `${name} ${what} (${how})${reason === null ? '' : `: ${reason}`}`
}

type CheckRunInWords = Pick<CheckRun, 'name' | 'status' | 'reason'> & { exit_code: number | null }

const inWords = (run: CheckRun): string => endOf({ ...run, exit_code: run.exitCode })

/** `All checks passed`, or what failed, or why nobody ran anything. */
export function summaryOf(checks: readonly CheckRun[]): string {
  const ran = checks.filter(({ status }) => status !== 'skipped')
  if (ran.length === 0) return `Nobody ran a linter or tests over it. ${checks.map(inWords).join(' ')}`
  const red = ran.filter(({ status }) => status !== 'passed')
  return red.length === 0 ? 'All checks passed' : red.map(inWords).join(' ')
}

function headOf({ run, broken, undone }: CheckedCommand): string {
  const helped = undone.length === 0 ? [] : [undone.map(one => `- ${one}`).join('\n'), INSTEAD]
  const more = broken.length > MAX_LISTED ? [`- … and ${broken.length - MAX_LISTED} more`] : []
  const listed = [...broken.slice(0, MAX_LISTED).map(id => `- ${id}`), ...more].join('\n')
  return [
    `${inlineCode(run.command ?? '')}: ${inWords(run)}`,
    ...helped,
    ...(listed === '' ? [] : [`Tests that passed without the change:\n${listed}`]),
  ].join('\n\n')
}

/** What the checks that reject printed, with the tests that broke: by it a failure is known again. */
export const failuresOf = (checked: readonly CheckedCommand[]): string =>
  checked
    .filter(({ run }) => run.status === 'failed')
    .map(({ run, broken, printed }) => [run.name, ...broken.slice(0, MAX_LISTED), printed ?? ''].join('\n'))
    .join('\n')

/** What the next coder is told; null where nothing rejects. At most 20,000 characters. */
export function rejectionOf(checked: readonly CheckedCommand[]): string | null {
  const red = checked.filter(({ run }) => run.status === 'failed')
  if (red.length === 0) return null
  const heads = red.map(headOf)
  const taken = [HINT, ...heads].reduce((sum, text) => sum + text.length, 0)
  const left = Math.max(0, Math.floor((MAX_REJECTION_CHARS - taken) / red.length) - 200)
  const parts = red.map(({ printed }, index) =>
    [heads[index], fenced(shortened((printed ?? '').trim(), left))].join('\n\n'),
  )
  return shortened([...parts, HINT].join('\n\n'), MAX_REJECTION_CHARS)
}
