import type { Import, Outline, Scope, ScopeKind } from '../core/outline.ts'
import {
  AT,
  CLOSE_BRACE,
  CLOSE_BRACKET,
  CLOSE_PAREN,
  COMMA,
  HASH,
  OPEN_BRACE,
  OPEN_BRACKET,
  SEMICOLON,
  type Tokens,
} from './lexis/tokens.ts'

const MAX_NAME = 200
/** Names that are kept of one import; the others are left out. */
export const MAX_NAMES = 200
/** Characters of the path that something is imported from; an import with a longer one is left out. */
export const MAX_TARGET = 2 * MAX_NAME
/** Lines that are looked at for what belongs to a definition: comments and attributes above it. */
const MAX_LEAD_LINES = 400
/**
 * Characters that an outline may hold for each one of its text, and those that even a short text may give. Code stays
 * far below: imports repeat the beginnings of their paths, names are cut out of the text. Beyond it lies only what was
 * made to be large.
 */
const CHARACTERS_PER_CHARACTER = 4
const LEAST_CHARACTERS = 4_096

interface Found {
  name: string
  kind: ScopeKind
  first: number
  last: number
  lead: number
}

/** `@Name`, `[Name]` and `#[name]` on lines of their own in front of a definition. */
function isAttribute(tokens: Tokens, first: number, last: number): boolean {
  const kind = tokens.kind(first)
  if (kind === OPEN_BRACKET) return tokens.pair(first) === last
  const end = tokens.kind(last)
  return (
    (kind === AT || (kind === HASH && tokens.kind(first + 1) === OPEN_BRACKET)) &&
    end !== SEMICOLON &&
    end !== OPEN_BRACE &&
    end !== CLOSE_BRACE &&
    end !== COMMA
  )
}

/** Collects the definitions and imports that a scanner finds, in any order, and puts them in the order of the text. */
export class OutlineBuilder {
  readonly #tokens: Tokens
  readonly #found: Found[] = []
  readonly #imports: Import[] = []
  #charactersLeft: number

  constructor(tokens: Tokens) {
    this.#tokens = tokens
    this.#charactersLeft = CHARACTERS_PER_CHARACTER * tokens.text.length + LEAST_CHARACTERS
  }

  /** Whether the outline may grow by so many characters, which are then taken from what is left. */
  #hasRoom(characters: number): boolean {
    if (characters > this.#charactersLeft) return false
    this.#charactersLeft -= characters
    return true
  }

  /**
   * Adds a definition. One without a name, or with a very long one, is left out.
   *
   * @param first - Token with which the definition begins, below its decorators.
   * @param last - Its last token.
   * @param lead - The first token of what stands before it and belongs to it, where the parser knows.
   */
  scope(kind: ScopeKind, name: string, first: number, last: number, lead = first): void {
    if (
      name !== '' &&
      name.length <= MAX_NAME &&
      first >= 0 &&
      first < this.#tokens.count &&
      this.#hasRoom(name.length)
    ) {
      this.#found.push({
        name,
        kind,
        first,
        last: Math.min(Math.max(first, last), this.#tokens.count - 1),
        lead: Math.min(lead, first),
      })
    }
  }

  /** Adds an import that stands at a token. */
  import(target: string, names: string[], at: number): void {
    this.importOnLine(target, names, this.#tokens.line(at))
  }

  /** Adds an import on a line that has no token, such as an `#include`. */
  importOnLine(target: string, names: string[], line: number): void {
    if (target === '' || target.length > MAX_TARGET) return
    const kept = names.filter(name => name !== '' && name.length <= MAX_NAME).slice(0, MAX_NAMES)
    if (this.#hasRoom(kept.reduce((sum, name) => sum + name.length, target.length))) {
      this.#imports.push({ target, names: kept, line })
    }
  }

  /** The outline of all that was added. To be called once. */
  build(): Outline {
    // stable: of two that are alike the one found first is outside
    const found = this.#found.sort((a, b) => a.first - b.first || b.last - a.last)
    const scopes: Scope[] = []
    const around: number[] = []
    for (const { name, kind, first, last, lead } of found) {
      for (let top = around.at(-1); top !== undefined && (found[top]?.last ?? -1) < last; top = around.at(-1)) {
        around.pop()
      }
      const parent = around.at(-1) ?? null
      const startLine = this.#tokens.line(first)
      const outer = parent === null ? undefined : scopes[parent]
      const floor = outer?.startLine ?? 0
      const leadLine = this.#leadLine(
        Math.max(Math.min(this.#tokens.line(lead), startLine), Math.min(floor + 1, startLine)),
        floor,
      )
      around.push(scopes.push({ name, kind, startLine, endLine: this.#tokens.endLine(last), leadLine, parent }) - 1)
    }
    this.#imports.sort((a, b) => a.line - b.line)
    return { scopes, imports: this.#imports }
  }

  /** Goes up over comments and over decorators, annotations and attributes, which may span lines. */
  #leadLine(from: number, floor: number): number {
    const tokens = this.#tokens
    let lead = from
    while (lead - 1 > floor && from - lead < MAX_LEAD_LINES) {
      const above = lead - 1
      if (tokens.isComment(above)) {
        lead = above
        continue
      }
      const last = tokens.firstOf(lead) - 1
      const first = last >= 0 && tokens.line(last) === above ? tokens.firstOf(this.#lineOfBegin(last)) : -1
      const line = tokens.line(first)
      if (first === -1 || line <= floor || !isAttribute(tokens, first, last)) break
      lead = line
    }
    return lead
  }

  /** The line on which an attribute begins that ends with this token. */
  #lineOfBegin(last: number): number {
    const kind = this.#tokens.kind(last)
    const pair = kind === CLOSE_PAREN || kind === CLOSE_BRACKET ? this.#tokens.pair(last) : -1
    return this.#tokens.line(pair === -1 ? last : pair)
  }
}
