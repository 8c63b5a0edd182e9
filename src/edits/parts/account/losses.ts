import type { Side } from '../side.ts'
import { STUB } from '../stub.ts'
import { contentOf, type ContentLine } from './content-lines.ts'
import { lineHunks, type LineHunk } from './line-hunks.ts'

/** Lines of a file that a block has not, and for which nothing in it stands. */
export interface Loss {
  /** The first of them, by its number. */
  at: number
  count: number
}

/** What accounts for lines that are gone. */
export interface Excuses {
  /** Whether a line may be gone. */
  mayGo: (line: ContentLine) => boolean
  /** Whether code may stand in another place than what it replaces. */
  reworks: boolean
}

/** New lines of a file stand for old ones from this share of their words on. */
const STANDS_FOR = 0.6
/** In a function less is enough: a loop becomes one call. */
const STANDS_FOR_CODE = 1 / 8
const STANDS_BESIDE_REMARK = 0.5
/** Fewer lines of a function may become any line. */
const MANY = 10
/** Fewer lines of a function that are its lesser part may go. */
const SOME = 3
const LIKE = 0.5
const MAX_PAIRS = 20_000
const MIN_ENTRIES = 2

/** A decorator or an attribute; it says something about what follows. */
const MARK = /^(?:@[\w.]|#!?\[|\[[A-Z][\w.]*(?:\(.*\))?\]$)/
const DEBUG = new RegExp(
  '^(?:print\\w*!?|console\\.\\w+|System\\.out\\.\\w+|fmt\\.Print\\w*|puts|pp?|var_dump|echo|dbg!|e?println!|cat' +
    '|log(?:ger|ging)?\\.\\w+|Log\\.\\w+|std::cout)(?:\\b|\\s|\\(|$)',
)
const BREAKPOINT = /^(?:debugger|breakpoint\(\)|import pdb|i?pdb\.set_trace|binding\.pry)/
/** A comment that speaks of what there is already or is yet to come. */
const SPEAKS_OF_REST =
  /\.{2,}|…|⋮|<\w+>|\b(?:same|as (?:is|before|in|above)|before|above|below|existing|unchanged|keep|rest|remain\w*|original|previous|omit\w*|snip\w*|your|here|etc|stays?|continues?|todo|other|wie|reste|unverändert|gleich)\b|[\u3040-\u30ff\u4e00-\u9fff]/i

const weightOf = (lines: readonly ContentLine[]): number => lines.reduce((sum, { words }) => sum + words.length, 0)

/** The share of words that two lines have in common. */
function likeness(a: ContentLine, b: ContentLine): number {
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
class OpenLines {
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

/** Whether a comment holds the code itself. */
const isCommentedOut = (comment: string, { words }: ContentLine): boolean => words.every(word => comment.includes(word))

/** Whether what stands in the place of lines of a function is less than they were. */
function losesCode(
  old: readonly ContentLine[],
  hunk: LineHunk,
  { size, spare }: { size: number; spare: number },
): boolean {
  const name = old[0]?.ownerName
  const inSame = hunk.fresh.filter(own => own.ownerName === name)
  const fresh = (inSame.length > 0 ? inSame : hunk.fresh).filter(({ text }) => !STUB.test(text))
  const [lostWords, freshWords] = [weightOf(old), weightOf(fresh)]
  const stubs = hunk.fresh.length - fresh.length
  if (fresh.length === 0) {
    const remarks = hunk.comments.filter(comment => !old.some(line => isCommentedOut(comment, line)))
    return remarks.length + stubs > 0 || old.length >= SOME || old.length * 2 >= size
  }
  if (hunk.comments.some(comment => SPEAKS_OF_REST.test(comment))) return freshWords < lostWords * STANDS_BESIDE_REMARK
  return old.length >= MANY && freshWords < lostWords * STANDS_FOR_CODE && spare < lostWords * STANDS_FOR
}

/** Groups lines that follow one another in the file. */
function grouped(lost: readonly ContentLine[], order: ReadonlyMap<number, number>): Loss[] {
  const losses: Array<Loss & { end: number; owner: number }> = []
  for (const { at, owner } of [...lost].sort((a, b) => a.at - b.at)) {
    const place = order.get(at) ?? 0
    const last = losses.at(-1)
    if (last !== undefined && last.end + 1 === place && last.owner === owner) {
      last.count++
      last.end = place
    } else losses.push({ at, count: 1, end: place, owner })
  }
  return losses.map(({ at, count }) => ({ at, count }))
}

/**
 * The lines of a file that vanish when a block replaces it: each line that holds something must be kept, have moved, or
 * have new lines in its place that say as much. Code in functions may be written anew and get shorter.
 */
export function lossesOf(before: Side, after: Side, { mayGo, reworks }: Excuses): Loss[] {
  if (before.account === 'none') return []
  const content = contentOf(before)
  const hunks = lineHunks(content, contentOf(after))
  const sizes = new Map<number, number>()
  for (const { owner, at } of content.lines) if (at !== owner) sizes.set(owner, (sizes.get(owner) ?? 0) + 1)
  const isFree = (line: ContentLine): boolean =>
    BREAKPOINT.test(line.text) ||
    (line.owner !== -1 && (DEBUG.test(line.text) || line.at === line.owner)) ||
    mayGo(line)
  const spareOf = (hunk: LineHunk): number => Math.max(0, weightOf(hunk.fresh) - weightOf(hunk.lost))
  const spare = hunks.reduce((sum, hunk) => sum + spareOf(hunk), 0)
  const lost = hunks.flatMap(hunk => {
    const byOwner = Map.groupBy(
      hunk.lost.filter(line => !isFree(line)),
      ({ owner }) => owner,
    )
    return [...byOwner].flatMap(([owner, old]) => {
      if (owner === -1) return new OpenLines(hunk).lost(old, reworks ? spare : 0)
      const size = sizes.get(owner) ?? 0
      return losesCode(old, hunk, { size, spare }) ? old : []
    })
  })
  return grouped(lost, new Map(content.lines.map(({ at }, i) => [at, i])))
}
