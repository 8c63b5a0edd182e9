import {
  COLON,
  DOT,
  kindSet,
  OPEN_BRACE,
  OPEN_BRACKET,
  OPEN_PAREN,
  QUESTION,
  SEMICOLON,
  THIN_ARROW,
  WORD,
} from '../outline/lexis/tokens.ts'
import type { Finding, LineRange } from './guard.ts'
import type { LineMap } from './line-map.ts'
import { isMeant } from './meant-absence.ts'
import {
  bracesAt,
  clauseBehind,
  functionAt,
  joined,
  restOfLine,
  scopeAt,
  statementFrom,
  suiteBehind,
  tokensOfLines,
  wordAt,
  type Source,
  type TokenRange,
} from './source.ts'
import { isDefault, leaves, swallowing } from './swallow.ts'

/** The failing place in the text before a change and in the one after it. */
export interface FailingLines {
  /** Whether the error says that a value is not there. */
  isAbsence: boolean
  before: Source
  beforeLine: number
  after: Source
  afterLines: LineRange
  map: LineMap
}

const ABSENCE =
  /none\s?type|\bnull\b|undefined|\bnil\b|NullPointer|NullReference|not an object|is not a function|on a None|option::unwrap|unwrap\(\)/i

/** Whether an error is about a value that is not there, as runtimes say it. */
export const isAbsenceError = (error: string): boolean => ABSENCE.test(error)

const EXPRESSION = String.raw`[\w$@]+(?: (?:\.|\? \.|->|\? ->|::|& \.) [\w$]+| \[ [^\]]{1,80} \]){0,8}(?: \( \))?`
const NULL = '(?:None|null|NULL|nil|undefined|nullptr)'
const ABSENT = new RegExp(
  `^(?:(${EXPRESSION}) (?:is|==|===) ${NULL}|${NULL} (?:==|===) (${EXPRESSION})|(${EXPRESSION}) \\. (?:nil|blank|empty|isNull|is_none|isPresent)(?: \\?)?(?: \\( \\))?|` +
    `(?:is_null|isNil|isNull|empty|Objects \\. isNull) \\( (${EXPRESSION}) \\)|! isset \\( (${EXPRESSION}) \\)|` +
    `typeof (${EXPRESSION}) (?:==|===) ['"]undefined['"]|not hasattr \\( (${EXPRESSION}) , [^)]{1,60}\\))$`,
)
const FALSY = new RegExp(`^(?:!|not) (${EXPRESSION})$`)
const PRESENT = new RegExp(
  `^(?:(${EXPRESSION}) (?:is not|!=|!==) ${NULL}|(?:isset|hasattr) \\( (${EXPRESSION})(?: , [^)]{1,60})? \\)|(${EXPRESSION}) \\. (?:present|isPresent|is_some)(?: \\?)?(?: \\( \\))?|! (${EXPRESSION}) \\. nil \\?)$`,
)
const TRUTHY = new RegExp(`^(${EXPRESSION})$`)

const nameIn = (match: RegExpExecArray | null): string | null =>
  match === null ? null : (match.slice(1).find(group => group !== undefined) ?? null)

/** What a condition tests for being there or not, where it tests nothing else; null for any other condition. */
function testedIn(condition: string, isAbsence: boolean, [strict, loose]: readonly [RegExp, RegExp]): string[] | null {
  const names: string[] = []
  for (const part of condition.replace(/^\( (.*) \)$/, '$1').split(/ (?:or|\| \||and|& &) /)) {
    const name = nameIn(strict.exec(part)) ?? (isAbsence ? nameIn(loose.exec(part)) : null)
    if (name === null) return null
    names.push(name)
  }
  return names
}

const absentNames = (condition: string, isAbsence: boolean) => testedIn(condition, isAbsence, [ABSENT, FALSY])
const presentNames = (condition: string, isAbsence: boolean) => testedIn(condition, isAbsence, [PRESENT, TRUTHY])

/** A branch of a text: its condition, what it does, and whether there is another one. */
interface Branch {
  at: number
  condition: string
  body: TokenRange
  hasElse: boolean
  /** `unless` of Ruby. */
  isNegated: boolean
}

function pythonBranch(source: Source, at: number): Branch | null {
  const suite = suiteBehind(source, at)
  if (suite === null || !source.tokens.startsLine(at)) return null
  const condition = joined(source, { from: at + 1, to: suite.colon })
  const hasElse = ['else', 'elif'].includes(wordAt(source, suite.body.to))
  return { at, condition, body: suite.body, hasElse, isNegated: false }
}

function rubyBranch(source: Source, at: number): Branch | null {
  const { tokens } = source
  const isNegated = wordAt(source, at) === 'unless'
  if (!tokens.startsLine(at)) {
    const body = { from: tokens.firstOf(tokens.line(at)), to: at }
    const condition = joined(source, { from: at + 1, to: restOfLine(source, at + 1).to })
    return { at, condition, body, hasElse: false, isNegated }
  }
  const { head, body } = clauseBehind(source, at)
  const hasElse = ['else', 'elsif'].includes(wordAt(source, body.to))
  return { at, condition: joined(source, head), body, hasElse, isNegated }
}

