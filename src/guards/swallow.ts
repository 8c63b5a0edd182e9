import {
  CLOSE_BRACE,
  COLON,
  COMMA,
  DOT,
  EQUALS,
  MINUS,
  NUMBER,
  OPEN_PAREN,
  PATH,
  STRING,
  THIN_ARROW,
  WORD,
} from '../outline/lexis/tokens.ts'
import { joined, statementsOf, wordAt, type Source, type TokenRange } from './source.ts'

/** What a block does that only makes a failure disappear. */
type Swallowing = 'does nothing' | 'goes on' | 'sets a default' | 'returns a default' | 'only logs it'

const NOTHING: ReadonlySet<string> = new Set(['pass', 'noop'])
const SKIPS: ReadonlySet<string> = new Set(['continue', 'break', 'next'])
const VALUES: ReadonlySet<string> = new Set(
  'None null NULL nil undefined false False FALSE true True TRUE nullptr noop default EMPTY'.split(' '),
)
/** Calls that make an empty value, by their last name. */
const EMPTY_CALLS: ReadonlySet<string> = new Set(
  (
    'dict list set tuple str array Map Set Array Object Vec String HashMap HashSet ArrayList LinkedList ' +
    'emptyList emptyMap emptySet empty default Empty List Dictionary StringBuilder'
  ).split(' '),
)
/** Calls that only wrap a value. */
const WRAPPERS: ReadonlySet<string> = new Set(['Ok', 'Some', 'resolve', 'of', 'Optional', 'FromResult'])
const LOG = new Set(
  (
    'log logger logging _log _logger console print println printf printstacktrace warn warnings puts p pp eprintln ' +
    'eprint syslog slog zap glog klog fmt debug error_log nslog traceback tracing winston trigger_error writeline ' +
    'logrus log4j trace'
  ).split(' '),
)
const ENDS = /^(?:fatal\w*|panic\w*|exit|abort|errorf|sprintf|throw\w*|raise\w*)$/i

/** The names of a call's chain, `a.b::c->d`, and where its parentheses open; null for what is no plain call. */
export function callChain(
  { tokens, words }: Source,
  { from, to }: TokenRange,
): { names: string[]; open: number } | null {
  const names: string[] = []
  for (let at = from; at < to; at++) {
    const kind = tokens.kind(at)
    if (kind === WORD) names.push(words[at] ?? '')
    else if (kind === OPEN_PAREN && names.length > 0) return { names, open: at }
    else if (kind !== DOT && kind !== PATH && kind !== THIN_ARROW && words[at] !== '!') return null
  }
  return null
}

/** `puts e.message`, `logger.warn "…"`: a call of Ruby without parentheses. */
function isCommandLog({ tokens, words }: Source, { from, to }: TokenRange): boolean {
  let at = from
  const names: string[] = []
  while (at < to && tokens.kind(at) === WORD) {
    names.push(words[at] ?? '')
    if (tokens.kind(at + 1) !== DOT) break
    at += 2
  }
  return names.some(name => LOG.has(name.toLowerCase())) && !names.some(name => ENDS.test(name))
}

/** A call that writes to a log, and nothing else. */
function isLog(source: Source, range: TokenRange): boolean {
  const { tokens } = source
  const chain = callChain(source, range)
  if (chain === null) return source.family === 'ruby' && isCommandLog(source, range)
  const { names, open } = chain
  const isWhole = tokens.pair(open) === range.to - 1
  const isLogging = names.some(
    name => LOG.has(name.toLowerCase()) || /(?:_log|_logger|[a-z](?:Log|Logger))$/.test(name),
  )
  return isWhole && isLogging && !names.some(name => ENDS.test(name))
}

function partsOf(source: Source, { from, to }: TokenRange, separator: number): TokenRange[] {
  const { tokens } = source
  const parts: TokenRange[] = []
  let start = from
  for (let at = from; at < to; at = tokens.over(at) + 1) {
    if (tokens.kind(at) !== separator) continue
    parts.push({ from: start, to: at })
    start = at + 1
  }
  parts.push({ from: start, to })
  return parts
}

/** `new Map<string, X>()`, `Vec::new()`, `Collections.emptyList()`, `T{}`. */
function isEmptyCall({ tokens, words }: Source, { from, to }: TokenRange): boolean {
  const last = to - 1
  const open = tokens.pair(last)
  if (open === -1 || open !== last - 1) return false
  const names = words.slice(from, open).filter(word => /^\w+$/.test(word))
  if (tokens.kind(last) === CLOSE_BRACE) return names.length > 0 && names.length === (open - from + 1) >> 1
  const called = names.at(-1) ?? ''
  if (names[0] === 'new') return names.length >= 2
  return EMPTY_CALLS.has(called) || (called === 'new' && EMPTY_CALLS.has(names.at(-2) ?? ''))
}

