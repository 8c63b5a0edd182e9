import type { Outline, Scope } from '../../core/outline.ts'
import { lineCount } from '../../core/source-text.ts'
import type { RankedFile } from '../ranked-file.ts'

/** What the context reads of files. */
export interface FileReader {
  fileText: (repository: string, path: string) => string | null
  outline: (repository: string, path: string) => Outline | null
  lineTokens: (repository: string, path: string) => Uint16Array | null
}

const USUAL_LINE_TOKENS = 10

/** A ranked file, opened. Lines are 1-based; nothing is split before it is asked for. */
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
  /** Where lines begin, as far as anyone asked. */
  readonly #starts: number[] = [0]
  readonly #tokens: Uint16Array | null

  constructor (ranked: RankedFile, rank: number, text: string, reader: FileReader) {
    this.ranked = ranked
    this.rank = rank
    this.#text = text
    const tokens = reader.lineTokens(ranked.repository, ranked.path)
    this.lineCount = tokens !== null && tokens.length > 0 ? tokens.length : lineCount(text)
    this.#tokens = tokens
    this.scopes = reader.outline(ranked.repository, ranked.path)?.scopes ?? []
    this.marks = [...new Set(ranked.highlightedLines)].filter(line => Number.isInteger(line) && line >= 1 && line <= this.lineCount)
    this.isMarked = new Set(this.marks)
  }

  line (number: number): string {
    const start = this.#startOf(number)
    const next = this.#startOf(number + 1)
    return this.#text.slice(start, next > this.#text.length ? undefined : next - 1)
  }

  /** Beyond the text for lines that there are not. */
  #startOf (number: number): number {
    const starts = this.#starts
    while (starts.length < number) {
      const end = this.#text.indexOf('\n', starts.at(-1))
      starts.push(end === -1 ? this.#text.length + 1 : end + 1)
    }
    return starts[number - 1] ?? 0
  }

  /** Tokens of the bare line with its line end; null where the index does not know them. The last line may have none. */
  lineTokens (number: number): number | null {
    return number === this.lineCount ? null : this.#tokens?.[number - 1] ?? null
  }

  /** Estimate for lines that nobody may ever see. */
  roughTokens (from: number, to: number, perLine: number): number {
    let sum = 0
    for (let line = from; line <= to; line++) sum += Math.min(this.#tokens?.[line - 1] ?? USUAL_LINE_TOKENS, MAX_ROUGH_TOKENS) + perLine
    return sum
  }
}

const MAX_ROUGH_TOKENS = 250 // longer lines are cut

export const openFile = (ranked: RankedFile, rank: number, reader: FileReader): CodeFile | null => {
  const text = reader.fileText(ranked.repository, ranked.path)
  return text === null || text === '' ? null : new CodeFile(ranked, rank, text, reader)
}
