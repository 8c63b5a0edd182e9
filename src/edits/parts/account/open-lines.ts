import { weightOf, type ContentLine } from './content-lines.ts'
import type { LineHunk } from './line-hunks.ts'

/** New lines of a file stand for old ones from this share of their words on. */
export const STANDS_FOR = 0.6
const LIKE = 0.5
const MAX_PAIRS = 20_000
const MIN_ENTRIES = 2

/** A decorator or an attribute; it says something about what follows. */
const MARK = /^(?:@[\w.]|#!?\[|\[[A-Z][\w.]*(?:\(.*\))?\]$)/

/** The share of words that two lines have in common. */
export function likeness(a: ContentLine, b: ContentLine): number {
  const own = new Set(a.words)
  return (2 * new Set(b.words.filter(word => own.has(word))).size) / (own.size + new Set(b.words).size)
}

/** The entries of a list or an object in one line. */
const entriesOf = (text: string): number => (/[[{]|^[^(]*$/.test(text) ? text.split(',').length - 1 : 0)

/** Whether a line has nothing but some entries of an old one. */
function shrinks(old: ContentLine, fresh: ContentLine): boolean {
  const words = new Set(old.words)
  const hasNothingNew = fresh.words.every(word => words.has(word))
  return hasNothingNew && entriesOf(old.text) >= MIN_ENTRIES && entriesOf(fresh.text) < entriesOf(old.text)
}

/** Reads which lines of one hunk that stand in no function are lost. */
export class OpenLines {
  readonly #fresh: Set<ContentLine>
  /** The words of all new lines. */
  readonly #words: ReadonlySet<string>
  /** Too many lines to compare each with each. */
  readonly #isLarge: boolean

  constructor(hunk: LineHunk) {
    this.#words = new Set(hunk.fresh.flatMap(({ words }) => words))
    this.#isLarge = hunk.lost.length * hunk.fresh.length > MAX_PAIRS
    this.#fresh = new Set(hunk.fresh.filter(({ owner }) => owner === -1))
  }

  /** @param spare - Words elsewhere in the block that may stand for these. */
  lost(old: readonly ContentLine[], spare: number): ContentLine[] {
    const shrunk = old.filter(line => !this.#takeLike(line, true))
    const left = shrunk.filter(line => !this.#isRespelled(line))
    const unpaired = left.filter(line => !this.#takeLike(line, false))
    return [true, false].flatMap(isMark => {
      const own = unpaired.filter(({ text }) => MARK.test(text) === isMark)
      const stands = [...this.#fresh].filter(({ text }) => MARK.test(text) === isMark)
      const weight = weightOf(stands) + (isMark ? 0 : spare)
      return weight >= weightOf(own) * STANDS_FOR ? [] : own
    })
  }

  /** Whether the words of a line stand in new lines: it was broken, or joined with others. */
  #isRespelled({ words, text }: ContentLine): boolean {
    if (MARK.test(text)) return false
    if (!words.every(word => this.#words.has(word))) return false
    if (this.#isLarge) return true
    const own = new Set(words)
    for (const line of this.#fresh) if (line.words.every(word => own.has(word))) this.#fresh.delete(line)
    return true
  }

  /** Takes the new line that is most like an old one; one that shrinks it is none. */
  #takeLike(line: ContentLine, isExact: boolean): boolean {
    if (this.#isLarge) return false
    const least = isExact ? 1 - LIKE / 2 : LIKE
    let best: { own: ContentLine; like: number } | null = null
    for (const own of this.#fresh) {
      if (MARK.test(own.text) !== MARK.test(line.text) || shrinks(line, own)) continue
      const like = likeness(line, own)
      if (like >= least && like > (best?.like ?? 0)) best = { own, like }
    }
    if (best === null) return false
    this.#fresh.delete(best.own)
    return true
  }
}
