import type { Outline, Scope } from '../../core/outline.ts'
import type { RankedFile } from '../ranking/ranked-file.ts'
import type { RowTokens, TextRows } from './row-tokens.ts'

/** The files as the context reads them. */
export interface FileReader {
  fileText: (repository: string, path: string) => string | null
  outline: (repository: string, path: string) => Outline | null
  /** See `CodeReader`; without it rows are counted when they are shown. */
  rowTokens?: (repository: string, path: string) => Uint8Array | null
}

const CHARS_PER_TOKEN = 4
const MAX_ROUGH_TOKENS = 250 // longer lines are cut

/** A ranked file, opened. Lines are 1-based. */
export class CodeFile {
  readonly ranked: RankedFile
  /** Position in the ranking. */
  readonly rank: number
  readonly lineCount: number
  readonly scopes: readonly Scope[]
  /** Lines of the trace that the file has, the nearest to the failure first. */
  readonly marks: readonly number[]
  readonly isMarked: ReadonlySet<number>
  readonly #text: string
  readonly #rows: TextRows
  readonly #count: RowTokens

  constructor(
    ranked: RankedFile,
    rank: number,
    {
      text,
      scopes,
      count,
      counted = () => null,
    }: { text: string; scopes: readonly Scope[]; count: RowTokens; counted?: () => Uint8Array | null },
  ) {
    this.ranked = ranked
    this.rank = rank
    this.#text = text
    this.#rows = count.rowsOf(text, counted)
    this.#count = count
    this.lineCount = this.#rows.lineCount
    this.scopes = scopes
    this.marks = [...new Set(ranked.highlightedLines)].filter(
      line => Number.isInteger(line) && line >= 1 && line <= this.lineCount,
    )
    this.isMarked = new Set(this.marks)
  }

  line(number: number): string {
    const end = this.#startOf(number + 1)
    const hasEnd = number < this.lineCount || this.#text.endsWith('\n')
    return this.#text.slice(this.#startOf(number), hasEnd ? end - 1 : end)
  }

  /** Where a line begins; for the line after the last, the end of the text. */
  #startOf(line: number): number {
    if (line > this.lineCount) return this.#text.length
    const { starts, stride } = this.#rows
    const before = Math.floor((line - 1) / stride)
    let start = starts[before] ?? 0
    for (let skip = line - 1 - before * stride; skip > 0; skip--) start = this.#text.indexOf('\n', start) + 1
    return start
  }

  /** Exact tokens of a line's row with its line end, from the index or counted once for all answers that show it. */
  rowTokens(line: number): number {
    const { tokens } = this.#rows
    const known = tokens[line - 1] ?? 0
    // behind the last that is kept nothing is
    const body = known !== 0 ? known : (tokens[line - 1] = this.#count.body(this.line(line)))
    return body + this.#count.number(line, this.isMarked.has(line))
  }

  /** Estimates tokens by the number of characters, for lines that may never be shown. */
  roughTokens(from: number, to: number, perLine: number): number {
    const lines = Math.max(0, to - from + 1)
    const chars = this.#startOf(to + 1) - this.#startOf(from)
    return Math.min(Math.ceil(chars / CHARS_PER_TOKEN), lines * MAX_ROUGH_TOKENS) + lines * perLine
  }
}

/** Opens a ranked file; null when it is missing or empty. */
export function openFile(ranked: RankedFile, rank: number, reader: FileReader, count: RowTokens): CodeFile | null {
  const { repository, path } = ranked
  const text = reader.fileText(repository, path)
  if (text === null || text === '') return null
  return new CodeFile(ranked, rank, {
    text,
    scopes: reader.outline(repository, path)?.scopes ?? [],
    count,
    counted: () => reader.rowTokens?.(repository, path) ?? null,
  })
}
