import type { TaskTests } from '../../contract/task.ts'
import type { JobContext } from '../../jobs/job-context.ts'
import type { ChecksOf } from '../environment/plan.ts'
import { NO_CHANGES, type Changes } from '../steps/base/base-files.ts'
import type { CommittedFiles } from '../steps/base/committed-files.ts'
import type { ProjectBase } from '../steps/base/project-base.ts'
import type { NeedEnvironment } from '../steps/environment.ts'
import { createCommandRuns } from '../steps/verify/command-runs.ts'
import { passes, type Compared } from '../steps/verify/conclude.ts'
import { inWords, whyMissing, type Hindrance } from '../steps/verify/could-not-run.ts'
import { reportingCommand } from '../steps/verify/plan.ts'
import type { Settled } from '../steps/verify/settle.ts'
import type { CheckingCommand, TestRun, TestRunDeps } from '../steps/verify/test-run.ts'
import type { CheckName } from './checks-config.ts'
import { judge, type Judgement } from './checks-judge.ts'
import { lookAtChange, undoesAnything, withoutOwnHelp, type Looked, type StrictDeps } from './checks-strict.ts'
import { failuresOf, keptOutput, printedBy, rejectionOf, summaryOf, type CheckedCommand } from './checks-words.ts'

/** What checking the change of a task needs. */
export interface TaskChecksDeps extends TestRunDeps, StrictDeps {
  checksOf: ChecksOf
  needEnvironment: NeedEnvironment
}

/** What is checked, and where the commands come from. */
interface TaskChecksOptions {
  base: CommittedFiles
  at: ProjectBase['at']
  /** Whether the request names a file as one that may be changed; default: none. */
  isAllowed?: (path: string) => boolean
  /** Which checks, in their order; default: linter and tests. */
  names?: readonly CheckName[]
}

/** What one of the commands came to without a change. */
type CheckBefore = {
  name: CheckName
  /** As the project has it; null where it has none. */
  command: string | null
  /** The same with a report; null where there is nothing to run, or nothing that it could run on. */
  checking: CheckingCommand | null
  /** Null where it was not run. */
  before: Settled | null
  /** Why it could not be run, or did not begin; null where it ran. */
  hindrance: string | null
}

/** The linter and the tests of a commit before any change: plain JSON. */
export type Baseline = { checks: CheckBefore[] }

/** What the linter and the tests say of a change. */
export interface CheckedChange {
  tests: TaskTests
  /** What the next coder is told; null when nothing rejects. */
  rejection: string | null
  /** What the checks that reject printed, without a word of ours; '' where none does. */
  failures: string
  /** What each check printed; null where it was not run. */
  printed: Partial<Record<CheckName, string | null>>
  /** Time of the programs alone. */
  durationMs: number
}

/** Checks changes to one commit, one after the other, against the same runs without any. */
export interface TaskChecks {
  baseline(): Promise<Baseline>
  after(changes: Changes, baseline: Baseline): Promise<CheckedChange>
}

const NAMES: readonly CheckName[] = ['lint', 'test']
const NO_COMMAND: Readonly<Record<CheckName, string>> = {
  typecheck:
    'The project has no command that checks types. PATCH /projects/{name} {"checks": {"typecheck": "…"}}, or ' +
    '[checks] of .faultline.toml, or a script "typecheck" of package.json names one.',
  lint:
    'The project has no command that lints. PATCH /projects/{name} {"checks": {"lint": "…"}}, or [checks] of ' +
    '.faultline.toml, or a script "lint" of package.json names one.',
  test:
    'The project has no command that tests. PATCH /projects/{name} {"checks": {"test": "…"}}, or [checks] of ' +
    '.faultline.toml, or a script "test" of package.json names one.',
}
/** Ids of tests that are listed. */
const MAX_BROKEN = 500

/** A check, and how long its programs ran. */
type Checked = CheckedCommand & { durationMs: number }

const timeOf = (runs: readonly TestRun[]): number => runs.reduce((sum, { run }) => sum + run.durationMs, 0)

const skipped = ({ name, command, before }: CheckBefore, reason: string, runs: readonly TestRun[] = []): Checked => ({
  run: {
    name,
    status: 'skipped',
    command,
    exitCode: runs.at(-1)?.run.exitCode ?? null,
    before: before?.shown.run.exitCode ?? null,
    reason,
  },
  printed: null,
  broken: [],
  undone: [],
  durationMs: timeOf(runs),
})

