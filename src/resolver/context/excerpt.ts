import type { SourceReason } from '../../core/resolution.ts'
import type { CodeFile } from './code-file.ts'
import { rowBody, rowNumber, shownLine } from './line-text.ts'
import type { CountTokens, RowTokens } from './row-tokens.ts'

/** Lines from `from` to `to`, 1-based and inclusive. */
export interface Range {
  from: number
  to: number
}

/** Consecutive lines of an excerpt. A run that holds only headers of scopes helps the reader and is no evidence. */
export interface Run extends Range {
  isHeader: boolean
}

const ELISION = '…'
const MAX_RANGES = 6
const MAX_LISTED_MARKS = 12
const RANGE_TOKENS = 9 // `, 12345-12399` in the header
const MARK_TOKENS = 4 // `, 12345`
const FEWEST_CHARS_PER_TOKEN = 2
const MAX_FRAME_CHARS = 1100

const FIXED_TOKENS = 26
const CHUNK_NOTE_TOKENS = 8 // `chunk 12/34, `
const LATER_TOKENS = 4 // another last row may end otherwise
const LEAST_NUMBER_TOKENS = 4
const RUN_TOKENS = RANGE_TOKENS + 3

/** Runs with one more, which becomes one with those that it touches. */
function withRun(runs: readonly Run[], added: Run): Run[] {
  const before: Run[] = []
  const after: Run[] = []
  let { from, to, isHeader } = added
  for (const run of runs) {
    if (run.to < added.from - 1) before.push(run)
    else if (run.from > added.to + 1) after.push(run)
    else {
      from = Math.min(from, run.from)
      to = Math.max(to, run.to)
      isHeader &&= run.isHeader
    }
  }
  before.push({ from, to, isHeader }, ...after)
  return before
}

/** The row that stands for omitted lines; it ends where the line numbers do. */
const elision = (width: number): string => `${' '.repeat(width + 4)}${ELISION}`

function markNote(marked: readonly number[]): string {
  const more = marked.length - MAX_LISTED_MARKS
  return ` (stack trace lines: ${marked.slice(0, MAX_LISTED_MARKS).join(', ')}${more > 0 ? ` and ${more} more` : ''})`
}

function noteOf(reason: SourceReason, why: string): string {
  if (reason === 'similar') return ' (found by similarity search)'
  if (reason === 'lexical') return ' (found by text search)'
  return reason === 'frame' ? '' : ` (related: ${shownLine(why)})`
}

function headerOf(
  { ranked, marks }: CodeFile,
  runs: readonly Run[],
  chunk: { index: number; total: number } | null,
): string {
  const extracts = runs.filter(({ isHeader }) => !isHeader)
  const [from, to] = [extracts[0]?.from ?? 0, extracts.at(-1)?.to ?? 0]
  const lines =
    extracts.length > MAX_RANGES
      ? `${extracts.length} extracts of lines ${from}-${to}`
      : `lines ${extracts.map(run => `${run.from}-${run.to}`).join(', ')}`
  const place = chunk === null ? `[${lines}]` : `[chunk ${chunk.index + 1}/${chunk.total}, ${lines}]`
  const marked = marks.filter(line => runs.some(run => run.from <= line && line <= run.to)).sort((a, b) => a - b)
  const note = marked.length > 0 ? markNote(marked) : noteOf(ranked.reason, ranked.why)
  return `=== File: ${shownLine(ranked.path)} ${place}${note} ===`
}

/** The lines of one file that are shown, and a bound of the tokens that they take. */
export class Excerpt {
  readonly file: CodeFile
  /** In order, with lines between them that are not shown. */
  #runs: readonly Run[] = []
  #counted: { runs: readonly Run[]; end: string; tokens: number[] } | null = null
  #countedHeader = { header: '', tokens: 0 }
  readonly #rows: RowTokens
  readonly #countTokens: CountTokens

  constructor(file: CodeFile, { rows, countTokens }: { rows: RowTokens; countTokens: CountTokens }) {
    this.file = file
    this.#rows = rows
    this.#countTokens = countTokens
  }

