import type { Side } from '../side.ts'
import { wordsIn, type ContentLine } from './content-lines.ts'
import { isBalanced, itemsIn, without, type ItemRules } from './items.ts'
import type { LineHunk } from './line-hunks.ts'
import { likeness } from './open-lines.ts'

/** Files of prose or markup: words come and go. */
const TEXTS =
  /\.(?:md|mdx|markdown|rst|adoc|txt|tex|csv|tsv|po|log|[sx]?html?|xml|svg|xaml|j2|jinja2?|hbs|ejs|erb|tmpl|cshtml|twig)$|(?:^|\/)(?:readme|licen[cs]e|copying|notice|authors)$/i
const STYLES = /\.(?:css|scss|sass|less|pcss)$/i
/** A new line is the old one in other words from this likeness on. */
const SAME_LINE = 0.5
/** Lines that are compared with each other, at most. */
const MAX_PAIRS = 20_000
/** Lines that a line may become. */
const MAX_LINES = 60
/** Items that stand for any number of others: `...rest`, `*rest`, `f(x) for x in y`. */
const STANDS_FOR_MANY = /^(?:\.{3}|\*)|\bfor\b|\.map\(/
const WORD = /[\p{L}\p{N}_$]/u

/** A comment behind code. */
const REMARK = /\s(?:#|\/\/)\s.*$/

const plain = (line: string): string => line.trim().replaceAll(/["'`]/g, '"').replaceAll(/\s+/g, ' ')

const codeOf = (line: string): string => line.replace(REMARK, '')

/** A line as an item of a list of several lines, and the items in it. */
const textsIn = (line: string, isStyle: boolean): string[] => [
  plain(line)
    .replace(/^[-*]\s+/, '')
    .replace(/[,;]$/, ''),
  ...itemsIn(line, { hasArguments: true, isStyle }).map(({ text }) => text),
]

/** What stands before the first bracket of a line: the name of what it lists. */
const leadOf = (line: string): string => /^[^([{]*/.exec(plain(line))?.[0] ?? ''

/** Whether a text holds an item, and not as a part of a longer word. */
function holds(line: string, item: string): boolean {
  const text = plain(line)
  for (let at = text.indexOf(item); at >= 0; at = text.indexOf(item, at + 1)) {
    const isCutBefore = WORD.test(text[at - 1] ?? ' ') && WORD.test(item[0] ?? '')
    const isCutBehind = WORD.test(text[at + item.length] ?? ' ') && WORD.test(item.at(-1) ?? '')
    if (!isCutBefore && !isCutBehind) return true
  }
  return false
}

/** The words between blanks that a line has not any more, where it has no new one; options come and go. */
function lostWords(line: string, counterpart: string): string[] {
  const wordsOf = (text: string): string[] =>
    plain(text)
      .split(' ')
      .filter(word => !word.startsWith('-') || word === '-')
      .map(word => word.replace(/[,;]$/, ''))
  const [old, own] = [wordsOf(line), wordsOf(counterpart)]
  const left = new Map<string, number>()
  for (const word of old) left.set(word, (left.get(word) ?? 0) + 1)
  for (const word of own) {
    const count = left.get(word) ?? 0
    if (count === 0) return []
    left.set(word, count - 1)
  }
  return [...left].filter(([, count]) => count > 0).map(([word]) => word)
}

/** Whether a line says something that the old one does not. */
const hasNewWord = ({ words }: ContentLine, line: string): boolean => wordsIn(line).some(word => !words.includes(word))

/** The code of a line with that of those which it goes on in. */
function joinedFrom(lines: readonly string[], first: number): string {
  let text = codeOf(lines[first] ?? '')
  for (let at = first + 1; at < first + MAX_LINES; at++) {
    const isBroken = text.endsWith('\\')
    if (!isBroken && isBalanced(text)) break
    text = `${isBroken ? text.slice(0, -1).trimEnd() : text} ${codeOf(lines[at] ?? '')}`
  }
  return text
}

/** Items of the lines that a block replaces, and that stand in none of its new lines. */
export class LostItems {
  readonly #before: Side
  readonly #after: Side
  readonly #isStyle: boolean
  /** Its lines are lists of words: packages, files, hosts, commands. */
  readonly #hasWords: boolean
  readonly #isLarge: boolean
  /** How often something stands on a new line of its own, or side by side with others. */
  readonly #fresh = new Map<string, number>()

  constructor(before: Side, after: Side, hunks: readonly LineHunk[]) {
    this.#before = before
    this.#after = after
    this.#isStyle = STYLES.test(before.path)
    this.#hasWords = before.account === 'lines' && !this.#isStyle && !TEXTS.test(before.path)
    this.#isLarge = hunks.some(hunk => hunk.lost.length * hunk.fresh.length > MAX_PAIRS)
    for (const { at } of hunks.flatMap(hunk => hunk.fresh)) {
      const line = after.lines[at] ?? ''
      for (const text of textsIn(line, this.#isStyle)) this.#fresh.set(text, (this.#fresh.get(text) ?? 0) + 1)
    }
  }

  /** What of a line of the file its new line has not, nor any other new line. */
  of(line: ContentLine, { fresh }: LineHunk): string[] {
    if (this.#isLarge) return []
    const rules: ItemRules = { hasArguments: line.owner === -1 && !this.#isStyle, isStyle: this.#isStyle }
    const text = codeOf(this.#before.lines[line.at] ?? '')
    const old = itemsIn(text, rules)
    const counterpart = old.length === 0 && !this.#hasWords ? null : this.#counterpart(line, fresh)
    if (counterpart === null) return []
    const words = this.#hasWords ? lostWords(text, counterpart) : []
    if (words.length > 0 || old.length === 0) return words
    const own = itemsIn(counterpart, rules)
    if (own.length === 0 && hasNewWord(line, counterpart)) return []
    const left = without(old, own)
    const added = without(own, old)
    if (added.some(item => STANDS_FOR_MANY.test(item.text))) return []
    const here = textsIn(counterpart, this.#isStyle)
    const hasMoved = (text: string): boolean =>
      (this.#fresh.get(text) ?? 0) > here.filter(other => other === text).length
    const gone = left.filter(({ text }) => !hasMoved(text) && !(own.length === 0 && holds(counterpart, text)))
    return gone.length > added.length ? gone.map(({ text }) => text) : []
  }

  /** The new line that is the old one in other words, with those that it goes on in; null for none. */
  #counterpart(line: ContentLine, fresh: readonly ContentLine[]): string | null {
    const lead = leadOf(this.#before.lines[line.at] ?? '')
    let best: { at: number; like: number } | null = null
    for (const own of fresh) {
      const isNamedSo = lead !== '' && leadOf(this.#after.lines[own.at] ?? '') === lead
      const like = likeness(line, own) + (isNamedSo ? 1 : 0)
      if (like >= SAME_LINE && like > (best?.like ?? 0)) best = { at: own.at, like }
    }
    if (best === null) return null
    return joinedFrom(this.#after.lines, best.at)
  }
}
