import type { FileUnits, Unit } from './unit.ts'

/** A part of a stylesheet that is no rule: a comment, a string, or what is in brackets. */
const SKIPPED = /\/\*[^]*?(?:\*\/|$)|"(?:[^"\\\n]|\\.)*"?|'(?:[^'\\\n]|\\.)*'?|\/\/[^\n]*/g
/** Rules that hold others. */
const HOLDS_RULES = /^@(?:media|supports|layer|container|scope|document)\b/i

/** The text with comments and strings blank, each character at its place. */
const blanked = (text: string): string =>
  text.replace(SKIPPED, (token, at: number) => {
    const isAddress = token.startsWith('//') && text[at - 1] === ':'
    return isAddress ? token : token.replace(/[^\n]/g, ' ')
  })

/** One pass over the braces and semicolons of a stylesheet. */
class RuleReader {
  readonly #text: string
  readonly #units: Unit[] = []
  /** What the open braces belong to: a unit, or null for what stands in a rule. */
  readonly #open: Array<number | null> = []
  #line = 0
  /** Where the head of the next rule begins. */
  #from = 0
  #fromLine = 0
  #isBroken = false

  constructor(text: string) {
    this.#text = text
  }

  read(): FileUnits {
    for (const { 0: mark, index: at } of this.#text.matchAll(/[{};\n]/g)) {
      if (mark === '\n') {
        this.#line++
        continue
      }
      if (mark === '{') this.#openRule(this.#text.slice(this.#from, at))
      else if (mark === '}') this.#closeRule()
      this.#from = at + 1
      this.#fromLine = this.#line
    }
    return {
      units: this.#units,
      hasLines: !this.#isBroken && this.#open.length === 0,
      broken: this.#isBroken ? 'it closes a rule that it does not open' : null,
      imports: [],
      account: 'lines',
    }
  }

  #openRule(head: string): void {
    if (!this.#open.every(index => this.#units[index ?? -1]?.kind === 'container')) {
      this.#open.push(null)
      return
    }
    const name = head.trim().replace(/\s+/g, ' ')
    const blank = head.slice(0, head.length - head.trimStart().length)
    const start = this.#fromLine + blank.split('\n').length - 1
    const kind = HOLDS_RULES.test(name) ? 'container' : 'leaf'
    const parent = this.#open.at(-1) ?? null
    this.#open.push(this.#units.push({ name, parent, start, last: this.#line, lead: start, kind }) - 1)
  }

  #closeRule(): void {
    const index = this.#open.pop()
    if (index === undefined) this.#isBroken = true
    const unit = this.#units[index ?? -1]
    if (unit !== undefined) unit.last = this.#line
  }
}

/** The rules of a stylesheet, by their selectors; those in `@media` and the like in them. */
export const styleUnits = (text: string): FileUnits => new RuleReader(blanked(text)).read()
