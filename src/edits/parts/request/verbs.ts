import { describes } from './clauses.ts'
import type { Token } from './tokens.ts'
import * as known from './vocabulary.ts'

/** A verb of removal or renaming that is asked for. */
export interface Verb {
  fate: known.Fate
  /** The first token of it. */
  at: number
  /** The token behind it. */
  end: number
}

const MAX_WORDS = 3

/** The verb that begins at a token, of up to three words. */
function verbAt(tokens: readonly Token[], at: number): Verb | null {
  for (let count = MAX_WORDS; count > 0; count--) {
    const run = tokens.slice(at, at + count)
    const fate = run.every(({ kind }) => kind === 'word') && known.VERBS.get(run.map(({ word }) => word).join(' '))
    if (fate !== undefined && fate !== false && run.length === count) return { fate, at, end: at + count }
  }
  return null
}

/** Whether the words before a verb say that something is done "to" a name, and not what something is for. */
function leadsToVerb(tokens: readonly Token[], at: number): boolean {
  if (tokens[at]?.word !== 'to' || tokens[at].kind !== 'word') return false
  const next = tokens[at + 1]
  if (next === undefined || next.kind !== 'word' || !/^\p{Ll}+$/u.test(next.text)) return false
  if (known.DETERMINERS.has(next.word) || known.NEW.has(next.word)) return false
  return !tokens.slice(0, at).some(({ word }) => known.TO_A_NAME.has(word))
}

/** Whether a verb stands beside another one: behind "and", a comma, or with "by". */
function standsBeside(before: readonly Token[], verb: Token): boolean {
  const [previous, earlier] = [before.at(-1), before.at(-2)]
  if (previous === undefined) return false
  if (verb.word.endsWith('ing')) return previous.word === 'by'
  if (known.AND.has(previous.word) || previous.kind === 'mark') return true
  return known.FILLERS.has(previous.word) && earlier !== undefined && known.AND.has(earlier.word)
}

/** Whether a verb at a token is asked for: it begins the clause, or stands beside another that does. */
function isAskedAt(tokens: readonly Token[], at: number): boolean {
  const verb = tokens[at]
  const before = tokens.slice(0, at)
  const own = before.findIndex(({ word, kind }) => kind !== 'mark' && !known.FILLERS.has(word))
  if (own < 0) return true
  if (verb === undefined || !standsBeside(before, verb)) return false
  const told = before.slice(own)
  return !describes(told) && !told.some((_, i) => leadsToVerb(told, i))
}

/** The verbs of a clause that ask to remove or to rename what follows them. */
export function verbsOf(tokens: readonly Token[]): Verb[] {
  const verbs: Verb[] = []
  for (let at = 0; at < tokens.length; at++) {
    const verb = verbAt(tokens, at)
    if (verb === null || !isAskedAt(tokens, at)) continue
    verbs.push(verb)
    at = verb.end - 1
  }
  return verbs
}

/** The verb of a clause behind what it is said of; -1 where there is none. */
function findLateVerb(tokens: readonly Token[]): number {
  const wordAt = (i: number): string => tokens[i]?.word ?? ''
  return tokens.findIndex(({ word }, i) => {
    if (known.LATE_VERBS.has(word)) return true
    if (known.PASSIVES.has(word)) return wordAt(i - 1) === 'be'
    return word === 'go' && /^(?:should|must|can|has)$/.test(wordAt(i - 1))
  })
}

/**
 * Where the verb of a clause begins that stands behind what it is said of ("foo should be removed", "foo entfernen");
 * null where there is none.
 */
export function lateVerbAt(tokens: readonly Token[]): number | null {
  const end = findLateVerb(tokens)
  if (end <= 0) return null
  const isModal = ({ word, kind }: Token): boolean => kind === 'word' && known.MODALS.has(word)
  const begin = tokens.findLastIndex((token, i) => i < end && !isModal(token)) + 1
  const isInfinitive = /(?:en|ть|и)$|^(?:weg|raus)$/.test(tokens[end]?.word ?? '')
  return isInfinitive || tokens.slice(begin, end).some(({ word }) => known.ASKING.has(word)) ? begin : null
}
