import type { Scope } from '../core/outline.ts'
import { ARROW, AT, CLOSE_PAREN, DOT, HASH, OPEN_BRACKET, OPEN_PAREN, STRING, WORD } from '../outline/lexis/tokens.ts'
import {
  clauseBehind,
  joined,
  scopeAt,
  statementFrom,
  statementStart,
  tokensOfLines,
  wordAt,
  type Source,
  type TokenRange,
} from './source.ts'

/** Something that a test holds to be true. */
export interface Assertion {
  line: number
  text: string
}

/** A test, or a group of tests. */
export interface TestCase {
  name: string
  line: number
  /** How it is kept from running; null where it runs. */
  skip: string | null
  assertions: Assertion[]
  isGroup: boolean
  range: TokenRange
}

const JS_TESTS = /^(?:it|test|specify|xit|xtest|fit|describe|context|suite|xdescribe|fdescribe|xcontext)$/
const GROUPS = /^(?:describe|context|suite|xdescribe|fdescribe|xcontext)$/
const JS_SKIPS = /^(?:skip|todo|fixme|failing|fails|skipIf|only)$/
const RUBY_TESTS =
  /^(?:it|specify|test|xit|xspecify|describe|context|xdescribe|xcontext|feature|scenario|xscenario|example|xexample|pending)$/
const SKIP_DECORATOR = /\b(?:skip\w*|xfail|expectedFailure|Disabled\w*|Ignore\w*|ignore|Explicit)\b|\bSkip =/
const SKIP_CALLS =
  /^(?:skip|Skip|SkipNow|Skipf|skipTest|xfail|importorskip|markTestSkipped|markTestIncomplete|Ignore|Inconclusive|pending|assumeTrue|assumeFalse|assumeThat)$/
const ASSERT =
  /^(?:assert\w*|Assert|expect\w*|verify\w*|require|should\w*|refute\w*|must_\w+|wont_\w+|raises|warns|debug_assert\w*|Error|Errorf|Fatal|Fatalf|Fail|FailNow|equal|same|match|notOk|ok|strictSame|rejects|throws|notMatch|not|strictEqual|deepEqual|is|truthy)$/
/** Methods that assert only on what a test is given: `t.equal`, `t.Errorf`. */
const ON_TEST =
  /^(?:Error|Errorf|Fatal|Fatalf|Fail|FailNow|equal|same|match|notOk|ok|strictSame|rejects|throws|notMatch|not|strictEqual|deepEqual|is|truthy)$/
const TESTERS = /^(?:t|tt|b|tb|assert|should|chai|tap|require)$/

/** A condition farther above is not looked for. */
const MAX_LINES = 500

/** Where a decorator or an attribute stands before a definition: the tokens of all of them. */
function leadOf(source: Source, { startLine, leadLine }: Scope): TokenRange {
  const first = source.tokens.firstOf(startLine)
  const { from } = tokensOfLines(source, { from: leadLine, to: startLine })
  return { from, to: Math.max(from, first) }
}

function lineEndOf({ tokens }: Source, at: number, to: number): number {
  let next = at + 1
  while (next < to && !tokens.startsLine(next)) next = tokens.over(next) + 1
  return next
}

/** The token behind a decorator or an attribute that begins at a token; -1 where none does. */
function markEnd(source: Source, at: number, to: number): number {
  const { tokens } = source
  if (tokens.kind(at) === AT) return lineEndOf(source, at, to)
  const open = tokens.kind(at) === HASH ? at + 1 : at
  const isMark = tokens.kind(open) === OPEN_BRACKET && (open > at || tokens.startsLine(at))
  return isMark ? tokens.over(open) + 1 : -1
}