/** A linter's words may look like those of a test runner, so that nothing is read out of them. */
async function checkingOf(
  base: CommittedFiles,
  { name, command }: { name: CheckName; command: string },
): Promise<CheckingCommand> {
  return name === 'test' ? reportingCommand(base, command) : { kind: 'whole', command, env: {}, reports: [] }
}

/** A linter is no matter of chance: one run says how it ends. */
const onlyRun = (shown: TestRun): Settled => ({
  state: shown.run.exitCode === 0 ? 'passed' : 'failed',
  shown,
  failed: [],
  flaky: [],
})

/** The runs of a check that decide, and what they say. */
interface Shown extends Judgement {
  compared: Compared
  /** What the change did to the check itself, without which it does not pass. */
  undone: readonly string[]
}

const NOT_RUN = { status: 'skipped', reason: null, broken: [] } as const

function asChecked(
  { name, command }: CheckBefore,
  { compared: { before, after }, status, reason, broken, undone }: Shown,
): CheckedCommand {
  const last = after.at(-1)
  return {
    run: {
      name,
      status,
      command,
      exitCode: last?.run.exitCode ?? null,
      before: before.shown.run.exitCode,
      reason,
    },
    printed: last === undefined ? null : printedBy(last.run),
    broken,
    undone,
  }
}

/** What the runs say where the command could not begin without the change. */
function judgeFirst(runs: readonly TestRun[], hindrance: string): Judgement {
  const last = runs.at(-1)
  if (last?.run.exitCode === 0) return { status: 'passed', reason: null, broken: [] }
  const failing = last?.report?.tests.filter(({ status }) => status === 'failed').length ?? 0
  if (failing > 0) return { status: 'failed', reason: 'Tests run for the first time, and fail.', broken: [] }
  return { status: 'failed_before', reason: `Without the change it could not be run: ${hindrance}`, broken: [] }
}

/**
 * The linter and the tests of a project over changes to one of its commits. The commands, what is installed and what
 * configures them are those of the commit. Each run is a step.
 */
