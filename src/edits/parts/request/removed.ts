import { clausesOf, type Clause } from './clauses.ts'
import { readNewName, readObjects, type Objects } from './objects.ts'
import { tokensOf, type Token } from './tokens.ts'
import { namesBesideVerb } from './unspaced.ts'
import { lateVerbAt, verbsOf, type Verb } from './verbs.ts'
import * as known from './vocabulary.ts'

/** What a request asks to remove or to rename, and what it says besides. */
interface Removed {
  names: Set<string>
  titles: Set<string>
  unnamed: Objects['unnamed']
  /** The words of its clauses that say what is to stay. */
  kept: Set<string>
  /** Its clauses that ask for something, in small letters. */
  asks: string[]
}

const RANK = ['no', 'values', 'some', 'most'] as const
const IN_A_FILE = /^(?:in|from|inside|within|aus|из|в|dans|en)$/
const IS_FILE = /^[\w@./-]*\w\.[a-z]\w{0,9}$/i
const MAX_PATH_REACH = 3
/** What a clause says behind so many words is not read: verbs are compared with each other. */
const MAX_TOKENS = 300
/** Types behind an arrow: what a function returns, not its new name. */
const TYPES =
  /^(?:str|int|float|bool|bytes|None|dict|list|set|tuple|void|string|number|boolean|any|unknown|never|Promise)$/
const NAME = /^[\p{L}_$][\p{L}\p{N}_$.]*(?:\(\))?$/u

/** A clause without the file that it speaks of: "in utils.py". */
function withoutFiles(tokens: readonly Token[]): Token[] {
  const left: Token[] = []
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at]
    if (token === undefined) break
    const behind = tokens.slice(at + 1, at + 1 + MAX_PATH_REACH)
    const file = behind.findIndex(({ text }) => IS_FILE.test(text))
    const isFile =
      file >= 0 && behind.slice(0, file).every(({ word }) => /^(?:the|file|der|datei|файла?|module)$/.test(word))
    if (IN_A_FILE.test(token.word) && isFile) at += file + 1
    else left.push(token)
  }
  const first = left.findIndex(({ kind }) => kind !== 'mark')
  return first < 0 ? [] : left.slice(first)
}

/** The tokens behind the words with which a sentence may begin. */
function withoutFillers(tokens: readonly Token[]): Token[] {
  const first = tokens.findIndex(({ word, kind }) => kind === 'quoted' || !known.FILLERS.has(word))
  return first < 0 ? [] : tokens.slice(first)
}

/** Collects what the clauses of a request ask to remove. */
class Reading {
  readonly removed: Removed = { names: new Set(), titles: new Set(), unnamed: 'no', kept: new Set(), asks: [] }
  #previous: readonly Token[] = []

  add({ tokens, mode }: Clause): void {
    if (mode === 'keeps') for (const { text } of tokens) this.removed.kept.add(text.replace(/\([^()]*\)$/, ''))
    else if (mode === 'asks') this.#addAsking(withoutFiles(tokens.slice(0, MAX_TOKENS)))
    this.#previous = tokens
  }

