import {
  COLON,
  DOT,
  kindSet,
  OPEN_BRACKET,
  OPEN_PAREN,
  QUESTION,
  SEMICOLON,
  THIN_ARROW,
  WORD,
} from '../outline/lexis/tokens.ts'
import { joined, wordAt, type Source, type TokenRange } from './source.ts'
import { isDefault } from './swallow.ts'

/** What makes an expression answer nothing for a missing value. */
interface Mark {
  at: number
  mark: string
}

/** The operand that begins at a token; none where it is no constant, as a call. */
function valueBehind({ tokens }: Source, from: number): TokenRange {
  const over = tokens.over(from)
  const isCall = tokens.kind(over + 1) === DOT || tokens.kind(over + 1) === OPEN_PAREN
  return { from, to: isCall ? from : over + 1 }
}

const isDefaultBehind = (source: Source, at: number): boolean => isDefault(source, valueBehind(source, at))

/** `x ? x.y : null`. */
function isTernaryDefault(source: Source, at: number): boolean {
  const { words } = source
  if (source.family === 'python' || !/^(?:null|undefined|nil|NULL)$/.test(words[at + 1] ?? '')) return false
  for (let back = at - 1; back > 0 && at - back < 60; back--) if (words[back] === '?') return true
  return false
}

const ends = kindSet(SEMICOLON, COLON)

/** `?.`, `??` with a default, `?:` of Kotlin. */
function questionMark(source: Source, at: number): string | null {
  const { tokens, language } = source
  if (!tokens.touches(at + 1)) return null
  const next = tokens.kind(at + 1)
  if (next === DOT || next === THIN_ARROW) return '?.'
  if (next === QUESTION && isDefaultBehind(source, at + 2)) return '??'
  return language === 'kotlin' && next === COLON ? '?:' : null
}

/** `&.` of Ruby, `x && x.y`. */
function ampersandMark({ tokens, words, language }: Source, at: number): string | null {
  if (words[at + 1] === '.' && language === 'ruby') return '&.'
  const isSame = words[at + 1] === '&' && words[at - 1] === words[at + 2] && tokens.kind(at - 1) === WORD
  return isSame ? '&&' : null
}

/** `or []`, `else None`, `getattr(x, 'y', None)` of Python. */
function pythonMark(source: Source, at: number): string | null {
  const next = source.tokens.kind(at + 1)
  const word = wordAt(source, at)
  if (word === 'getattr') return next === OPEN_PAREN ? word : null
  const isOperand = word === 'or' || (word === 'else' && !ends(next))
  return isOperand && isDefaultBehind(source, at + 1) ? word : null
}

function markAt(source: Source, at: number): string | null {
  const { tokens, language } = source
  const word = wordAt(source, at)
  if (tokens.kind(at) === QUESTION) return questionMark(source, at)
  if (word === '&') return ampersandMark(source, at)
  if (word === '|') return wordAt(source, at + 1) === '|' && isDefaultBehind(source, at + 2) ? '||' : null
  if (tokens.kind(at) === COLON) return isTernaryDefault(source, at) ? '?:' : null
  return language === 'python' ? pythonMark(source, at) : null
}

/** Marks of expressions that answer nothing for a missing value, and where they stand. */
export function marksIn(source: Source, { from, to }: TokenRange): Mark[] {
  const marks: Mark[] = []
  for (let at = from; at < to; at++) {
    const mark = markAt(source, at)
    if (mark !== null) marks.push({ at, mark })
  }
  return marks
}

const joins = kindSet(DOT, THIN_ARROW, QUESTION, OPEN_PAREN, OPEN_BRACKET)

/** What stands before a mark, as far as names, dots and closed brackets go. */
export function operandBefore(source: Source, at: number): string {
  const { tokens } = source
  let from = at
  for (let steps = 0; from > 0 && steps < 20; steps++) {
    const before = from - 1
    const kind = tokens.kind(before)
    const pair = tokens.pair(before)
    const mayEnd = from === at || joins(tokens.kind(from))
    if (kind === WORD && mayEnd) from = before
    else if (pair !== -1 && pair < before && mayEnd) from = pair
    else if (from < at && (kind === DOT || kind === THIN_ARROW || kind === QUESTION)) from = before
    else break
  }
  return joined(source, { from, to: at })
}
