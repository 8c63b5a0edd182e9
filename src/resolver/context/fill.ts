import { CONTEXT_SPENDING } from '../ranking/learned-weights.ts'
import type { CodeFile } from './code-file.ts'
import type { Excerpt, Range } from './excerpt.ts'
import { TokenBudget } from './token-budget.ts'
import type { Unit } from './units.ts'

/** A unit with its value: the probability that it has to change, all things considered. */
export interface Candidate {
  unit: Unit
  /** In [0, 1]. */
  value: number
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
}

const MAX_FILES_SHARE = 1 / 5
const MARK_RADII = [2, 0]
const MAX_MARKS = 60
const MAX_GAP = 3
const USUAL_NUMBER_TOKENS = 5

/** With fewer tokens nothing worth reading fits. */
const LEAST_WORTH = 40

/** Shows units until so little remains that nothing worth reading fits beside what is reserved for later. */
function showUnits(sorted: readonly Candidate[], budget: TokenBudget, kept: number): void {
  for (const { unit } of sorted) {
    if (budget.remaining < LEAST_WORTH + kept) return
    if (kept === 0 || unit.file.roughTokens(unit.from, unit.to, USUAL_NUMBER_TOKENS) <= budget.remaining - kept) {
      budget.showUnit(unit)
    }
  }
}

/** Shows the extract with the best value per token of each file that nothing is shown of yet. */
function showFiles(files: Iterable<CodeFile>, sorted: readonly Candidate[], budget: TokenBudget): void {
  const firsts = new Map<CodeFile, Unit>()
  for (const { unit } of sorted) if (!firsts.has(unit.file)) firsts.set(unit.file, unit)
  for (const file of files) {
    if (budget.remaining < LEAST_WORTH) return
    const unit = firsts.get(file)
    if (unit !== undefined && !budget.isOpen(file)) budget.showUnit(unit)
  }
}

const around = ({ lineCount }: CodeFile, line: number, radius: number): Range => ({
  from: Math.max(1, line - radius),
  to: Math.min(lineCount, line + radius),
})

/** Shows the units of the failing function, the nearest to the failing line first; at least that line. */
function showFailing(file: CodeFile, candidates: readonly Candidate[], budget: TokenBudget, most: number): void {
  const [line] = file.marks
  if (line === undefined) return
  const own = candidates.filter(({ unit }) => unit.file === file)
  const at = own.find(({ unit }) => unit.from <= line && line <= unit.to)?.unit
  if (at === undefined || !budget.showUnit(at)) {
    for (const radius of MARK_RADII) if (budget.show(file, around(file, line, radius))) break
    return
  }
  const scope = at.chain[0]
  if (scope === undefined) return
  const distance = ({ unit }: Candidate): number => Math.max(unit.from - line, line - unit.to)
  for (const { unit } of own
    .filter(({ unit }) => unit !== at && unit.chain.includes(scope))
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

/** The best value per token first; the best unit of each file also counts as finding the file. */
function byWorth(candidates: readonly Candidate[], { fileBonus, unitTokens }: Spending): Candidate[] {
  const firsts = new Map<CodeFile, Candidate>()
  for (const candidate of candidates) {
    if (candidate.value > (firsts.get(candidate.unit.file)?.value ?? 0)) firsts.set(candidate.unit.file, candidate)
  }
  const worth = candidates.map(candidate => {
    const { file, from, to } = candidate.unit
    const bonus = firsts.get(file) === candidate ? fileBonus * file.ranked.score : 0
    return {
      candidate,
      worth: (candidate.value + bonus) / (file.roughTokens(from, to, USUAL_NUMBER_TOKENS) + unitTokens),
    }
  })
  return worth
    .sort(
      (a, b) =>
        b.worth - a.worth ||
        a.candidate.unit.file.rank - b.candidate.unit.file.rank ||
        a.candidate.unit.from - b.candidate.unit.from,
    )
    .map(({ candidate }) => candidate)
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
 * @param candidates - The units of all excerpts.
 */
export function fill(
  excerpts: ReadonlyMap<CodeFile, Excerpt>,
  candidates: readonly Candidate[],
  maxTokens: number,
  spending: Spending = CONTEXT_SPENDING,
): void {
  const budget = new TokenBudget(excerpts, maxTokens)
  const [failing] = excerpts.keys()
  if (failing !== undefined) showFailing(failing, candidates, budget, maxTokens * spending.failingShare)
  showMarks(excerpts.keys(), budget, maxTokens * spending.marksShare)
  const sorted = byWorth(candidates, spending)
  showUnits(sorted, budget, Math.min(maxTokens * MAX_FILES_SHARE, spending.filesTokens))
  budget.settle()
  showFiles(excerpts.keys(), sorted, budget)
  for (const excerpt of excerpts.values()) closeGaps(excerpt, budget)
  showUnits(sorted, budget, 0)
}
