import { CLOSE_BRACE, CLOSE_PAREN, DOT, OPEN_BRACE, OPEN_PAREN, PATH, WORD } from '../outline/lexis/tokens.ts'
import type { Finding, LineRange } from './guard.ts'
import {
  bracesAt,
  clauseBehind,
  joined,
  restOfLine,
  scopeAt,
  statementsOf,
  suiteBehind,
  wordAt,
  type Source,
  type TokenRange,
} from './source.ts'
import { isCleanup, swallowing } from './swallow.ts'

/** A part of a program that catches errors. */
interface Handler {
  /** Its keyword. */
  at: number
  /** Names of what it catches; none for everything. */
  types: string[]
  /** It catches only what meets a condition, too. */
  isFiltered: boolean
  body: TokenRange
  /** What it watches. */
  watched: TokenRange
}

/** They catch what nobody thought of. */
const BROAD = new Set([
  'exception',
  'baseexception',
  'standarderror',
  'throwable',
  'runtimeexception',
  'error',
  'object',
  '...',
])
/** They say that the code is wrong, not that something happened to it. */
const PROGRAMMING =
  /^(?:NullPointerException|NullReferenceException|ArgumentNullException|IndexOutOfBoundsException|ArrayIndexOutOfBoundsException|StringIndexOutOfBoundsException|IndexOutOfRangeException|ClassCastException|InvalidCastException|TypeError|AttributeError|NameError|UnboundLocalError|AssertionError|AssertionException|NoMethodError|NilError|ReferenceError|ArgumentError|ArgumentCountError|KotlinNullPointerException)$/
/** Outcomes that a program has to expect. */
const ORDINARY = /not_?found|no_?such|closed|interrupt|format|parse|timeout|time_?out|eof|cancel|abort|exists|missing/i

/** A longer block is not looked through for its beginning. */
const MAX_LINES = 2000

const lastName = (name: string): string => name.split(/\\|\.|::/).at(-1) ?? name

const isBroad = ({ types, isFiltered }: Handler): boolean =>
  !isFiltered && (types.length === 0 || types.some(type => BROAD.has(lastName(type).toLowerCase())))

/** Dotted names among tokens. */
function namesIn({ tokens, words }: Source, { from, to }: TokenRange): string[] {
  const names: string[] = []
  for (let at = from; at < to; at++) {
    const isPart = tokens.kind(at) === WORD || tokens.kind(at) === DOT || tokens.kind(at) === PATH
    if (!isPart) continue
    const isJoined = at > from && tokens.touches(at) && (tokens.kind(at) !== WORD || tokens.kind(at - 1) !== WORD)
    const word = words[at] ?? ''
    if (isJoined && names.length > 0) names.push(`${names.pop() ?? ''}${word}`)
    else names.push(word)
  }
  return names
}

/** From the last line above that is indented no deeper than a token's line, up to the token. */
function watchedAbove({ tokens }: Source, at: number): TokenRange {
  const indent = tokens.indent(at)
  for (let line = tokens.line(at) - 1; line > 0 && tokens.line(at) - line < MAX_LINES; line--) {
    const first = tokens.firstOf(line)
    if (first !== -1 && tokens.indent(first) <= indent) return { from: first, to: at }
  }
  return { from: 0, to: at }
}

/** Without the `try :` or the header that begins it. */
function withoutFirst(source: Source, range: TokenRange): TokenRange {
  const { to } = restOfLine(source, range.from)
  return { from: Math.min(to, range.to), to: range.to }
}

/** The place of a word in a range; the end of the range where it is not in there. */
function before({ words }: Source, word: string, { from, to }: TokenRange): number {
  let at = from
  while (at < to && words[at] !== word) at++
  return at
}

function pythonHandler(source: Source, at: number): Handler | null {
  const suite = suiteBehind(source, at)
  if (suite === null) return null
  const to = before(source, 'as', { from: at, to: suite.colon })
  const types = namesIn(source, { from: at + 1, to })
  return { at, types, isFiltered: false, body: suite.body, watched: withoutFirst(source, watchedAbove(source, at)) }
}

function rubyHandler(source: Source, at: number): Handler | null {
  const { tokens } = source
  if (tokens.startsLine(at)) {
    const { head, body } = clauseBehind(source, at)
    const to = before(source, '=>', head)
    const types = namesIn(source, { from: head.from, to }).filter(name => /^[A-Z]/.test(name))
    return { at, types, isFiltered: false, body, watched: withoutFirst(source, watchedAbove(source, at)) }
  }
  const line = tokens.line(at)
  const watched = { from: tokens.firstOf(line), to: at }
  return { at, types: [], isFiltered: false, body: { from: at + 1, to: restOfLine(source, at + 1).to }, watched }
}