function bracesBranch(source: Source, at: number): Branch | null {
  const { tokens } = source
  const paren = tokens.kind(at + 1) === OPEN_PAREN ? tokens.pair(at + 1) : -1
  let open = paren === -1 ? at + 1 : paren + 1
  if (paren === -1) {
    while (open < tokens.count && tokens.kind(open) !== OPEN_BRACE && tokens.kind(open) !== SEMICOLON) {
      open = tokens.over(open) + 1
    }
  }
  const condition = joined(source, paren === -1 ? { from: at + 1, to: open } : { from: at + 2, to: paren })
  const braces = bracesAt(source, open)
  if (braces === null && paren === -1) return null
  const body = braces ?? statementFrom(source, open)
  const behind = body.to + 1
  return { at, condition, body, hasElse: wordAt(source, behind) === 'else', isNegated: false }
}

function branchesIn(source: Source, { from, to }: TokenRange): Branch[] {
  const { words, family } = source
  const branches: Branch[] = []
  for (let at = from; at < to; at++) {
    const word = words[at]
    const isIf = word === 'if' || (word === 'unless' && family === 'ruby') || (word === 'elif' && family === 'python')
    if (!isIf) continue
    const read = { python: pythonBranch, ruby: rubyBranch, braces: bracesBranch }[family]
    const branch = read(source, at)
    if (branch !== null) branches.push(branch)
  }
  return branches
}

/** Whether the failing line speaks of what a condition tests: both begin with the same names. */
function isAbout(name: string, failing: string): boolean {
  const plain = name.replace(/ \( \)$/, '').replace(/\? /g, '')
  return ` ${failing} `.includes(` ${plain} `)
}

const found = (source: Source, at: number, detail: string, signature: string): Finding => {
  const line = source.tokens.line(at)
  return { line, kind: 'null_check', detail, signature, scope: scopeAt(source, line) }
}

/** An early exit for a missing value before the failing line, or a condition around it. */
function newBranches({ isAbsence, before, beforeLine, after, afterLines, map }: FailingLines): Finding[] {
  const failing = joined(before, tokensOfLines(before, { from: beforeLine, to: beforeLine }))
  const lines = functionAt(after, Math.max(afterLines.from, 1))
  const last = Math.max(afterLines.from, afterLines.to)
  return branchesIn(after, tokensOfLines(after, { from: lines.from, to: Math.min(lines.to, last) })).flatMap(branch => {
    const { tokens } = after
    const { at, condition, body, hasElse, isNegated } = branch
    if (hasElse || !map.isAdded(tokens.line(at)) || body.from >= body.to) return []
    const how = swallowing(after, body)
    const isExit = leaves(how) || (how === 'only logs it' && tokens.endLine(body.to - 1) >= last)
    const isAround = tokens.line(body.from) <= last && tokens.endLine(body.to - 1) >= afterLines.from && how === null
    const [absent, present] = isNegated ? [presentNames, absentNames] : [absentNames, presentNames]
    const names = isExit ? absent(condition, isAbsence) : null
    const skipped = isAround ? present(condition, isAbsence) : null
    const tested = (names ?? skipped ?? []).filter(name => isAbout(name, failing))
    if (
      tested.length === 0 ||
      tested.every(name => isMeant({ name, body: isExit ? body : null, before, beforeLine, after }))
    ) {
      return []
    }
    const what = isExit ? `the branch ${how ?? 'leaves'}` : 'the failing line is passed over'
    return [
      found(after, at, `Where ${tested.join(', ')} is missing ${what}; why it is missing stays as it was.`, condition),
    ]
  })
}

const ends = kindSet(SEMICOLON, COLON)