  /**
   * An upper bound of the tokens beside the rows, whatever the file's name; what it is too high is taken back by
   * `boundOfTokens`.
   */
  frameTokens(): number {
    const { ranked, marks } = this.file
    const text = ranked.path.length + (marks.length === 0 ? ranked.why.length : 0)
    return Math.ceil(Math.min(text, MAX_FRAME_CHARS) / FEWEST_CHARS_PER_TOKEN) + FIXED_TOKENS
  }

  isShown(line: number): boolean {
    for (const { from, to } of this.#runs) if (line <= to) return line >= from
    return false
  }

  /**
   * Exact tokens of the header and of each run in the printed text: every row but the last ends with a line end.
   *
   * @param end - The text that follows the last row.
   */
  tokens(header: string, end: string): { header: number; runs: readonly number[] } {
    if (this.#countedHeader.header !== header) this.#countedHeader = { header, tokens: this.#rows.header(header) }
    const runs = this.#runs
    if (this.#counted?.runs !== runs || this.#counted.end !== end) {
      this.#counted = { runs, end, tokens: this.#tokensOfRuns(end) }
    }
    return { header: this.#countedHeader.tokens, runs: this.#counted.tokens }
  }

  #tokensOfRuns(end: string): number[] {
    const runs = this.#runs
    const lastRun = runs.at(-1)
    const width = String(lastRun?.to ?? 1).length
    const gap = runs.length > 1 ? this.#rows.text(`${elision(width)}\n`) : 0
    return runs.map(({ from, to }, index) => {
      let sum = index > 0 ? gap : 0
      const exact = to === lastRun?.to ? to - 1 : to
      for (let line = from; line <= exact; line++) sum += this.file.rowTokens(line)
      return to === exact
        ? sum
        : sum + this.#rows.number(to, this.file.isMarked.has(to)) + this.#countTokens(rowBody(this.file.line(to)) + end)
    })
  }

  /** Whether every line of a range is shown. */
  isAllShown({ from, to }: Range): boolean {
    return from > to || this.#runs.some(run => run.from <= from && to <= run.to)
  }

  /** An upper bound of the tokens of what is shown now, tighter than the sum of what showing each part was charged. */
  boundOfTokens(): number {
    const { header, runs } = this.tokens(this.header(), '\n\n')
    return runs.reduce((sum, tokens) => sum + tokens, header + CHUNK_NOTE_TOKENS + LATER_TOKENS)
  }

  /** An upper bound of the further tokens that showing these lines would take; stops counting above `enough`. */
  tokensToShow({ from, to }: Range, enough: number): number {
    let sum = this.isShown(from - 1) || this.isShown(to + 1) ? 0 : RUN_TOKENS
    for (let line = from; line <= to && sum <= enough; line++) {
      if (!this.isShown(line)) sum += this.file.rowTokens(line) + (this.file.isMarked.has(line) ? MARK_TOKENS : 0)
    }
    return sum
  }

  /** An estimate of the further tokens that showing these lines would take, without counting any. */
  leastTokens({ from, to }: Range): number {
    let sum = 0
    for (let line = from; line <= to; line++) {
      if (!this.isShown(line)) sum += this.file.roughTokens(line, line, LEAST_NUMBER_TOKENS)
    }
    return sum
  }

  /** Shows lines; a line once shown as code stays so when it is shown as a header again. */
  show({ from, to }: Range, isHeader = false): void {
    if (from <= to) this.#runs = withRun(this.#runs, { from, to, isHeader })
  }

  hideAll(): void {
    this.#runs = []
  }

  runs(): readonly Run[] {
    return this.#runs
  }

  header(chunk: { index: number; total: number } | null = null): string {
    return headerOf(this.file, this.runs(), chunk)
  }

  /** The rows below the header, a line each. */
  render(): string[] {
    const runs = this.runs()
    const width = String(runs.at(-1)?.to ?? 1).length
    const rows: string[] = []
    for (const [index, { from, to }] of runs.entries()) {
      if (index > 0) rows.push(elision(width))
      for (let line = from; line <= to; line++) {
        rows.push(rowNumber(line, this.file.isMarked.has(line), width) + rowBody(this.file.line(line)))
      }
    }
    return rows
  }
}
