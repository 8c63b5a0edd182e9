import type { Token } from './tokens.ts'
import { EMBEDS, KEEPS, NEGATIONS, NO_LONGER, USES, words } from './vocabulary.ts'

/** A part of a request that says one thing. */
export interface Clause {
  tokens: readonly Token[]
  /** It asks for something, says what is to stay, or says when or why. */
  mode: 'asks' | 'keeps' | 'says'
}

const SENTENCE_ENDS = new Set(['.', '!', '?', ';', '\n', '。', '！', '？', '；', '—', '–'])
const TURNS = words('but however while whereas aber sondern doch mais pero mas но зато')
/** Words that begin a clause of their own which asks for nothing. */
const TURNS_AWAY = words('without except besides ohne außer sauf sans excepto salvo exceto sin sem без кроме')
const INSTEADS = words('instead rather anstatt statt вместо')
/** What begins with one of these is asked for under a condition, or described. */
const CONDITIONS = words('when whenever if after before once until unless while wenn falls если когда quand si cuando')
const REASONS = words('because since so that which who weil damit который которая которые чтобы так because car porque')
const HARMLESS_REACH = 4
const AND = words(', and und et y e и')

/** Whether a word makes the clause the opposite, and does not only say that something is used no more. */
function isNegation(tokens: readonly Token[], at: number): boolean {
  if (!NEGATIONS.has(tokens[at]?.word ?? '') || tokens[at]?.kind !== 'word') return false
  for (const { word } of tokens.slice(at + 1, at + 1 + HARMLESS_REACH)) {
    if (USES.has(word) && !/^(?:more|mehr)$/.test(word)) return false
    if (!NO_LONGER.has(word)) return true
  }
  return true
}

const isKeeping = (tokens: readonly Token[], at: number): boolean =>
  (tokens[at]?.kind === 'word' && KEEPS.has(tokens[at].word)) || isNegation(tokens, at)

/** Whether a word begins a clause that says what is not to be done, or is done in place of something. */
function turnsAway(word: string, next: string): boolean {
  if (TURNS.has(word) || TURNS_AWAY.has(word)) return true
  if (!INSTEADS.has(word)) return false
  return /^(?:of|than)$/.test(next) || !/^(?:instead|rather)$/.test(word)
}

/** Whether a new clause begins at a place, in one that began at another. */
function turnsAt(tokens: readonly Token[], at: number, begin: number): boolean {
  const { word = '', kind } = tokens[at] ?? {}
  const wordAt = (i: number): string => tokens[i]?.word ?? ''
  if (kind === 'quoted') return false
  if (turnsAway(word, wordAt(at + 1))) return true
  if (!AND.has(word)) return false
  const next = AND.has(wordAt(at + 1)) ? at + 2 : at + 1
  // "Keep save, remove load": what follows is no part of what is kept
  if (isKeeping(tokens, wordAt(next) === 'do' ? next + 1 : next)) return true
  return word === ',' && KEEPS.has(wordAt(begin))
}

function modeOf(tokens: readonly Token[]): Clause['mode'] {
  const first = tokens.find(({ kind }) => kind === 'word')?.word ?? ''
  if (INSTEADS.has(first)) return 'says'
  if (tokens.some((_, at) => isKeeping(tokens, at))) return 'keeps'
  return CONDITIONS.has(first) || REASONS.has(first) ? 'says' : 'asks'
}

/** The sentences of a text, and what stands in brackets each for itself. */
function sentencesOf(tokens: readonly Token[]): Token[][] {
  const sentences: Token[][] = [[]]
  const bracketed: Token[][] = [[]]
  let depth = 0
  for (const token of tokens) {
    if (token.kind === 'mark' && token.text === '(') depth++
    else if (token.kind === 'mark' && token.text === ')') {
      if (depth > 0) depth--
      if (depth === 0) bracketed.push([])
    } else if (depth > 0 && token.text !== '\n') bracketed.at(-1)?.push(token)
    else if (token.kind === 'mark' && SENTENCE_ENDS.has(token.text)) {
      depth = 0
      sentences.push([])
    } else sentences.at(-1)?.push(token)
  }
  return [...sentences, ...bracketed].filter(sentence => sentence.length > 0)
}

/** Puts the head of a list ("Remove these functions:") in front of each of its items. */
function withHeads(sentences: readonly Token[][]): Token[][] {
  let head: Token[] = []
  return sentences.map(sentence => {
    const isItem = sentence[0]?.text === '•'
    if (isItem && head.length > 0) return [...head, ...sentence.slice(1)]
    const own = isItem ? sentence.slice(1) : sentence
    head = own.at(-1)?.text === ':' ? own.slice(0, -1) : []
    return own
  })
}

/** The parts of a request that each say one thing, in their order. */
export function clausesOf(tokens: readonly Token[]): Clause[] {
  const clauses: Clause[] = []
  for (const sentence of withHeads(sentencesOf(tokens))) {
    let begin = 0
    const cuts: number[] = []
    for (let at = 1; at < sentence.length; at++) {
      if (!turnsAt(sentence, at, begin)) continue
      cuts.push(at)
      begin = at + 1
    }
    const parts = [0, ...cuts].map((from, i) => sentence.slice(from, cuts[i] ?? sentence.length))
    const isConditional = CONDITIONS.has(sentence[0]?.word ?? '')
    for (const part of parts) {
      const mode = modeOf(part)
      clauses.push({ tokens: part, mode: isConditional && mode === 'asks' ? 'says' : mode })
    }
  }
  return clauses
}

/** Whether a clause describes what something does, so that a verb in it is not asked for. */
export const describes = (tokens: readonly Token[]): boolean =>
  tokens.some(({ word, kind }) => kind === 'word' && EMBEDS.has(word))
