import type { CodeFile } from './code-file.ts'
import type { Excerpt, Range } from './excerpt.ts'
import type { Unit } from './units.ts'

const MAX_HEADERS = 3
const SEPARATE_TOKENS = 2
/** A row takes at least these. */
const LEAST_TOKENS = 5

/** The token budget of a context, and the excerpts that it is spent on. */
export class TokenBudget {
  readonly #excerpts: ReadonlyMap<CodeFile, Excerpt>
  readonly #maxTokens: number
  readonly #open = new Set<CodeFile>()
  #remaining: number

  constructor(excerpts: ReadonlyMap<CodeFile, Excerpt>, maxTokens: number) {
    this.#excerpts = excerpts
    this.#maxTokens = maxTokens
    this.#remaining = maxTokens
  }

  get spent(): number {
    return this.#maxTokens - this.#remaining
  }

  get remaining(): number {
    return this.#remaining
  }

  /** Whether anything of a file is shown. */
  isOpen(file: CodeFile): boolean {
    return this.#open.has(file)
  }

  /** Shows lines if the budget suffices, and returns whether they are shown. */
  show(file: CodeFile, range: Range, isHeader = false): boolean {
    const excerpt = this.#excerpts.get(file)
    if (excerpt === undefined || this.#remaining < LEAST_TOKENS) return false
    if (excerpt.isAllShown(range)) return true
    if (excerpt.leastTokens(range) > this.#remaining) return false
    const frame = this.#open.has(file) ? 0 : excerpt.frameTokens() + SEPARATE_TOKENS
    const tokens = frame + excerpt.tokensToShow(range, this.#remaining - frame)
    if (tokens > this.#remaining) return false
    this.#remaining -= tokens
    this.#open.add(file)
    excerpt.show(range, isHeader)
    return true
  }

  /** Shows a unit and, as far as the budget allows, the headers of its scopes; returns whether the unit is shown. */
  showUnit({ file, from, to, chain }: Unit): boolean {
    if (!this.show(file, { from, to })) return false
    for (const index of chain.slice(0, MAX_HEADERS)) {
      const line = file.scopes[index]?.startLine ?? 0
      if (line >= 1 && line < from && this.#excerpts.get(file)?.isShown(line) === false) {
        this.show(file, { from: line, to: line }, true)
      }
    }
    return true
  }

  /** Returns to the budget what the bounds of lines exceeded a tighter bound of what is shown now. */
  settle(): void {
    this.#remaining = this.#maxTokens
    for (const file of this.#open) this.#remaining -= this.#excerpts.get(file)?.boundOfTokens() ?? 0
  }
}