  #addAsking(tokens: readonly Token[]): void {
    this.removed.asks.push(tokens.map(({ word }) => word).join(' '))
    for (const name of namesBesideVerb(tokens)) this.removed.names.add(name)
    this.#addArrows(tokens)
    const verbs = verbsOf(tokens)
    for (const [i, verb] of verbs.entries()) this.#addObjects(tokens.slice(0, verbs[i + 1]?.at), verb)
    const late = lateVerbAt(tokens)
    if (late !== null) this.#addSubject(tokens.slice(0, late))
  }

  /** Adds what a verb in front is said of, or what the pronoun behind it stands for. */
  #addObjects(tokens: readonly Token[], { fate, at, end }: Verb): void {
    if (this.#isPronoun(tokens, end)) {
      if (fate !== 'replaced') this.#addStated(tokens.slice(0, at))
      return
    }
    const objects = readObjects(tokens, end)
    const next = tokens[objects.end]
    if (fate === 'replaced') {
      if (next === undefined || !known.REPLACES.has(next.word)) return
      if (readNewName(tokens, objects.end + 1) === null) return
    }
    this.#take(fate === 'gone' ? objects : { ...objects, unnamed: 'no' })
    if (fate === 'renamed') this.#addRenamed(tokens, objects.end)
  }

  /** Adds the other old names of "a to b and c to d". */
  #addRenamed(tokens: readonly Token[], at: number): void {
    if (!known.BECOMES.has(tokens[at]?.word ?? '')) return
    const end = readNewName(tokens, at + 1)?.end ?? tokens.length
    const from = tokens.findIndex((token, i) => i >= end && !known.AND.has(token.word))
    if (from <= end) return
    const objects = readObjects(tokens, from)
    if (!known.BECOMES.has(tokens[objects.end]?.word ?? '')) return
    this.#take({ ...objects, unnamed: 'no' })
    this.#addRenamed(tokens, objects.end)
  }

  /** Whether a pronoun is all of the object, or there is none: "diese" and "la" may stand before a name. */
  #isPronoun(tokens: readonly Token[], at: number): boolean {
    const [word, next] = [tokens[at], tokens[at + 1]]
    if (word === undefined) return true
    if (!known.PRONOUNS.has(word.word)) return false
    return next === undefined || next.kind === 'mark' || known.AND.has(next.word) || known.ENDS.has(next.word)
  }

  /** Adds the subject of a statement: "foo and bar are dead: delete them". */
  #addStated(own: readonly Token[]): void {
    for (const tokens of [withoutFiles(own), withoutFiles(this.#previous)]) {
      const subject = withoutFillers(tokens)
      const objects = readObjects(subject, 0, ({ word }) => known.COPULAS.has(word))
      if (!known.COPULAS.has(subject[objects.end]?.word ?? '')) continue
      this.#take({ ...objects, unnamed: 'no' })
      return
    }
  }

  /** Adds what a verb behind is said of; all of what stands before it is the list. */
  #addSubject(tokens: readonly Token[]): void {
    const subject = withoutFillers(tokens)
    const objects = readObjects(subject, 0)
    const { word = '' } = subject[objects.end] ?? {}
    if (objects.end === subject.length || known.BECOMES.has(word)) this.#take(objects)
  }

  /** Adds the old names of "load -> read_text", where a clause says nothing else. */
  #addArrows(tokens: readonly Token[]): void {
    const arrows = tokens.flatMap(({ text, kind }, at) => (kind === 'mark' && text === '->' ? [at] : []))
    const isName = (at: number): boolean => tokens[at]?.kind === 'quoted' || NAME.test(tokens[at]?.text ?? '')
    if (arrows.length === 0 || !arrows.every(at => isName(at - 1) && isName(at + 1))) return
    const rest = tokens.filter((_, i) => !arrows.some(at => Math.abs(at - i) <= 1))
    const isRest = rest.every(
      ({ word, kind }) => kind === 'mark' || known.AND.has(word) || /^renam(?:e|ing)$/.test(word),
    )
    if (!isRest || arrows.some(at => TYPES.test(tokens[at + 1]?.text ?? ''))) return
    for (const at of arrows) this.removed.names.add((tokens[at - 1]?.text ?? '').replace(/\(\)$/, ''))
  }

  #take({ names, titles, unnamed }: Objects): void {
    for (const name of names) this.removed.names.add(name)
    for (const title of titles) this.removed.titles.add(title)
    if (RANK.indexOf(unnamed) > RANK.indexOf(this.removed.unnamed)) this.removed.unnamed = unnamed
  }
}

/** Reads what a request asks to remove or to rename: what a verb of that kind governs, and nothing else. */
export function readRemoved(request: string): Removed {
  const reading = new Reading()
  for (const clause of clausesOf(tokensOf(request))) reading.add(clause)
  return reading.removed
}