/** `Ok(())`, `Optional.of(0)`: a call that only wraps a constant. */
function isWrapped(source: Source, { from, to }: TokenRange): boolean {
  const chain = callChain(source, { from, to })
  if (chain === null || !WRAPPERS.has(chain.names.at(-1) ?? '') || source.tokens.pair(chain.open) !== to - 1) {
    return false
  }
  // eslint-disable-next-line @typescript-eslint/no-use-before-define -- a constant may be made of constants
  return chain.open + 2 === to || isDefault(source, { from: chain.open + 1, to: to - 1 })
}

/** `[]`, `{}`, `(0)`. */
function isBracketed(source: Source, { from, to }: TokenRange): boolean {
  if (to - from === 2) return true
  // eslint-disable-next-line @typescript-eslint/no-use-before-define -- a constant may be made of constants
  return source.tokens.kind(from) === OPEN_PAREN && isDefault(source, { from: from + 1, to: to - 1 })
}

/** A longer constant is data, and brackets in brackets take their depth of the stack. */
const MAX_DEFAULT_TOKENS = 200

/** Whether an expression is a constant: nothing of it was worked out. */
export function isDefault(source: Source, range: TokenRange): boolean {
  const { tokens, words } = source
  const { from, to } = range
  if (from >= to || to - from > MAX_DEFAULT_TOKENS) return false
  const kind = tokens.kind(from)
  if (to - from === 1) return kind === NUMBER || kind === STRING || VALUES.has(words[from] ?? '')
  if (to - from === 2 && kind === MINUS) return tokens.kind(from + 1) === NUMBER
  if (tokens.pair(from) === to - 1) return isBracketed(source, range)
  if (isEmptyCall(source, range) || isWrapped(source, range)) return true
  const parts = partsOf(source, range, COMMA)
  return parts.length > 1 && parts.every(part => isDefault(source, part))
}

/** `x = None`, `const y: T = []`: where the value of an assignment begins; -1 for anything else. */
function assigned({ tokens, words }: Source, { from, to }: TokenRange): number {
  for (let at = from; at < to && at - from < 12; at++) {
    const kind = tokens.kind(at)
    if (kind === EQUALS) return at > from ? at + 1 : -1
    const isTarget = kind === WORD || kind === DOT || kind === COLON || kind === THIN_ARROW || words[at] === '_'
    if (!isTarget) return -1
  }
  return -1
}

/** What one word does alone. */
function wordSwallows(word: string): Swallowing | null {
  if (NOTHING.has(word)) return 'does nothing'
  if (SKIPS.has(word)) return 'goes on'
  return word === 'return' ? 'returns a default' : null
}

/** `...` of Python, `_ = err` of Go. */
const isPlaceholder = (source: Source, { from, to }: TokenRange): boolean =>
  to - from === 3 && (joined(source, { from, to }) === '. . .' || wordAt(source, from) === '_')

/** What a statement does, where that is nothing but to make a failure disappear. */
function swallowedBy(source: Source, range: TokenRange): Swallowing | null {
  const { from, to } = range
  const first = wordAt(source, from)
  const alone = to - from === 1 ? wordSwallows(first) : null
  if (alone !== null) return alone
  if (isPlaceholder(source, range)) return 'does nothing'
  if (isDefault(source, first === 'return' ? { from: from + 1, to } : range)) return 'returns a default'
  const value = assigned(source, range)
  if (value !== -1 && isDefault(source, { from: value, to })) return 'sets a default'
  return isLog(source, range) ? 'only logs it' : null
}

const ORDER: readonly Swallowing[] = ['does nothing', 'only logs it', 'sets a default', 'goes on', 'returns a default']

/** What a block does, where that is nothing but to make a failure disappear; null where it handles anything. */
export function swallowing(source: Source, body: TokenRange): Swallowing | null {
  let found: Swallowing = 'does nothing'
  for (const statement of statementsOf(source, body)) {
    const one = swallowedBy(source, statement)
    if (one === null) return null
    if (ORDER.indexOf(one) > ORDER.indexOf(found)) found = one
  }
  return found
}

/** Whether a block ends what is around it with a value that says nothing. */
export const leaves = (how: Swallowing | null): boolean => how === 'goes on' || how === 'returns a default'

/** Calls by which something is given up: that they fail is of no interest. */
const CLEANUP =
  /^(?:close\w*|destroy|unlink\w*|rm\w*|remove\w*|rmtree|kill\w*|cancel|end|quit|disconnect|abort|release|dispose|shutdown|flush|stop|terminate|teardown|delete\w*|unsubscribe|detach)$/i

/** Whether a block does nothing but clean up. */
export function isCleanup(source: Source, body: TokenRange): boolean {
  const statements = statementsOf(source, body)
  return (
    statements.length > 0 &&
    statements.every(({ from, to }) => {
      const begin = wordAt(source, from) === 'await' ? from + 1 : from
      const chain = callChain(source, { from: begin, to })
      return chain !== null && CLEANUP.test(chain.names.at(-1)?.replace(/Async$|Sync$/, '') ?? '')
    })
  )
}
