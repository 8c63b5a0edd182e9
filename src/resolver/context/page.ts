import type { SourceReason } from '../../core/resolution.ts'
import type { CodeFile } from './code-file.ts'
import { rowBody, rowNumber, shownLine } from './line-text.ts'
import type { CountTokens, RowTokens } from './row-tokens.ts'

/** Lines from `from` to `to`, 1-based and inclusive. */
export interface Range { from: number, to: number }

/** Neighbouring lines of a page; those with nothing but headers of scopes are there for reading, not as evidence. */
export interface Run extends Range { isHeader: boolean }

const ELISION = '…'
const MAX_RANGES = 6
const MAX_LISTED_MARKS = 12
const RANGE_TOKENS = 9 // `, 12345-12399` in the header
const MARK_TOKENS = 4

/** What is shown of a file, in the order of its lines, and how many tokens that takes at most. */
export class Page {
  readonly file: CodeFile
  /** Bound of its tokens without rows, line ends around it included. */
  readonly frameTokens: number
  readonly #shown: Uint8Array
  readonly #rows: RowTokens

  constructor (file: CodeFile, { rows, countTokens }: { rows: RowTokens, countTokens: CountTokens }) {
    this.file = file
    this.#rows = rows
    this.#shown = new Uint8Array(file.lineCount + 2)
    const marks = Math.min(file.marks.length, MAX_LISTED_MARKS)
    const base = countTokens(`=== File: ${shownLine(file.ranked.path)} [chunk 999/999, lines ${file.lineCount}-${file.lineCount}]`)
    const note = marks === 0 ? countTokens(noteOf(file.ranked.reason, file.ranked.why)) : marks * MARK_TOKENS + FIXED_TOKENS
    this.frameTokens = base + note + FIXED_TOKENS
  }

  isShown (line: number): boolean {
    return this.#shown[line] !== 0
  }

  rowTokens (line: number): number {
    return this.#rows.number(line, this.file.isMarked.has(line)) + this.#rows.body(this.file.line(line), this.file.lineTokens(line))
  }

  /** Bound of what more tokens it takes to show these lines, too; stops counting above `enough`. */
  tokensToShow ({ from, to }: Range, enough: number): number {
    let sum = this.#shown[from - 1] !== 0 || this.#shown[to + 1] !== 0 ? 0 : RUN_TOKENS
    for (let line = from; line <= to && sum <= enough; line++) {
      if (this.#shown[line] === 0) sum += this.rowTokens(line)
    }
    return sum
  }

  show ({ from, to }: Range, isHeader = false): void {
    for (let line = from; line <= to; line++) {
      if (!isHeader) this.#shown[line] = EXTRACT
      else if (this.#shown[line] === 0) this.#shown[line] = HEADER
    }
  }

  hide ({ from, to }: Range): void {
    this.#shown.fill(0, from, to + 1)
  }

  runs (): Run[] {
    const runs: Run[] = []
    let run: Run | null = null
    for (let line = 1; line <= this.file.lineCount; line++) {
      const state = this.#shown[line]
      if (state === 0) {
        run = null
      } else if (run === null) {
        run = { from: line, to: line, isHeader: state === HEADER }
        runs.push(run)
      } else {
        run.to = line
        run.isHeader &&= state === HEADER
      }
    }
    return runs
  }

  /** Its rows, a line each; the first is the header. */
  render (chunk: { index: number, total: number } | null): string[] {
    const runs = this.runs()
    const width = String(runs.at(-1)?.to ?? 1).length
    const rows = [header(this.file, runs, chunk)]
    for (const [index, { from, to }] of runs.entries()) {
      if (index > 0) rows.push(elision(width))
      for (let line = from; line <= to; line++) rows.push(rowNumber(line, this.file.isMarked.has(line), width) + rowBody(this.file.line(line)))
    }
    return rows
  }
}

const EXTRACT = 1
const HEADER = 2
const FIXED_TOKENS = 16
const RUN_TOKENS = RANGE_TOKENS + 3

/** Stands for lines that are left out; ends where numbers do. */
export const elision = (width: number): string => `${' '.repeat(width + 4)}${ELISION}`

function header ({ ranked, marks }: CodeFile, runs: readonly Run[], chunk: { index: number, total: number } | null): string {
  const extracts = runs.filter(({ isHeader }) => !isHeader)
  const [from, to] = [extracts[0]?.from ?? 0, extracts.at(-1)?.to ?? 0]
  const lines = extracts.length > MAX_RANGES ? `${extracts.length} extracts of lines ${from}-${to}` : `lines ${extracts.map(run => `${run.from}-${run.to}`).join(', ')}`
  const place = chunk === null ? `[${lines}]` : `[chunk ${chunk.index + 1}/${chunk.total}, ${lines}]`
  const marked = marks.filter(line => runs.some(run => run.from <= line && line <= run.to)).sort((a, b) => a - b)
  return `=== File: ${shownLine(ranked.path)} ${place}${marked.length > 0 ? markNote(marked) : noteOf(ranked.reason, ranked.why)} ===`
}

function markNote (marked: readonly number[]): string {
  const more = marked.length - MAX_LISTED_MARKS
  return ` (stack trace lines: ${marked.slice(0, MAX_LISTED_MARKS).join(', ')}${more > 0 ? ` and ${more} more` : ''})`
}

function noteOf (reason: SourceReason, why: string): string {
  if (reason === 'similar') return ' (found by similarity search)'
  if (reason === 'lexical') return ' (found by text search)'
  return reason === 'frame' ? '' : ` (related: ${shownLine(why)})`
}