function decoratorSkip(source: Source, scope: Scope): string | null {
  const lead = leadOf(source, scope)
  for (let at = lead.from; at < lead.to; at++) {
    const end = markEnd(source, at, lead.to)
    if (end === -1) continue
    const text = joined(source, { from: at, to: Math.min(end, lead.to) })
    if (SKIP_DECORATOR.test(text.replace(/(['"]).*?\1/g, '""'))) return text.slice(0, 60)
  }
  return null
}

function hasIfBefore(source: Source, open: number): boolean {
  const first = source.tokens.firstOf(source.tokens.line(open))
  return wordAt(source, first) === 'if'
}

/** A skip below a condition is about where the test runs, not about what it says. */
function isConditional(source: Source, at: number, from: number): boolean {
  const { tokens, words, family } = source
  if (family === 'braces') {
    const around = tokens.around(at)
    const before = tokens.kind(around - 1) === CLOSE_PAREN ? tokens.pair(around - 1) - 1 : around - 1
    return around >= from && (words[before] === 'if' || hasIfBefore(source, around))
  }
  const line = tokens.line(at)
  const first = tokens.firstOf(line)
  for (let above = line - 1; above > 0 && line - above < MAX_LINES; above--) {
    const start = tokens.firstOf(above)
    if (start === -1 || tokens.indent(start) >= tokens.indent(first)) continue
    return /^(?:if|elif|else|except|unless)$/.test(words[start] ?? '')
  }
  return false
}

/** A call in a test that ends it without a result. */
function bodySkip(source: Source, { from, to }: TokenRange): string | null {
  const { tokens, family } = source
  for (let at = from; at < to; at++) {
    const word = wordAt(source, at)
    if (!SKIP_CALLS.test(word)) continue
    const isCall = tokens.kind(at + 1) === OPEN_PAREN || (family === 'ruby' && tokens.startsLine(at))
    const isOwn =
      tokens.kind(at - 1) !== DOT || /^(?:t|pytest|self|this|Assert|ctx|unittest)$/.test(wordAt(source, at - 2))
    if (!isCall || !isOwn || isConditional(source, at, from)) continue
    const owner = tokens.kind(at - 1) === DOT ? `${wordAt(source, at - 2)}.` : ''
    return `${owner}${word}`
  }
  return null
}

/** Whether a word of a test begins something that is held to be true. */
function isAssertion({ tokens, family }: Source, words: readonly string[], at: number): boolean {
  const word = words[at] ?? ''
  if (tokens.kind(at) !== WORD || !ASSERT.test(word)) return false
  const isMember = tokens.kind(at - 1) === DOT
  if (ON_TEST.test(word)) return isMember && TESTERS.test(words[at - 2] ?? '')
  if (word === 'assert') return !isMember && words[at + 1] !== '='
  const next = tokens.kind(at + 1)
  return (
    next === OPEN_PAREN || words[at + 1] === '!' || next === DOT || family === 'ruby' || /^(?:raises|warns)$/.test(word)
  )
}

/** The condition of the `if` around `t.Errorf` of Go, which is what is tested. */
function conditionBefore(source: Source, at: number, from: number): string {
  const { tokens } = source
  const around = tokens.around(at)
  if (around < from || wordAt(source, tokens.firstOf(tokens.line(around))) !== 'if') return ''
  return `${joined(source, { from: tokens.firstOf(tokens.line(around)), to: around })}`
}

/** What is held to be true within some tokens. */
function assertionsIn(source: Source, { from, to }: TokenRange): Assertion[] {
  const { tokens, words } = source
  const found: Assertion[] = []
  let covered = from
  for (let at = from; at < to; at++) {
    if (at < covered || !isAssertion(source, words, at)) continue
    const start = Math.max(statementStart(source, at), from)
    const statement = statementFrom(source, start)
    const end = Math.min(Math.max(statement.to, at + 1), to)
    const condition = source.language === 'go' ? conditionBefore(source, at, from) : ''
    // what is said when it fails does not matter
    const text = condition === '' ? joined(source, { from: start, to: end }) : condition
    found.push({ line: tokens.line(start), text: text.trim() })
    covered = end
  }
  return found
}

/** `{ skip: true }` before the function of a test. */
function optionSkip(source: Source, { from, to }: TokenRange): string | null {
  const { tokens } = source
  for (let at = from; at < to && tokens.kind(at) !== ARROW && wordAt(source, at) !== 'function'; at++) {
    const isOption = /^(?:skip|todo)$/.test(wordAt(source, at)) && wordAt(source, at + 1) === ':'
    if (isOption && wordAt(source, at + 2) !== 'false') return `${wordAt(source, at)}: ${wordAt(source, at + 2)}`
  }
  return null
}

/** `it.skip(…)`: where the arguments open, and what keeps the test from running. */
function callOf(source: Source, at: number): { open: number; mark: string | null } {
  const { tokens } = source
  const word = wordAt(source, at)
  let open = at + 1
  let mark: string | null = word.startsWith('x') ? word : null
  while (tokens.kind(open) === DOT && tokens.kind(open + 1) === WORD) {
    if (JS_SKIPS.test(wordAt(source, open + 1))) mark ??= `${word}.${wordAt(source, open + 1)}`
    open += 2
  }
  const isCurried = tokens.kind(open) === OPEN_PAREN && /^(?:skipIf|runIf|each)$/.test(wordAt(source, open - 1))
  return { open: isCurried ? tokens.over(open) + 1 : open, mark }
}

/** A test or a group, with what it holds to be true. */
function caseOf(source: Source, at: number, found: Pick<TestCase, 'name' | 'isGroup' | 'range' | 'skip'>): TestCase {
  const { isGroup, range } = found
  const line = source.tokens.line(at)
  if (isGroup) return { ...found, line, assertions: [] }
  const skip = found.skip ?? bodySkip(source, range)
  return { ...found, skip, line, assertions: assertionsIn(source, range) }
}

function javascriptCases(source: Source): TestCase[] {
  const { tokens, words } = source
  const cases: TestCase[] = []
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? ''
    if (!JS_TESTS.test(word) || tokens.kind(at - 1) === DOT) continue
    const { open, mark } = callOf(source, at)
    const close = tokens.kind(open) === OPEN_PAREN ? tokens.pair(open) : -1
    if (close === -1 || tokens.kind(open + 1) !== STRING) continue
    const range = { from: open + 2, to: close }
    const isGroup = GROUPS.test(word)
    const skip = mark ?? optionSkip(source, range)
    cases.push(caseOf(source, at, { name: words[open + 1] ?? '', isGroup, range, skip }))
  }
  return cases
}

function rubyCases(source: Source): TestCase[] {
  const { tokens, words } = source
  const cases: TestCase[] = []
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? ''
    if (!RUBY_TESTS.test(word) || !tokens.startsLine(at)) continue
    const named = tokens.kind(at + 1) === OPEN_PAREN ? at + 2 : at + 1
    if (tokens.kind(named) !== STRING && !/^[A-Z]/.test(wordAt(source, named))) continue
    const { head, body } = clauseBehind(source, at)
    const isGroup = /^x?(?:describe|context|feature)$/.test(word)
    const option = /(?:, |\( )(skip|pending) : /.exec(joined(source, head))?.[1] ?? null
    const mark = word.startsWith('x') || word === 'pending' ? word : option
    cases.push(caseOf(source, at, { name: wordAt(source, named), isGroup, range: body, skip: mark }))
  }
  return cases
}

const TEST_NAME = /^(?:test\w*|Test\w*|Benchmark\w*|Fuzz\w*)$/
const TEST_MARK = /\b(?:Test|Tests|ParameterizedTest|RepeatedTest|Fact|Theory|TestMethod|TestCase|test)\b/

/** Functions that are tests by their name or by a mark above them. */
function functionCases(source: Source): TestCase[] {
  const cases: TestCase[] = []
  for (const scope of source.outline.scopes) {
    const { name, kind, startLine, endLine } = scope
    const lead = joined(source, leadOf(source, scope))
    const isMarked = TEST_MARK.test(lead)
    const skip = decoratorSkip(source, scope)
    const isGroup = kind === 'class' && (/^Test|Tests?$/.test(name) || skip !== null)
    const isTest = kind === 'function' && (isMarked || (source.language !== 'rust' && TEST_NAME.test(name)))
    if (!isTest && !isGroup) continue
    const range = tokensOfLines(source, { from: startLine, to: endLine })
    const one = caseOf(source, range.from, { name: scopeAt(source, startLine), isGroup, range, skip })
    const panics = lead.includes('should_panic') ? [{ line: startLine, text: 'should_panic' }] : []
    cases.push({ ...one, assertions: [...panics, ...one.assertions] })
  }
  return cases
}

const CALLED = new Set(['javascript', 'typescript', 'vue', 'svelte', 'astro'])

/** Cases with the names of the groups around them, which come before them: many groups have a test `works`. */
function withGroups(cases: readonly TestCase[]): TestCase[] {
  const around: TestCase[] = []
  return cases.map(one => {
    while ((around.at(-1)?.range.to ?? Infinity) <= one.range.from) around.pop()
    const name = [...around.map(group => group.name), one.name].join(' ')
    if (one.isGroup) around.push(one)
    return { ...one, name }
  })
}

/** The tests of a text: those of a test file, and those that Rust keeps beside its code. */
export function testCases(source: Source, isTest: boolean): TestCase[] {
  const { language, family } = source
  if (language === 'rust') return functionCases(source)
  if (!isTest) return []
  if (CALLED.has(language)) return withGroups(javascriptCases(source))
  const functions = functionCases(source)
  return family === 'ruby' ? [...functions, ...withGroups(rubyCases(source))] : functions
}

/** Marks that keep all of a file's tests from running. */
export function fileSkips(source: Source, isTest: boolean): Array<{ line: number; text: string }> {
  const { tokens, words } = source
  if (!isTest || source.family !== 'python') return []
  const found: Array<{ line: number; text: string }> = []
  for (let at = 0; at < words.length; at++) {
    if (words[at] !== 'pytestmark' || !tokens.startsLine(at)) continue
    const text = joined(source, statementFrom(source, at))
    if (/\b(?:skip|xfail)\b/.test(text)) found.push({ line: tokens.line(at), text })
  }
  return found
}
