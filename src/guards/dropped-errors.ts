import {
  ARROW,
  AT,
  CLOSE_BRACE,
  COLON,
  COMMA,
  DOT,
  EQUALS,
  HASH,
  OPEN_BRACE,
  OPEN_PAREN,
  QUESTION,
  SEMICOLON,
  WORD,
} from '../outline/lexis/tokens.ts'
import type { Finding } from './guard.ts'
import {
  bracesAt,
  joined,
  restOfLine,
  scopeAt,
  statementStart,
  statementsOf,
  wordAt,
  type Source,
  type TokenRange,
} from './source.ts'
import { callChain, isCleanup, isDefault, swallowing } from './swallow.ts'

const finding = (source: Source, at: number, detail: string, signature: string): Finding => {
  const line = source.tokens.line(at)
  return { line, kind: 'swallowed_error', detail, signature, scope: scopeAt(source, line) }
}

/** Indexes of a word among the tokens. */
function placesOf({ words }: Source, ...wanted: string[]): number[] {
  const places: number[] = []
  for (let at = 0; at < words.length; at++) if (wanted.includes(words[at] ?? '')) places.push(at)
  return places
}

/** Tokens of a condition that is looked at. */
const MAX_CONDITION = 200
/** Functions before an error that are looked at for the one around it. */
const MAX_FUNCTIONS = 50

/** The results that a function of Go declares around a token, as text; empty at the top. */
function goResults(source: Source, at: number): string {
  const { tokens, words } = source
  let looked = 0
  for (let func = words.lastIndexOf('func', at); func !== -1; func = words.lastIndexOf('func', func - 1)) {
    if (looked++ > MAX_FUNCTIONS) break
    let open = func + 1
    while (open < at && tokens.kind(open) !== OPEN_BRACE) open = tokens.over(open) + 1
    if (tokens.kind(open) === OPEN_BRACE && tokens.pair(open) > at) return joined(source, { from: func, to: open })
    if (func === 0) break
  }
  return ''
}

