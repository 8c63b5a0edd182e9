import type { JobContext } from '../../../jobs/job-context.ts'
import { namedTest, type NamedTest, type TracePlace } from '../../../test-runners/named-test.ts'
import { narrowCommand } from '../../../test-runners/narrow-command.ts'
import { readTestCommand, scriptsIn, type TestCommand } from '../../../test-runners/test-command.ts'
import { asItIs, withReport } from '../../../test-runners/with-report.ts'
import type { BaseFiles } from '../base/base-files.ts'
import type { ChecksOf } from '../../environment/plan.ts'
import type { CheckingCommand } from './test-run.ts'

/** What a change is to be checked with, as its step keeps it. */
export type VerificationPlan = {
  /** Null where there is no command. */
  whole: CheckingCommand | null
  /** The failing test of the trace; null where none could be named, or the runner is not known. */
  narrow: CheckingCommand | null
  /** Whether the request named the command; else it is the project's. */
  isAsked: boolean
}

/** Where the commands come from. */
interface PlanOptions {
  base: BaseFiles
  at: Parameters<ChecksOf>[0]
  /** The command of the request; it is run as it is. */
  asked: string | undefined
  /** What is to be fixed. */
  trace: { text: string; places: readonly TracePlace[] }
}

/** The runner of the first command whose parts are known. */
async function readCommands({ read }: BaseFiles, commands: readonly string[]): Promise<TestCommand | null> {
  const scripts = scriptsIn(await read('package.json'))
  const known = commands.map(command => readTestCommand(command, scripts)).filter(found => found !== null)
  return known.find(({ parts }) => parts !== null) ?? known[0] ?? null
}

/** The project's own command for all tests, which writes a report where its runner can do so. */
export const reportingCommand = async (base: BaseFiles, command: string): Promise<CheckingCommand> => ({
  kind: 'whole',
  ...withReport(command, await readCommands(base, [command])),
})

/** The command for some test alone, which writes a report where it can; null where it is not known how. */
function narrowed(test: TestCommand, named: NamedTest): CheckingCommand | null {
  const command = narrowCommand(test, named)
  if (command === null) return null
  const again = readTestCommand(command, new Map())
  return { kind: 'narrow', ...withReport(command, again) }
}

/** Chooses the commands that check a change, within a step. */
export function planVerification(
  job: Pick<JobContext, 'step'>,
  { checksOf }: { checksOf: ChecksOf },
  { base, at, asked, trace }: PlanOptions,
): Promise<VerificationPlan> {
  return job.step('verify.plan', async () => {
    const { test: ofProject } = await checksOf(at)
    const command = asked ?? ofProject
    const isAsked = asked !== undefined
    if (command === undefined) return { whole: null, narrow: null, isAsked }
    const test = await readCommands(
      base,
      [asked, ofProject].filter(one => one !== undefined),
    )
    const whole: CheckingCommand = isAsked
      ? { kind: 'whole', ...asItIs(command) }
      : await reportingCommand(base, command)
    const named = test === null ? null : await namedTest(trace, test.runner, base)
    const narrow = test === null || named === null ? null : narrowed(test, named)
    return {
      whole,
      narrow: narrow === null || narrow.command === whole.command ? null : narrow,
      isAsked,
    }
  })
}

/** The command that runs the tests of one file alone; the whole one where nothing narrower is known. */
export async function commandForFile(
  base: BaseFiles,
  { whole, file }: { whole: CheckingCommand; file: string },
): Promise<CheckingCommand> {
  const test = await readCommands(base, [whole.command])
  const narrow = test === null ? null : narrowed(test, { file, names: [], line: null })
  return narrow ?? { ...whole, kind: 'narrow' }
}