/** Marks of an expression that answers nothing for a missing value: `?.`, `&.`, `??`, `||` with a default. */
function marksIn(source: Source, { from, to }: TokenRange): Array<{ at: number; mark: string }> {
  const { tokens, words, language } = source
  const marks: Array<{ at: number; mark: string }> = []
  for (let at = from; at < to; at++) {
    const next = tokens.kind(at + 1)
    const [word = '', behind = ''] = [words[at], words[at + 1]]
    const isQuestion = tokens.kind(at) === QUESTION && tokens.touches(at + 1)
    if (isQuestion && (next === DOT || next === THIN_ARROW)) marks.push({ at, mark: '?.' })
    else if (isQuestion && next === QUESTION && isDefault(source, valueBehind(source, at + 2)))
      marks.push({ at, mark: '??' })
    else if (isQuestion && language === 'kotlin' && next === COLON) marks.push({ at, mark: '?:' })
    else if (word === '&' && behind === '.' && language === 'ruby') marks.push({ at, mark: '&.' })
    else if (word === '|' && behind === '|' && isDefault(source, valueBehind(source, at + 2)))
      marks.push({ at, mark: '||' })
    else if (word === 'or' && language === 'python' && isDefault(source, valueBehind(source, at + 1))) {
      marks.push({ at, mark: 'or' })
    } else if (word === '&' && behind === '&' && words[at - 1] === words[at + 2] && tokens.kind(at - 1) === WORD) {
      marks.push({ at, mark: '&&' })
    } else if (word === 'getattr' && next === OPEN_PAREN) marks.push({ at, mark: 'getattr' })
    else if (
      word === 'else' &&
      language === 'python' &&
      !ends(next) &&
      isDefault(source, valueBehind(source, at + 1))
    ) {
      marks.push({ at, mark: 'else' })
    } else if (tokens.kind(at) === COLON && isTernaryDefault(source, at)) marks.push({ at, mark: '?:' })
  }
  return marks
}

/** `x ? x.y : null`. */
function isTernaryDefault(source: Source, at: number): boolean {
  const { words } = source
  if (source.family === 'python' || !/^(?:null|undefined|nil|NULL)$/.test(words[at + 1] ?? '')) return false
  for (let back = at - 1; back > 0 && at - back < 60; back--) if (words[back] === '?') return true
  return false
}

/** The operand that begins at a token. */
function valueBehind({ tokens }: Source, from: number): TokenRange {
  const over = tokens.over(from)
  const isCall = tokens.kind(over + 1) === DOT || tokens.kind(over + 1) === OPEN_PAREN
  return { from, to: isCall ? from : over + 1 }
}

const joins = kindSet(DOT, THIN_ARROW, QUESTION, OPEN_PAREN, OPEN_BRACKET)

/** What stands before a mark, as far as names, dots and closed brackets go. */
function operandBefore(source: Source, at: number): string {
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

/** Marks on the failing line that were not there before. */
function newMarks({ before, beforeLine, after, afterLines }: FailingLines): Finding[] {
  const count = (marks: Array<{ mark: string }>, mark: string) => marks.filter(one => one.mark === mark).length
  const old = marksIn(before, tokensOfLines(before, { from: beforeLine, to: beforeLine }))
  const fresh = marksIn(after, tokensOfLines(after, afterLines))
  const wordsBefore = new Set(before.words.slice(...spanOf(before, beforeLine)))
  return fresh.flatMap(({ at, mark }) => {
    if (count(fresh, mark) <= count(old, mark)) return []
    const operand = operandBefore(after, at)
    const name = /[\w$]+/.exec(operand)?.[0] ?? ''
    const isSame = mark === 'getattr' || mark === 'else' || mark === '?:' || wordsBefore.has(name)
    const body = null
    if (!isSame || isMeant({ name: operand, body, before, beforeLine, after })) return []
    return [
      found(after, at, `The failing line answers nothing where a value is missing (${mark}).`, `${mark} ${operand}`),
    ]
  })
}

function spanOf(source: Source, line: number): [number, number] {
  const { from, to } = tokensOfLines(source, { from: line, to: line })
  return [from, to]
}

/** `let Some(x) = … else { return }`, `if let Some(x) = …` of Rust around what was unwrapped. */
function rustPatterns({ before, beforeLine, after, afterLines, map }: FailingLines): Finding[] {
  const { tokens } = after
  const failing = joined(before, tokensOfLines(before, { from: beforeLine, to: beforeLine }))
  if (after.language !== 'rust' || !/\. (?:unwrap|expect) \(/.test(failing)) return []
  const { from, to } = tokensOfLines(after, functionAt(after, Math.max(1, afterLines.from)))
  const findings: Finding[] = []
  for (let at = from; at < to; at++) {
    const isPattern = wordAt(after, at) === 'let' && /^(?:Some|Ok)$/.test(wordAt(after, at + 1))
    const line = tokens.line(at)
    if (!isPattern || !map.isAdded(line) || line > Math.max(afterLines.from, afterLines.to)) continue
    let open = at
    while (open < to && tokens.kind(open) !== OPEN_BRACE && tokens.kind(open) !== SEMICOLON)
      open = tokens.over(open) + 1
    const body = bracesAt(after, open)
    if (body === null) continue
    const isIf = wordAt(after, at - 1) === 'if'
    const hasElse = wordAt(after, body.to + 1) === 'else'
    const isSkipped = isIf ? !hasElse : leaves(swallowing(after, body))
    if (isSkipped)
      findings.push(found(after, at, 'What was unwrapped is passed over where it is missing.', `let ${line}`))
  }
  return findings
}

/** Checks at the failing place that a change adds, and that only make the failure disappear. */
export function nullChecks(failing: FailingLines): Finding[] {
  return [...newBranches(failing), ...newMarks(failing), ...rustPatterns(failing)]
}
