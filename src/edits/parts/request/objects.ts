import { isUnspaced, type Token } from './tokens.ts'
import * as known from './vocabulary.ts'

/** What a verb is said of. */
export interface Objects {
  /** Things that are named: `load`, `Cart.total`, `Getting Started`. */
  names: string[]
  /** Titles, in small letters. */
  titles: string[]
  /** Things that are chosen without a name: values nobody uses, anything nobody uses, whatever is not named. */
  unnamed: 'no' | 'values' | 'some' | 'most'
  /** The token behind them. */
  end: number
}

/** One of the things in a list. */
interface Item {
  name: string
  isTitle: boolean
  unnamed: Objects['unnamed']
}

const MAX_ADJECTIVES = 3
const WITHIN = known.words('function functions method methods body loop call calls funktion функции метода')
const CODE_NAME = /[^\p{L}]|\p{Ll}\p{Lu}|^\p{Lu}/u
/** Words that only seem to be names of things. */
const isCodeLike = ({ text, kind }: Token): boolean => kind === 'quoted' || CODE_NAME.test(text)

const plainName = (text: string): string =>
  text
    .replace(/\([^()]*\)$/, '')
    .replace(/^(?:def|function|class|const|let|var|func|fn|type|interface)\s+/, '')
    .trim()

/** How the things are chosen that have no name: "unused functions", "all other classes". */
function unnamedIn(run: readonly Token[], rest: number, kind: string | undefined): Objects['unnamed'] {
  const has = (words: ReadonlySet<string>): boolean => run.some(({ word }) => words.has(word))
  if (rest === 0 && kind === undefined) {
    return has(known.EVERYTHING) || run.map(({ word }) => word).join(' ') === 'all other' ? 'most' : 'no'
  }
  if (kind === undefined || rest > MAX_ADJECTIVES || !(has(known.UNUSED) || has(known.ALL))) return 'no'
  return known.VALUE_KINDS.has(kind) ? 'values' : 'some'
}

const isKind = ({ word }: Token): boolean => known.KINDS.has(word)

/** Words in front of a name that are no part of it. */
const isLeading = (token: Token): boolean =>
  token.kind === 'word' && (known.DETERMINERS.has(token.word) || known.EVERYTHING.has(token.word) || isKind(token))

/**
 * Reads one of the things in a list.
 *
 * @param isSure - Whether a plain word alone is a name: it may as well be what the sentence speaks of.
 */
function readItem(run: readonly Token[], isSure: boolean): Item | null {
  const first = run.findIndex(token => !isLeading(token))
  const from = first < 0 ? run.length : first
  const last = run.findLastIndex((token, i) => i === from || !isKind(token))
  const rest = run.slice(from, Math.max(from, last + 1))
  const kind = [...run.slice(last + 1), ...run.slice(0, from)].filter(isKind).at(-1)?.word
  const unnamed = unnamedIn(run, rest.length, kind)
  const [only] = rest
  if (only === undefined) return unnamed === 'no' ? null : { name: '', isTitle: false, unnamed }
  if (rest.length > 1 && unnamed !== 'no') return { name: '', isTitle: false, unnamed }
  if (rest.length === 1 && kind === undefined && !isSure && !isCodeLike(only)) return null
  const name = plainName(rest.map(({ text }) => text).join(' '))
  return { name, isTitle: kind !== undefined && known.TITLE_KINDS.has(kind), unnamed: 'no' }
}

/** Whether what follows "in" or "from" is a function: what is taken from there is no definition of the file. */
function isWithin(tokens: readonly Token[], at: number): boolean {
  if (!/^(?:in|from|aus|из|в)$/.test(tokens[at]?.word ?? '')) return false
  const behind = tokens.slice(at + 1, at + 4)
  if (behind.some(({ word }) => WITHIN.has(word))) return true
  const thing = behind.find(({ word, kind }) => kind === 'quoted' || !known.DETERMINERS.has(word))
  return thing?.text.endsWith(')') ?? false
}

/** The things of a list, while it is read. */
class ObjectList {
  readonly objects: Objects = { names: [], titles: [], unnamed: 'no', end: 0 }
  #run: Token[] = []
  /** Whether its things have a kind or signs of code, so that plain words among them are names, too. */
  #isOfNames = false
  #isBegun = false

  get isBetween(): boolean {
    return this.#run.length === 0
  }

  add(token: Token): void {
    this.#run.push(token)
  }

  /** @param isOpen - Whether the word behind the thing leaves open what it is. */
  take(isOpen = false): void {
    const run = this.#run.splice(0)
    const [first] = run
    if (first === undefined) return
    const isVerb = run.length === 1 && known.COMMON_VERBS.has(first.word)
    const item = readItem(run, !isOpen && (this.#isOfNames || !this.#isBegun || !isVerb))
    const isCode = run.length === 1 && isCodeLike(first)
    this.#isOfNames ||= run.some(isKind) || isCode || (isVerb && !this.#isBegun)
    this.#isBegun = true
    if (item !== null) this.#keep(item, isOpen)
  }

  #keep({ name, isTitle, unnamed }: Item, isOpen: boolean): void {
    if (unnamed !== 'no') {
      if (!isOpen) this.objects.unnamed = unnamed
      return
    }
    this.objects.names.push(name)
    if (isTitle) this.objects.titles.push(name.toLowerCase())
  }
}

/** Whether a word cannot be part of a name in a list. */
const endsList = ({ word, kind }: Token): boolean =>
  kind !== 'quoted' && (known.ENDS.has(word) || known.STOPS.has(word))

/**
 * Reads the things that are named from a place on: a list, up to the first word that is none of it. What that word
 * leaves open is not read as a name.
 *
 * @param isEnd - Whether a token ends the list, and leaves its last thing what it is.
 */
export function readObjects(
  tokens: readonly Token[],
  from: number,
  isEnd: (token: Token) => boolean = () => false,
): Objects {
  const list = new ObjectList()
  const isLast = (token: Token): boolean => isEnd(token) || isUnspaced(token)
  let end = tokens.length
  for (const [at, token] of tokens.entries()) {
    if (at < from) continue
    const isArticle = list.isBetween && known.DETERMINERS.has(token.word)
    if (isLast(token) || (!isArticle && endsList(token))) {
      end = at
      break
    }
    if (token.kind !== 'quoted' && known.AND.has(token.word)) list.take()
    else list.add(token)
  }
  const last = tokens[end]
  const isSaid = last === undefined || isLast(last) || known.ENDS.has(last.word)
  list.take(!isSaid && !/^(?:except|besides|but)$/.test(last.word))
  return isWithin(tokens, end) ? { names: [], titles: [], unnamed: 'no', end } : { ...list.objects, end }
}

/** Reads the one name that something gets, behind "to" or "with"; null where what follows is no name. */
export function readNewName(tokens: readonly Token[], from: number): { end: number } | null {
  const isBefore = (token: Token): boolean => isLeading(token) && !known.NEW.has(token.word)
  const at = tokens.findIndex((token, i) => i >= from && !isBefore(token))
  const name = tokens[at]
  if (name === undefined || name.kind === 'mark' || known.NEW.has(name.word)) return null
  const next = tokens[at + 1]
  const isAlone = next === undefined || next.kind === 'mark' || known.AND.has(next.word) || known.ENDS.has(next.word)
  return isAlone || isCodeLike(name) || tokens.slice(from, at).some(isKind) ? { end: at + 1 } : null
}