export function createTaskChecks(job: JobContext, deps: TaskChecksDeps, options: TaskChecksOptions): TaskChecks {
  const { base, at, isAllowed = () => false, names = NAMES } = options
  const needEnvironment = () => deps.needEnvironment(job, at)
  const bed = { needEnvironment, isAsked: false, trace: '' }
  const runs = createCommandRuns(job, deps, { ...bed, base })

  const planned = () =>
    job.step('check.plan', async () => {
      const commands = await deps.checksOf(at)
      const plans: Array<Pick<CheckBefore, 'name' | 'command' | 'checking'>> = []
      for (const name of names) {
        const { [name]: command = null } = commands
        const checking = command === null ? null : await checkingOf(base, { name, command })
        plans.push({ name, command, checking })
      }
      return plans
    })

  async function before(
    plan: Awaited<ReturnType<typeof planned>>[number],
    missing: Hindrance | null,
  ): Promise<CheckBefore> {
    const { name, checking } = plan
    const off = (hindrance: string): CheckBefore => ({ ...plan, checking: null, before: null, hindrance })
    if (checking === null) return off(NO_COMMAND[name])
    if (missing !== null) return off(inWords(missing))
    const step = `baseline.${name}`
    job.log(`${name} without the change:`)
    const ended = name === 'test' ? await runs.settled(step, checking) : await runs.attempt(step, checking, NO_CHANGES)
    if ('hindrance' in ended) return off(inWords(ended.hindrance))
    const settled = 'state' in ended ? ended : onlyRun({ ...ended, report: null })
    const why = await runs.whyNot(settled.shown)
    return { ...plan, before: settled, hindrance: why === null ? null : inWords(why) }
  }

  /** Runs a check with a change: once where it is a linter, and until a failure is none of chance. */
  async function compared(
    step: string,
    { name, checking, before: then }: CheckBefore,
    { changes, over = runs }: { changes: Changes; over?: typeof runs },
  ): Promise<Compared | { hindrance: Hindrance } | null> {
    if (checking === null || then === null) return null
    if (name === 'test') return over.compared(step, { checking, before: then, changes })
    const made = await over.attempt(step, checking, changes)
    return 'hindrance' in made ? made : { before: then, after: [{ ...made, report: null }] }
  }

  /** A check that passes has to pass without what the change does to the check itself, too. */
  async function strictly(check: CheckBefore, changes: Changes, looked: Looked): Promise<Compared | null> {
    const { name, command } = check
    const undoing = looked[name]
    if (command === null || check.hindrance !== null || !undoesAnything(undoing)) return null
    const rest = withoutOwnHelp(job, deps, { base, changes, command, undoing })
    const over = createCommandRuns(job, deps, { ...bed, base: rest.base })
    job.log(`${name} with the change, but without what that does to the check itself:`)
    const made = await compared(`check.${name}.strict`, check, { changes: rest.changes, over })
    return made === null || 'hindrance' in made ? null : made
  }

  /** What the runs with a change say, as far as they began. */
  function judged(made: Compared, check: CheckBefore, on: { looked: Looked; why: Hindrance | null }): Judgement {
    if (check.hindrance !== null) return judgeFirst(made.after, check.hindrance)
    // what began before the change and does not after it is a fault of the change
    if (on.why !== null) return { status: 'failed', reason: `It does not begin any more. ${on.why.reason}`, broken: [] }
    return judge(made, on.looked)
  }

  /** A check that passes, once more without what the change does to it; null where that changes nothing. */
  async function judgedStrictly(check: CheckBefore, changes: Changes, looked: Looked): Promise<Shown | null> {
    const compared = await strictly(check, changes, looked)
    const { status, reason, broken } = compared === null ? NOT_RUN : judge(compared, looked)
    if (compared === null || status !== 'failed') return null
    const why = `It passes only with what the change does to the check itself. ${reason ?? ''}`.trim()
    return { compared, status, reason: why, broken, undone: looked[check.name].why }
  }

  /** One check of a change. */
  async function checked(check: CheckBefore, changes: Changes, looked: Looked): Promise<Checked> {
    if (check.checking !== null && check.before !== null) job.log(`${check.name} with the change:`)
    const made = await compared(`check.${check.name}`, check, { changes })
    if (made === null) return skipped(check, check.hindrance ?? NO_COMMAND[check.name])
    if ('hindrance' in made) return skipped(check, inWords(made.hindrance))
    const [first] = made.after
    const why = first === undefined || passes(made) ? null : await runs.whyNot(first)
    if (check.hindrance !== null && why !== null) return skipped(check, inWords(why), made.after)

    const shown: Shown = { ...judged(made, check, { looked, why }), compared: made, undone: [] }
    const strict = passes(made) ? await judgedStrictly(check, changes, looked) : null
    const durationMs = timeOf(made.after) + timeOf(strict?.compared.after ?? [])
    return { ...asChecked(check, strict ?? shown), durationMs }
  }

  return {
    async baseline() {
      const plans = await planned()
      const hasRuns = plans.some(({ checking }) => checking !== null)
      const missing = hasRuns ? await job.step('environment', () => whyMissing(needEnvironment(), false)) : null
      const checks: CheckBefore[] = []
      for (const plan of plans) checks.push(await before(plan, missing))
      return { checks }
    },

    async after(changes, baseline) {
      const commands = Object.fromEntries(baseline.checks.map(({ name, command }) => [name, command ?? undefined]))
      const looked = await lookAtChange(job, deps, { base, changes, commands, isAllowed })
      const all: Checked[] = []
      for (const check of baseline.checks) all.push(await checked(check, changes, looked))
      const ran = all.filter(({ run }) => run.status !== 'skipped')
      const printed = (name: CheckName): string | null => all.find(({ run }) => run.name === name)?.printed ?? null
      const list = all.map(({ run }) => run)
      return {
        tests: {
          passed: ran.length === 0 ? null : ran.every(({ run }) => run.status === 'passed'),
          lintOutput: keptOutput(printed('lint')),
          testOutput: keptOutput(printed('test')),
          summary: summaryOf(list),
          checks: list,
          broken: all.flatMap(({ broken }) => broken).slice(0, MAX_BROKEN),
          guards: looked.guards,
        },
        rejection: rejectionOf(all),
        failures: failuresOf(all),
        printed: Object.fromEntries(all.map(one => [one.run.name, one.printed])),
        durationMs: all.reduce((sum, { durationMs }) => sum + durationMs, 0),
      }
    },
  }
}
