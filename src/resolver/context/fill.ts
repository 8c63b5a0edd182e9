import { CONTEXT_SPENDING } from '../ranking/learned-weights.ts'
import type { CodeFile } from './code-file.ts'
import type { Excerpt, Range } from './excerpt.ts'
import type { Unit } from './units.ts'

/** A unit with how likely it has to change, all things known. */
export interface Candidate {
  unit: Unit
  /** In [0, 1]. */
  value: number
}

/** How a budget is spent. */
export interface Spending {
  /**
   * Part of a file's score that the first extract of it is worth beside its own value: to know the file is half of the
   * way.
   */
  fileBonus: number
  /** Tokens that every unit is taken to cost beside its rows; makes small units less dear than they look. */
  unitTokens: number
  /** Part of the budget that the failing function may take before anything else. */
  failingShare: number
  /** Part of the budget for the lines of the trace, each with little around it. */
  marksShare: number
  /**
   * Tokens that are kept for extracts of files that nothing else is shown of, one for each; at most a fifth of the
   * budget.
   */
  filesTokens: number
}

const MAX_FILES_SHARE = 1 / 5
const MARK_RADII = [2, 0]
const MAX_MARKS = 60
const MAX_GAP = 3
const MAX_HEADERS = 3
const USUAL_NUMBER_TOKENS = 5

const LEAST_WORTH = 40

/** Until so little is left that nothing worth reading fits beside what is kept for later. */
function showUnits(sorted: readonly Candidate[], purse: Purse, kept: number): void {
  for (const { unit } of sorted) {
    if (purse.left() < LEAST_WORTH + kept) return
    if (kept === 0 || unit.file.roughTokens(unit.from, unit.to, USUAL_NUMBER_TOKENS) <= purse.left() - kept) {
      purse.showUnit(unit)
    }
  }
}

/** The best extract for its tokens of each file that nothing is shown of yet. */
function showFiles(files: Iterable<CodeFile>, sorted: readonly Candidate[], purse: Purse): void {
  const firsts = new Map<CodeFile, Unit>()
  for (const { unit } of sorted) if (!firsts.has(unit.file)) firsts.set(unit.file, unit)
  for (const file of files) {
    if (purse.left() < LEAST_WORTH) return
    const unit = firsts.get(file)
    if (unit !== undefined && !purse.isOpen(file)) purse.showUnit(unit)
  }
}

const SEPARATE_TOKENS = 2
const LEAST_TOKENS = 5 // of a row

function createPurse(excerpts: ReadonlyMap<CodeFile, Excerpt>, maxTokens: number): Purse {
  let left = maxTokens
  const open = new Set<CodeFile>()
  const show = (file: CodeFile, range: Range, isHeader = false): boolean => {
    const excerpt = excerpts.get(file)
    if (excerpt === undefined) return false
    if (left < LEAST_TOKENS) return false
    if (excerpt.isAllShown(range)) return true
    if (excerpt.leastTokens(range) > left) return false
    const frame = open.has(file) ? 0 : excerpt.frameTokens() + SEPARATE_TOKENS
    const tokens = frame + excerpt.tokensToShow(range, left - frame)
    if (tokens > left) return false
    left -= tokens
    open.add(file)
    excerpt.show(range, isHeader)
    return true
  }
  const showUnit = ({ file, from, to, chain }: Unit): boolean => {
    if (!show(file, { from, to })) return false
    for (const index of chain.slice(0, MAX_HEADERS)) {
      const line = file.scopes[index]?.startLine ?? 0
      if (line >= 1 && line < from && excerpts.get(file)?.isShown(line) === false) {
        show(file, { from: line, to: line }, true)
      }
    }
    return true
  }
  const settle = (): void => {
    left = maxTokens
    for (const file of open) {
      const excerpt = excerpts.get(file)
      if (excerpt !== undefined) left -= excerpt.boundOfTokens()
    }
  }
  return { spent: () => maxTokens - left, left: () => left, isOpen: file => open.has(file), show, showUnit, settle }
}

const around = ({ lineCount }: CodeFile, line: number, radius: number): Range => ({
  from: Math.max(1, line - radius),
  to: Math.min(lineCount, line + radius),
})

/** The units of the failing function, the nearest to the failing line first; of that line at least itself. */
function showFailing(file: CodeFile, candidates: readonly Candidate[], purse: Purse, most: number): void {
  const [line] = file.marks
  if (line === undefined) return
  const own = candidates.filter(({ unit }) => unit.file === file)
  const at = own.find(({ unit }) => unit.from <= line && line <= unit.to)?.unit
  if (at === undefined || !purse.showUnit(at)) {
    for (const radius of MARK_RADII) if (purse.show(file, around(file, line, radius))) break
    return
  }
  const scope = at.chain[0]
  if (scope === undefined) return
  const distance = ({ unit }: Candidate): number => Math.max(unit.from - line, line - unit.to)
  for (const { unit } of own
    .filter(({ unit }) => unit !== at && unit.chain.includes(scope))
    .sort((a, b) => distance(a) - distance(b))) {
    if (purse.spent() >= most) return
    purse.showUnit(unit)
  }
}

function showMarks(files: Iterable<CodeFile>, purse: Purse, most: number): void {
  const start = purse.spent()
  let count = 0
  for (const file of files) {
    for (const line of file.marks) {
      if (count++ >= MAX_MARKS || purse.spent() - start >= most) return
      for (const radius of MARK_RADII) if (purse.show(file, around(file, line, radius))) break
    }
  }
}

/** Best value for its tokens first; the best unit of each file counts as finding the file, too. */
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

/** Lines left out cost a row, too: a few of them are better shown. */
function closeGaps(excerpt: Excerpt, purse: Purse): void {
  const runs = excerpt.runs()
  for (const [index, { from }] of runs.entries()) {
    const end = runs[index - 1]?.to
    if (end !== undefined && from - end - 1 <= MAX_GAP) purse.show(excerpt.file, { from: end + 1, to: from - 1 })
  }
}

/**
 * Chooses lines until the budget is used up: the failing function, then the lines of the trace, then whatever has the
 * best chance for its tokens, then an extract of each file that has none yet; gaps of a few lines are closed last.
 *
 * @param excerpts - Best first.
 * @param candidates - Of all excerpts.
 */
export function fill(
  excerpts: ReadonlyMap<CodeFile, Excerpt>,
  candidates: readonly Candidate[],
  maxTokens: number,
  spending: Spending = CONTEXT_SPENDING,
): void {
  const purse = createPurse(excerpts, maxTokens)
  const [failing] = excerpts.keys()
  if (failing !== undefined) showFailing(failing, candidates, purse, maxTokens * spending.failingShare)
  showMarks(excerpts.keys(), purse, maxTokens * spending.marksShare)
  const sorted = byWorth(candidates, spending)
  showUnits(sorted, purse, Math.min(maxTokens * MAX_FILES_SHARE, spending.filesTokens))
  purse.settle()
  showFiles(excerpts.keys(), sorted, purse)
  for (const excerpt of excerpts.values()) closeGaps(excerpt, purse)
  showUnits(sorted, purse, 0)
}

interface Purse {
  spent: () => number
  left: () => number
  isOpen: (file: CodeFile) => boolean
  show: (file: CodeFile, range: Range, isHeader?: boolean) => boolean
  showUnit: (unit: Unit) => boolean
  /** Takes back what bounds were above what was spent. */
  settle: () => void
}
