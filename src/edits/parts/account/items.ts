/** One of the things that stand side by side in brackets: an entry, a field, an argument, a declaration. */
export interface Item {
  /** Without blanks around it, its quotes all alike. */
  text: string
  /** What it is called: `color` of `color: red`, `port` of `port=80`; null for one without a name. */
  key: string | null
}

/** Which brackets hold items that count. */
export interface ItemRules {
  /** Whether the arguments of calls count as items, too. */
  hasArguments: boolean
  /** Whether it is a stylesheet, whose declarations end in semicolons. */
  isStyle: boolean
}

/** A bracket that is open. */
interface Group {
  open: string
  /** What stands before it. */
  lead: string
  from: number
  parts: string[]
}

const CLOSER: Readonly<Record<string, string>> = { ')': '(', ']': '[', '}': '{' }
const QUOTES = '"\'`'
const KEY = /^\.{0,2}(["'`]?)([\p{L}_$@][\p{L}\p{N}_$@./-]*)\1\s*(?::(?!:)|=>|=(?!=))/u
/** What takes names out of a value: `const { a, b } = c`, `({ a, b }) => …`. */
const TAKES_APART = /^\s*(?:=(?![=>])|\)\s*(?::[^=]*)?=>)/
/** A longer line is not looked into. */
const MAX_CHARS = 4000
/** Calls are told from other brackets by several arguments. */
const MIN_ARGUMENTS = 2

/** A part of a list as an item. */
export const itemOf = (part: string): Item => {
  const text = part.trim().replaceAll(/["'`]/g, '"').replaceAll(/\s+/g, ' ')
  return { text, key: KEY.exec(text)?.[2] ?? null }
}

/** The place of the quote that ends a text; -1 where the line does not end it. */
export function quoteEnd(text: string, at: number): number {
  for (let i = at + 1; i < text.length; i++) {
    if (text[i] === '\\') i++
    else if (text[i] === text[at]) return i
  }
  return -1
}

/** Whether a bracket chooses a place or a type, and holds nothing itself: `rows[0]`, `dict[str, int]`. */
const isSubscript = ({ open, lead }: Group): boolean => open === '[' && /[\p{L}\p{N}_$)\]?]$/u.test(lead)

/** One pass over a line and its brackets. */
class ItemReader {
  readonly items: Item[] = []
  readonly #text: string
  readonly #rules: ItemRules
  readonly #open: Group[] = []

  constructor(text: string, rules: ItemRules) {
    this.#text = text
    this.#rules = rules
  }

  read(): Item[] {
    const text = this.#text
    for (let at = 0; at < text.length; at++) {
      const char = text[at] ?? ''
      if (QUOTES.includes(char)) at = Math.max(at, quoteEnd(text, at))
      else if ('([{'.includes(char)) this.#open.push({ open: char, lead: text.slice(0, at), from: at + 1, parts: [] })
      else if (char in CLOSER) this.#close(char, at)
      else if (char === ',' || (char === ';' && this.#rules.isStyle)) this.#cut(at)
    }
    return this.items
  }

  #cut(at: number): void {
    const group = this.#open.at(-1)
    if (group === undefined) return
    group.parts.push(this.#text.slice(group.from, at))
    group.from = at + 1
  }

  #close(char: string, at: number): void {
    if (this.#open.at(-1)?.open !== CLOSER[char]) return
    this.#cut(at)
    const group = this.#open.pop()
    if (group === undefined || !this.#counts(group, at)) return
    for (const part of group.parts) if (part.trim() !== '') this.items.push(itemOf(part))
  }

  #counts(group: Group, at: number): boolean {
    const behind = this.#text.slice(at + 1, at + 80)
    if (group.open === '(') return this.#rules.hasArguments && group.parts.length >= MIN_ARGUMENTS
    if (isSubscript(group) || TAKES_APART.test(behind)) return false
    // A body of statements has no commas of its own.
    return group.open === '[' || this.#rules.isStyle || group.parts.length > 1 || KEY.test(group.parts[0]?.trim() ?? '')
  }
}

/** The items in the brackets of a line, those of inner brackets as well. */
export const itemsIn = (text: string, rules: ItemRules): Item[] =>
  text.length > MAX_CHARS ? [] : new ItemReader(text, rules).read()

/** Whether a line closes all the brackets that it opens. */
export function isBalanced(text: string): boolean {
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    const char = text[at] ?? ''
    if (QUOTES.includes(char)) at = Math.max(at, quoteEnd(text, at))
    else if ('([{'.includes(char)) depth++
    else if (char in CLOSER) depth--
  }
  return depth <= 0
}

/** How often each text stands among some. */
export const countsOf = (texts: Iterable<string>): Map<string, number> => {
  const counts = new Map<string, number>()
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1)
  return counts
}

/** The items whose text is not among others, each of which stands for one. */
function unlike<Own extends Item>(items: readonly Own[], others: readonly Item[]): Own[] {
  const counts = countsOf(others.map(({ text }) => text))
  return items.filter(({ text }) => {
    const left = counts.get(text) ?? 0
    counts.set(text, left - 1)
    return left <= 0
  })
}

/** The items that the others have not: neither the same one, nor one of its name. Each stands for one. */
export function without<Own extends Item>(items: readonly Own[], others: readonly Item[]): Own[] {
  const keys = new Set(others.map(({ key }) => key))
  // `margin` sets `margin-top` and `margin-left`.
  const isShorthand = (key: string): boolean => keys.has(key.slice(0, Math.max(0, key.indexOf('-'))))
  const left = countsOf(unlike(others, items).flatMap(({ key }) => (key === null ? [] : [key])))
  return unlike(items, others).filter(({ key }) => {
    if (key === null) return true
    const count = left.get(key) ?? 0
    left.set(key, count - 1)
    return count <= 0 && !isShorthand(key)
  })
}
