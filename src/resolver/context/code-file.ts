import type { Outline, Scope } from '../../core/outline.ts'
import type { RankedFile } from '../ranked-file.ts'
import type { RowTokens, TextRows } from './row-tokens.ts'

/** What the context reads of files. */
export interface FileReader {
  fileText: (repository: string, path: string) => string | null
  outline: (repository: string, path: string) => Outline | null
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

  constructor (ranked: RankedFile, rank: number, { text, scopes, count }: { text: string, scopes: readonly Scope[], count: RowTokens }) {
    this.ranked = ranked
    this.rank = rank
    this.#text = text
    this.#rows = count.rowsOf(text)
    this.#count = count
    this.lineCount = this.#rows.starts.length
    this.scopes = scopes
    this.marks = [...new Set(ranked.highlightedLines)].filter(line => Number.isInteger(line) && line >= 1 && line <= this.lineCount)
    this.isMarked = new Set(this.marks)
  }

  line (number: number): string {
    const { starts } = this.#rows
    const next = starts[number]
    return next === undefined ? this.#text.slice(starts[number - 1], this.#text.endsWith('\n') ? -1 : undefined) : this.#text.slice(starts[number - 1], next - 1)
  }

  /** Exact tokens of a line's row with its line end; counted once for all answers that show it. */
  rowTokens (line: number): number {
    const { tokens } = this.#rows
    const known = tokens[line - 1] ?? 0
    const body = known !== 0 ? known : tokens[line - 1] = this.#count.body(this.line(line))
    return body + this.#count.number(line, this.isMarked.has(line))
  }

  /** Estimate by the number of characters, for lines that nobody may ever see. */
  roughTokens (from: number, to: number, perLine: number): number {
    const { starts } = this.#rows
    const lines = Math.max(0, to - from + 1)
    const chars = (starts[to] ?? this.#text.length) - (starts[from - 1] ?? 0)
    return Math.min(Math.ceil(chars / CHARS_PER_TOKEN), lines * MAX_ROUGH_TOKENS) + lines * perLine
  }
}

export function openFile (ranked: RankedFile, rank: number, reader: FileReader, count: RowTokens): CodeFile | null {
  const text = reader.fileText(ranked.repository, ranked.path)
  return text === null || text === '' ? null : new CodeFile(ranked, rank, { text, scopes: reader.outline(ranked.repository, ranked.path)?.scopes ?? [], count })
}