/** Whether a branch for an error says nothing of it to anybody who could be told. */
function isGoDrop(source: Source, at: number, body: TokenRange, how: string): boolean {
  const { tokens, words } = source
  const results = goResults(source, at)
  const answersError = /\berror\b[^(]*$/.test(results)
  const last = statementsOf(source, body).at(-1)
  const isReturn = last !== undefined && words[last.from] === 'return' && last.to - last.from > 1
  if (answersError && isReturn) return words[last.to - 1] === 'nil' && tokens.kind(last.to - 2) !== DOT
  if (how === 'only logs it' || statementsOf(source, body).length > 1) return false
  return !isReturn
}

/** `if err != nil { … }` of Go that drops the error. */
function goBranches(source: Source): Finding[] {
  return placesOf(source, 'if').flatMap(at => {
    const { tokens } = source
    let open = at + 1
    let condition = at + 1
    while (open < tokens.count && open - at < MAX_CONDITION && tokens.kind(open) !== OPEN_BRACE) {
      if (tokens.kind(open) === SEMICOLON) condition = open + 1
      open = tokens.over(open) + 1
    }
    const body = bracesAt(source, open)
    const tested = joined(source, { from: condition, to: open })
    if (body === null || !/^\w*[eE]rr\w* != nil$/.test(tested)) return []
    const how = swallowing(source, body)
    if (how === null || !isGoDrop(source, at, body, how)) return []
    return [
      finding(source, at, `An error is tested and dropped: the branch ${how}.`, `if ${tested} ${joined(source, body)}`),
    ]
  })
}

/** Calls whose last result the text gives a name, tests or returns, each with what it stands in. */
function handledCalls(source: Source): Set<string> {
  const { tokens, words } = source
  const handled = new Set<string>()
  for (let at = 0; at < words.length; at++) {
    const isTaken = tokens.kind(at) === EQUALS && words[at - 1] !== '_'
    const isLast = isTaken && tokens.kind(at - 1) === COLON ? words[at - 2] !== '_' : isTaken
    const isResult = words[at] === 'return' || words[at] === 'if'
    if (!isLast && !isResult) continue
    const chain = callChain(source, { from: at + 1, to: Math.min(at + 40, words.length) })
    if (chain !== null) handled.add(`${scopeAt(source, tokens.line(at))} ${chain.names.join('.')}`)
  }
  return handled
}

/** Calls of Rust whose answer the text unwraps or passes on, each with what it stands in. */
function unwrappedCalls(source: Source): Set<string> {
  const { tokens } = source
  const unwrapped = new Set<string>()
  for (let at = 0; at < tokens.count; at++) {
    if (tokens.kind(at) !== WORD || tokens.kind(at + 1) !== OPEN_PAREN) continue
    const next = tokens.over(at + 1) + 1
    const isStop = tokens.kind(next) === QUESTION || /^(?:unwrap|expect)$/.test(wordAt(source, next + 1))
    if (isStop) unwrapped.add(`${scopeAt(source, tokens.line(at))} ${wordAt(source, at)}`)
  }
  return unwrapped
}

/** `_ = f()` and `x, _ := f()` of a call whose error was handled before; `let _ = f()` of Rust. */
function blankResults(source: Source, before: Source | null): Finding[] {
  const { tokens, words, language } = source
  const read = language === 'go' ? handledCalls : unwrappedCalls
  const handled = before === null ? null : read(before)
  return placesOf(source, '_').flatMap(at => {
    const equals = words[at + 1] === ':' ? at + 2 : at + 1
    if (tokens.kind(equals) !== EQUALS) return []
    const chain = callChain(source, { from: equals + 1, to: restOfLine(source, equals + 1).to })
    if (chain === null) return []
    const name = chain.names.join('.')
    const [last = ''] = chain.names.slice(-1)
    const key = language === 'go' ? name : last
    if (handled?.has(`${scopeAt(source, tokens.line(at))} ${key}`) === false) return []
    return [finding(source, at, `The error of ${name} is dropped, which was handled before.`, `_ ${name}`)]
  })
}

function nextOpenBrace({ tokens }: Source, at: number): number {
  let open = at
  while (open < tokens.count && open - at < 60 && tokens.kind(open) !== OPEN_BRACE) open++
  return open
}

/** `recover()` of Go whose value nobody looks at, or that is only logged. */
function goRecovers(source: Source): Finding[] {
  const { tokens } = source
  return placesOf(source, 'recover').flatMap(at => {
    if (tokens.kind(at + 1) !== OPEN_PAREN || tokens.kind(at - 1) === DOT) return []
    const start = statementStart(source, at)
    const first = wordAt(source, start)
    const body = first === 'if' ? bracesAt(source, nextOpenBrace(source, at)) : null
    const isBare = start === at || first === '_'
    const how = body === null ? null : swallowing(source, body)
    if (!isBare && how === null) return []
    const detail = `A panic is recovered and ${isBare ? 'nobody looks at it' : how}.`
    return [finding(source, at, detail, joined(source, body ?? { from: start, to: at + 3 }))]
  })
}

function rustArmBody(source: Source, from: number): TokenRange {
  const { tokens } = source
  const braces = bracesAt(source, from)
  if (braces !== null) return braces
  let to = from
  while (to < tokens.count && tokens.kind(to) !== COMMA && tokens.kind(to) !== CLOSE_BRACE) to = tokens.over(to) + 1
  return { from, to }
}

/** `Err(_) => {}`, `Err(e) => log`, `Err(_) => continue` of Rust. */
function rustArms(source: Source): Finding[] {
  const { tokens, words } = source
  return placesOf(source, 'Err').flatMap(at => {
    const close = tokens.kind(at + 1) === OPEN_PAREN ? tokens.pair(at + 1) : -1
    if (close !== at + 3 || tokens.kind(close + 1) !== ARROW) return []
    const body = rustArmBody(source, close + 2)
    const how = swallowing(source, body)
    const isSilent = how !== null && how !== 'returns a default'
    const isUnit = joined(source, body) === '( )'
    if (!isSilent && !isUnit) return []
    return [
      finding(
        source,
        at,
        `An arm for every error ${how ?? 'does nothing'}.`,
        `Err ${words[at + 2] === '_'} ${joined(source, body)}`,
      ),
    ]
  })
}

/** How often each function of a text of Rust stops at an error: `.unwrap()`, `.expect(…)`, `?`. */
function rustStops(source: Source): Map<string, number> {
  const { tokens } = source
  const stops = new Map<string, number>()
  for (let at = 1; at < tokens.count; at++) {
    const isMethod = tokens.kind(at - 1) === DOT && /^(?:unwrap|expect)$/.test(wordAt(source, at))
    const isTry = tokens.kind(at) === QUESTION && tokens.touches(at)
    if (!isMethod && !isTry) continue
    const scope = scopeAt(source, tokens.line(at))
    stops.set(scope, (stops.get(scope) ?? 0) + 1)
  }
  return stops
}

const isAssigned = (source: Source, at: number): boolean => {
  const start = statementStart(source, at)
  return wordAt(source, start) === 'let' || wordAt(source, start) === 'return'
}

/** `.unwrap_or_default()`, `.unwrap_or(0)`, `.ok();` of Rust in place of what stopped at the error. */
function rustDefaults(source: Source, before: Source | null): Finding[] {
  const { tokens } = source
  const now = rustStops(source)
  const then = before === null ? null : rustStops(before)
  return placesOf(source, 'unwrap_or_default', 'unwrap_or', 'ok').flatMap(at => {
    if (tokens.kind(at - 1) !== DOT || tokens.kind(at + 1) !== OPEN_PAREN) return []
    const name = wordAt(source, at)
    const close = tokens.over(at + 1)
    if (name === 'ok' && (tokens.kind(close + 1) !== SEMICOLON || isAssigned(source, at))) return []
    const scope = scopeAt(source, tokens.line(at))
    if (then !== null && (now.get(scope) ?? 0) >= (then.get(scope) ?? 0)) return []
    if (name === 'unwrap_or' && !isDefault(source, { from: at + 2, to: close })) return []
    return [finding(source, at, `.${name}() takes the place of what stopped at the error.`, `.${name}`)]
  })
}

/** Calls of PHP that warn of what another process may do between a test and the call. */
const RACES = /^\\?(?:unlink|rmdir|mkdir|touch|chmod|fclose|rename)$/

/** `@` of PHP before an expression. */
function silenced(source: Source): Finding[] {
  const { tokens } = source
  const found: Finding[] = []
  for (let at = 0; at < tokens.count; at++) {
    if (tokens.kind(at) !== AT || tokens.kind(at - 1) === HASH || tokens.kind(at + 1) !== WORD) continue
    const name = wordAt(source, at + 1)
    if (RACES.test(name)) continue
    found.push(finding(source, at, `@ silences the errors of ${name}.`, `@ ${name}`))
  }
  return found
}

/** What a function given to `.catch` does; null where it handles the error. */
function callbackSwallows(source: Source, { from, to }: TokenRange): string | null {
  const { tokens, words } = source
  if (to - from === 1) return /^_?noop$/.test(wordAt(source, from)) ? 'does nothing' : null
  let arrow = from
  while (arrow < to && tokens.kind(arrow) !== ARROW) arrow = tokens.over(arrow) + 1
  if (arrow < to) {
    const body = bracesAt(source, arrow + 1)
    return swallowing(source, body ?? { from: arrow + 1, to })
  }
  if (words[from] !== 'function') return null
  const body = bracesAt(source, nextOpenBrace(source, from))
  return body === null ? null : swallowing(source, body)
}

/** `.catch(() => {})` of JavaScript. */
function promiseCatches(source: Source): Finding[] {
  const { tokens } = source
  return placesOf(source, 'catch').flatMap(at => {
    if (tokens.kind(at - 1) !== DOT || tokens.kind(at + 1) !== OPEN_PAREN || tokens.pair(at + 1) === -1) return []
    const how = callbackSwallows(source, { from: at + 2, to: tokens.pair(at + 1) })
    const start = statementStart(source, at)
    const watched = { from: start, to: at - (wordAt(source, at - 1) === '.' ? 1 : 2) }
    const isObservedElsewhere = !joined(source, watched).includes('(')
    if (how === null || isObservedElsewhere || isCleanup(source, watched)) return []
    const detail = `.catch() ${how} for every error.`
    return [finding(source, at, detail, `catch ${joined(source, { from: at + 2, to: tokens.pair(at + 1) })}`)]
  })
}

/** `with suppress(Exception):` of Python. */
function suppressed(source: Source): Finding[] {
  const { tokens } = source
  return placesOf(source, 'suppress').flatMap(at => {
    const isCall = tokens.kind(at + 1) === OPEN_PAREN
    const types = joined(source, { from: at + 2, to: tokens.over(at + 1) })
    const isBroad = /(?:^|[ .])(?:Base)?Exception\b/.test(types)
    return isCall && isBroad ? [finding(source, at, `suppress(${types}) drops every error.`, types)] : []
  })
}

const JAVASCRIPT = new Set(['javascript', 'typescript', 'vue', 'svelte', 'astro'])

/**
 * Errors that a text drops in ways that only its language has.
 *
 * @param before - The text before; some forms count only where they take the place of what handled the error there.
 *   Null: all of them are listed.
 */
export function droppedErrors(source: Source, before: Source | null): Finding[] {
  const { language } = source
  if (language === 'go') return [...goBranches(source), ...goRecovers(source), ...blankResults(source, before)]
  if (language === 'rust') {
    return [...rustArms(source), ...rustDefaults(source, before), ...blankResults(source, before)]
  }
  if (language === 'php') return silenced(source)
  if (language === 'python') return suppressed(source)
  return JAVASCRIPT.has(language) ? promiseCatches(source) : []
}
