import type { ProgramRun } from '../../contract/generation-results.ts'
import type { TaskTests } from '../../contract/task.ts'
import { failedIn } from '../../test-runners/reports/compare.ts'
import { counted } from '../steps/counted.ts'
import { comparedTests, missedTests, passes, type Compared } from '../steps/verify/conclude.ts'

/** What the runs of one command before and after a change say. */
export interface Judgement {
  status: Exclude<TaskTests['checks'][number]['status'], 'skipped'>
  reason: string | null
  broken: string[]
}

/** How linters and type checkers count what they found, in their last words. */
const COUNTS: readonly RegExp[] = [
  /^✖ \d+ problems? \((?<count>\d+) errors?/m, // ESLint; warnings alone are no failure
  /^Found (?<count>\d+) errors?\b/m, // Ruff, mypy, tsc, Biome
  /\b(?<count>\d+) offenses? detected\b/m, // RuboCop
  /^(?<count>\d+) issues?:$/m, // golangci-lint
]
/** A count stands among the last lines. */
const LOOKED_AT_CHARS = 2_000
/** Tests that a reason names. */
const MAX_NAMED = 5

const SECOND_TRY = 'It passed when it was tried once more.'

const failed = (reason: string, broken: string[] = []): Judgement => ({ status: 'failed', reason, broken })
const asBefore = (reason: string): Judgement => ({ status: 'failed_before', reason, broken: [] })

/** How many problems a linter says that it found; null where it does not say so in a known way. */
function problemsIn({ stdout, stderr }: Pick<ProgramRun, 'stdout' | 'stderr'>): number | null {
  const text = [stdout, stderr].map(stream => stream.slice(-LOOKED_AT_CHARS)).join('\n')
  const count = COUNTS.map(pattern => pattern.exec(text)?.groups?.count).find(one => one !== undefined)
  return count === undefined ? null : Number(count)
}

/** Tests that fail in each run after a change and did not run before it. */
function newFailures({ before, after }: Compared): string[] {
  const ran = before.shown.report?.tests.filter(({ status }) => status !== 'skipped') ?? []
  const known = new Set([...ran.map(({ id }) => id), ...before.failed, ...before.flaky])
  const lists = after.map(({ report }) => (report === null ? [] : failedIn(report)))
  return (lists[0] ?? []).filter(id => !known.has(id) && lists.every(list => list.includes(id)))
}

/** Why a failure is one of the change, where reports tell tests apart; null where they show none. */
function whatIsNew(compared: Compared): Judgement | null {
  const { before, after } = compared
  const { broken } = comparedTests(compared)
  if (broken.length > 0) {
    return failed(`${counted(broken.length, 'test')} passed without the change, and not with it.`, broken)
  }
  const fresh = newFailures(compared)
  const report = after.at(-1)?.report ?? null
  const fewerFail = report === null || failedIn(report).length <= before.failed.length
  // a test that failed before may have another name now
  if (fresh.length === 0 || fewerFail) return null
  return failed(`What fails is new: ${fresh.slice(0, MAX_NAMED).join(', ')}.`)
}

/** Why a command that was ended for a limit after the change was so, or not, because of it; null for any other. */
function ofLimit({ before, after }: Compared): Judgement | null {
  const killedBy = after.at(-1)?.run.killedBy ?? null
  if (killedBy === null) return null
  if (before.shown.run.killedBy === killedBy) return asBefore(`It is ended for its ${killedBy}, as without the change.`)
  return failed(`It was ended for its ${killedBy}; without the change it was not.`)
}

/** How many tests ran less than before, with the names of some; null where none are missed. */
function lossOf(compared: Compared): { isAll: boolean; reason: string } | null {
  const missed = missedTests(compared)
  if (missed === null) return null
  const known = new Set(compared.after.flatMap(({ report }) => report?.tests.map(({ id }) => id) ?? []))
  const names = (compared.before.shown.report?.tests ?? []).map(({ id }) => id).filter(id => !known.has(id))
  const listed = names.length === 0 ? '.' : `: ${names.slice(0, MAX_NAMED).join(', ')} did not.`
  const reason = `${counted(missed.now, 'test')} ran, without the change ${missed.then}${listed}`
  return { isAll: missed.now === 0, reason }
}

function ofFailing(compared: Compared): Judgement {
  const { before, after } = compared
  const known = whatIsNew(compared) ?? ofLimit(compared)
  if (known !== null) return known
  if (before.state === 'passed') return failed('Without the change it passed.')
  if (before.state === 'flaky') return asBefore('Without the change it fails now and then, too.')
  const [then, now] = [problemsIn(before.shown.run), problemsIn(after.at(-1)?.run ?? before.shown.run)]
  const isMore = then !== null && now !== null && now > then
  if (isMore) return failed(`It finds ${counted(now, 'problem')}; without the change ${then}.`)
  if (before.shown.report === null && then === null) {
    return asBefore('It failed without the change, too, and nothing tells whether more fails now.')
  }
  return asBefore('What fails failed without the change, too.')
}

/**
 * What the runs of a command say of a change: a failure counts when it is one of the change. Tests that did not run at
 * all count as well, where no file of tests was changed that could have had them.
 */
export function judge(compared: Compared, { mayLoseTests }: { mayLoseTests: boolean }): Judgement {
  const hasPassed = passes(compared)
  const green = compared.after.filter(({ run }) => run.exitCode === 0)
  const loss = lossOf(hasPassed ? { ...compared, after: green } : compared)
  const found = hasPassed ? null : ofFailing(compared)
  if (found?.status === 'failed') return found
  const isLess = loss !== null && (loss.isAll || !mayLoseTests)
  if (isLess) return failed(`${loss.reason} Tests that do not run show nothing.`)
  if (found !== null) return found
  if (compared.after.length > 1) return { status: 'passed', reason: SECOND_TRY, broken: [] }
  return { status: 'passed', reason: loss?.reason ?? null, broken: [] }
}
