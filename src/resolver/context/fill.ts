import { descendingOrder } from '../../core/descending-order.ts'
import { CONTEXT_SPENDING } from '../ranking/learned-weights.ts'
import type { CodeFile } from './code-file.ts'
import type { Excerpt, Range } from './excerpt.ts'
import { TokenBudget } from './token-budget.ts'
import type { Unit } from './units.ts'

/** A file with its units and the value of each: the probability that it has to change, all things considered. */
export interface FileUnits {
  file: CodeFile
  /** In the order of their lines. */
  units: readonly Unit[]
  /** In [0, 1], by unit. */
  values: Float64Array
}

/** How a token budget is spent. */
export interface Spending {
  /**
   * The part of a file's score by which its first extract is worth more than its own value, because naming the file is
   * half the way.
   */
  fileBonus: number
  /** Tokens that every unit is charged beside its rows, so that small units do not look too cheap. */
  unitTokens: number
  /** The part of the budget that the failing function may take before anything else. */
  failingShare: number
  /** The part of the budget for the lines of the trace, each with a few lines around it. */
  marksShare: number
  /** Tokens reserved for one extract of each file that nothing else is shown of; at most a fifth of the budget. */
  filesTokens: number
  /** Units whose value per token is below this are not shown, whatever room there is. */
  leastWorth: number
}

const MAX_FILES_SHARE = 1 / 5
const MARK_RADII = [2, 0]
const MAX_MARKS = 60
const MAX_GAP = 3
const USUAL_NUMBER_TOKENS = 5

/** With fewer tokens nothing worth reading fits. */
const LEAST_WORTH = 40

/** Shows units until so little remains that nothing worth reading fits beside what is reserved for later. */
function showUnits(sorted: readonly Unit[], budget: TokenBudget, kept: number): void {
  for (const unit of sorted) {
    if (budget.remaining < LEAST_WORTH + kept) return
    if (kept === 0 || unit.file.roughTokens(unit.from, unit.to, USUAL_NUMBER_TOKENS) <= budget.remaining - kept) {
      budget.showUnit(unit)
    }
  }
}

/** Shows the extract with the best value per token of each file that nothing is shown of yet. */
function showFiles(firsts: ReadonlyArray<Unit | undefined>, budget: TokenBudget): void {
  for (const unit of firsts) {
    if (budget.remaining < LEAST_WORTH) return
    if (unit !== undefined && !budget.isOpen(unit.file)) budget.showUnit(unit)
  }
}

const around = ({ lineCount }: CodeFile, line: number, radius: number): Range => ({
  from: Math.max(1, line - radius),
  to: Math.min(lineCount, line + radius),
})

/** Shows the units of the failing function, the nearest to the failing line first; at least that line. */
function showFailing({ file, units }: FileUnits, budget: TokenBudget, most: number): void {
  const [line] = file.marks
  if (line === undefined) return
  const at = units.find(({ from, to }) => from <= line && line <= to)
  if (at === undefined || !budget.showUnit(at)) {
    for (const radius of MARK_RADII) if (budget.show(file, around(file, line, radius))) break
    return
  }
  const scope = at.chain[0]
  if (scope === undefined) return
  const distance = ({ from, to }: Unit): number => Math.max(from - line, line - to)
  for (const unit of units
    .filter(other => other !== at && other.chain.includes(scope))
    .sort((a, b) => distance(a) - distance(b))) {
    if (budget.spent >= most) return
    budget.showUnit(unit)
  }
}

function showMarks(files: Iterable<CodeFile>, budget: TokenBudget, most: number): void {
  const start = budget.spent
  let count = 0
  for (const file of files) {
    for (const line of file.marks) {
      if (count++ >= MAX_MARKS || budget.spent - start >= most) return
      for (const radius of MARK_RADII) if (budget.show(file, around(file, line, radius))) break
    }
  }
}

/** The position of the largest value, of several the first; -1 where none is above zero. */
function largestOf(values: Float64Array): number {
  let best = 0
  let at = -1
  for (let i = 0; i < values.length; i++) {
    const value = values[i] ?? 0
    if (value <= best) continue
    best = value
    at = i
  }
  return at
}

/** The value of each unit per token; the best unit of a file also counts as finding the file. */
function worthsOf({ file, units, values }: FileUnits, { fileBonus, unitTokens }: Spending): Float64Array {
  const first = largestOf(values)
  const worths = new Float64Array(units.length)
  for (const [i, { from, to }] of units.entries()) {
    const bonus = i === first ? fileBonus * file.ranked.score : 0
    worths[i] = ((values[i] ?? 0) + bonus) / (file.roughTokens(from, to, USUAL_NUMBER_TOKENS) + unitTokens)
  }
  return worths
}

/**
 * All units that are worth their tokens, the best value per token first, of equal ones those of the likelier file; and
 * the first of each file among them.
 */
function byWorth(files: readonly FileUnits[], spending: Spending): { sorted: Unit[]; firsts: Array<Unit | undefined> } {
  const all = new Float64Array(files.reduce((sum, { units }) => sum + units.length, 0))
  const units: Unit[] = []
  const firsts: Array<Unit | undefined> = []
  for (const one of files) {
    const worths = worthsOf(one, spending)
    const first = Math.max(0, largestOf(worths))
    all.set(worths, units.length)
    for (const unit of one.units) units.push(unit)
    const isWorth = (worths[first] ?? 0) >= spending.leastWorth
    firsts.push(isWorth ? one.units[first] : undefined)
  }
  const sorted: Unit[] = []
  for (const at of descendingOrder(all)) {
    const unit = units[at]
    if ((all[at] ?? 0) < spending.leastWorth) break
    if (unit !== undefined) sorted.push(unit)
  }
  return { sorted, firsts }
}

/** Shows gaps of a few lines, because lines that are left out cost a row, too. */
function closeGaps(excerpt: Excerpt, budget: TokenBudget): void {
  const runs = excerpt.runs()
  for (const [index, { from }] of runs.entries()) {
    const end = runs[index - 1]?.to
    if (end !== undefined && from - end - 1 <= MAX_GAP) budget.show(excerpt.file, { from: end + 1, to: from - 1 })
  }
}

/**
 * Chooses lines until the budget is used up: the failing function, then the lines of the trace, then whatever has the
 * best value per token, then an extract of each file that has none yet; gaps of a few lines are closed last.
 *
 * @param excerpts - Best first.
 * @param files - Their units, in the same order.
 */
export function fill(
  excerpts: ReadonlyMap<CodeFile, Excerpt>,
  files: readonly FileUnits[],
  maxTokens: number,
  spending: Spending = CONTEXT_SPENDING,
): void {
  const budget = new TokenBudget(excerpts, maxTokens)
  const [failing] = files
  if (failing !== undefined) showFailing(failing, budget, maxTokens * spending.failingShare)
  showMarks(excerpts.keys(), budget, maxTokens * spending.marksShare)
  const { sorted, firsts } = byWorth(files, spending)
  showUnits(sorted, budget, Math.min(maxTokens * MAX_FILES_SHARE, spending.filesTokens))
  budget.settle()
  showFiles(firsts, budget)
  for (const excerpt of excerpts.values()) closeGaps(excerpt, budget)
  showUnits(sorted, budget, 0)
}