/** The braces that a `catch` watches: behind its `try`, other clauses may stand between them. */
function watchedBefore(source: Source, at: number): TokenRange {
  const { tokens } = source
  for (let close = at - 1; tokens.kind(close) === CLOSE_BRACE;) {
    const open = tokens.pair(close)
    const before = tokens.kind(open - 1) === CLOSE_PAREN ? tokens.pair(open - 1) - 1 : open - 1
    if (wordAt(source, before) !== 'catch') return { from: open + 1, to: close }
    close = before - 1
  }
  return { from: at, to: at }
}

function bracesHandler(source: Source, at: number): Handler | null {
  const { tokens, language } = source
  if (tokens.kind(at - 1) !== CLOSE_BRACE) return null
  const paren = tokens.kind(at + 1) === OPEN_PAREN ? tokens.pair(at + 1) : -1
  let open = paren === -1 ? at + 1 : paren + 1
  const isFiltered = wordAt(source, open) === 'when'
  if (isFiltered) open = tokens.over(open + 1) + 1
  const body = bracesAt(source, tokens.kind(open) === OPEN_BRACE ? open : -1)
  if (body === null) return null
  const isTyped = !['javascript', 'typescript', 'vue', 'svelte', 'astro', 'swift'].includes(language)
  const names = isTyped && paren !== -1 ? namesIn(source, { from: at + 2, to: paren }) : []
  const types = names.filter(
    name => name !== 'final' && !name.startsWith('$') && /^[A-Z.\\]|^std::|^Exception/.test(name),
  )
  return { at, types, isFiltered, body, watched: watchedBefore(source, at) }
}

function handlersIn(source: Source): Handler[] {
  const { words, tokens, family } = source
  const handlers: Handler[] = []
  for (let at = 0; at < words.length; at++) {
    const word = words[at]
    if (tokens.kind(at - 1) === DOT) continue
    let handler: Handler | null = null
    if (family === 'python' && word === 'except' && tokens.startsLine(at)) handler = pythonHandler(source, at)
    else if (family === 'ruby' && word === 'rescue') handler = rubyHandler(source, at)
    else if (family === 'braces' && word === 'catch') handler = bracesHandler(source, at)
    if (handler !== null) handlers.push(handler)
  }
  return handlers
}

/** A try that answers yes, and no where it fails: the error is the answer. */
function isPredicate(source: Source, { body, watched }: Handler): boolean {
  const ends = (range: TokenRange, words: ReadonlySet<string>) =>
    statementsOf(source, range).some(({ from, to }) => {
      const [first, second] = [wordAt(source, from), wordAt(source, from + 1)]
      return (first === 'return' && to - from === 2 && words.has(second)) || (to - from === 1 && words.has(first))
    })
  return ends(body, new Set(['false', 'False'])) && ends(watched, new Set(['true', 'True']))
}

const covers = ({ tokens }: Source, { from, to }: TokenRange, { from: first, to: last }: LineRange): boolean =>
  from < to && tokens.line(from) <= last && first <= tokens.endLine(to - 1)

const named = ({ types }: Handler): string => (types.length === 0 ? 'every error' : types.slice(0, 3).join(', '))

/** Why a handler counts, given where the trace points in its text. */
function counts(source: Source, handler: Handler, failing: LineRange | null): boolean {
  const isHere = failing !== null && covers(source, handler.watched, failing)
  const onlyCleansUp = !isHere && isCleanup(source, handler.watched)
  if (isBroad(handler)) return !onlyCleansUp && !isPredicate(source, handler)
  if (!isHere || handler.isFiltered) return false
  if (handler.types.some(type => PROGRAMMING.test(lastName(type)))) return true
  const isEmpty = handler.body.from >= handler.body.to
  return source.family === 'braces' && isEmpty && !handler.types.some(type => ORDINARY.test(type))
}

/** Handlers of a text that catch what they should not, and only swallow it. */
export function swallowingHandlers(source: Source, failing: LineRange | null): Finding[] {
  return handlersIn(source).flatMap(handler => {
    const how = swallowing(source, handler.body)
    if (how === null || !counts(source, handler, failing)) return []
    const line = source.tokens.line(handler.at)
    return [
      {
        line,
        kind: 'swallowed_error' as const,
        detail: `A handler catches ${named(handler)} and ${how}.`,
        signature: `${handler.types.join()} ${joined(source, handler.body)}`,
        scope: scopeAt(source, line),
      },
    ]
  })
}
