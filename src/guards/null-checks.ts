import { OPEN_BRACE, SEMICOLON } from '../outline/lexis/tokens.ts'
import { absentNames, presentNames } from './absence.ts'
import { marksIn, operandBefore } from './absence-marks.ts'
import { branchesIn, type Branch } from './branches.ts'
import type { Finding, LineRange } from './guard.ts'
import type { LineMap } from './line-map.ts'
import { isMeant } from './meant-absence.ts'
import { bracesAt, functionAt, joined, scopeAt, tokensOfLines, wordAt, type Source } from './source.ts'
import { leaves, swallowing } from './swallow.ts'

/** The failing place in the text before a change and in the one after it. */
interface FailingLines {
  /** Whether the error says that a value is not there. */
  isAbsence: boolean
  before: Source
  beforeLine: number
  after: Source
  afterLines: LineRange
  map: LineMap
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

const lastLine = ({ afterLines: { from, to } }: FailingLines): number => Math.max(from, to)

const failingText = ({ before, beforeLine }: FailingLines): string =>
  joined(before, tokensOfLines(before, { from: beforeLine, to: beforeLine }))

/** The branch as a guard, where it leaves before the failing line or goes around it for a missing value alone. */
function branchGuard(failing: FailingLines, branch: Branch): Finding | null {
  const { isAbsence, before, beforeLine, after, afterLines } = failing
  const { tokens } = after
  const { at, condition, body, isNegated } = branch
  const how = swallowing(after, body)
  const end = tokens.endLine(body.to - 1)
  const isExit = leaves(how) || (how === 'only logs it' && end >= lastLine(failing))
  const isAround = how === null && tokens.line(body.from) <= lastLine(failing) && end >= afterLines.from
  if (!isExit && !isAround) return null
  const names = isExit === isNegated ? presentNames(condition, isAbsence) : absentNames(condition, isAbsence)
  const tested = (names ?? []).filter(name => isAbout(name, failingText(failing)))
  const isFine = (name: string) => isMeant({ name, body: isExit ? body : null, before, beforeLine, after })
  if (tested.every(isFine)) return null
  const what = how === null ? 'the failing line is passed over' : `the branch ${how}`
  return found(
    after,
    at,
    `Where ${tested.join(', ')} is missing ${what}; why it is missing stays as it was.`,
    condition,
  )
}

/** An early exit for a missing value before the failing line, or a condition around it. */
function newBranches(failing: FailingLines): Finding[] {
  const { after, afterLines, map } = failing
  const { from, to } = functionAt(after, Math.max(afterLines.from, 1))
  const range = tokensOfLines(after, { from, to: Math.min(to, lastLine(failing)) })
  return branchesIn(after, range).flatMap(branch => {
    const { at, body, hasElse } = branch
    if (hasElse || !map.isAdded(after.tokens.line(at)) || body.from >= body.to) return []
    return branchGuard(failing, branch) ?? []
  })
}

/** Marks that go by whether a value counts as true, as an empty list or 0 does not. */
const OF_TRUTH: ReadonlySet<string> = new Set(['else', '?:', 'or', '||', '&&'])

/** Whether a mark is about a value that is missing; one of truth is where the error says that one is. */
const isOfAbsence = (mark: string, { isAbsence, after: { language } }: FailingLines): boolean =>
  isAbsence || !OF_TRUTH.has(mark) || (mark === '?:' && language === 'kotlin')

/** Marks on the failing line that were not there before. */
function newMarks(failing: FailingLines): Finding[] {
  const { before, beforeLine, after, afterLines } = failing
  const count = (marks: Array<{ mark: string }>, mark: string) => marks.filter(one => one.mark === mark).length
  const range = tokensOfLines(before, { from: beforeLine, to: beforeLine })
  const old = marksIn(before, range)
  const fresh = marksIn(after, tokensOfLines(after, afterLines))
  const wordsBefore = new Set(before.words.slice(range.from, range.to))
  return fresh.flatMap(({ at, mark }) => {
    if (!isOfAbsence(mark, failing) || count(fresh, mark) <= count(old, mark)) return []
    const operand = operandBefore(after, at)
    const name = /[\w$]+/.exec(operand)?.[0] ?? ''
    const isSame = ['getattr', 'else', '?:'].includes(mark) || wordsBefore.has(name)
    if (!isSame || isMeant({ name: operand, body: null, before, beforeLine, after })) return []
    const detail = `The failing line answers nothing where a value is missing (${mark}).`
    return [found(after, at, detail, `${mark} ${operand}`)]
  })
}

/** Whether `let Some(x) = …` of Rust passes over what does not fit: it has no `else`, or one that leaves. */
function isPassedOver(after: Source, at: number): boolean {
  const { tokens } = after
  let open = at
  while (open < tokens.count && tokens.kind(open) !== OPEN_BRACE && tokens.kind(open) !== SEMICOLON) {
    open = tokens.over(open) + 1
  }
  const body = bracesAt(after, open)
  if (body === null) return false
  if (wordAt(after, at - 1) === 'if') return wordAt(after, body.to + 1) !== 'else'
  return leaves(swallowing(after, body))
}

/** `let Some(x) = … else { return }`, `if let Some(x) = …` of Rust around what was unwrapped. */
function rustPatterns(failing: FailingLines): Finding[] {
  const { after, afterLines, map } = failing
  if (after.language !== 'rust' || !/\. (?:unwrap|expect) \(/.test(failingText(failing))) return []
  const { from, to } = tokensOfLines(after, functionAt(after, Math.max(1, afterLines.from)))
  const findings: Finding[] = []
  for (let at = from; at < to; at++) {
    const isPattern = wordAt(after, at) === 'let' && /^(?:Some|Ok)$/.test(wordAt(after, at + 1))
    const line = after.tokens.line(at)
    if (!isPattern || !map.isAdded(line) || line > lastLine(failing) || !isPassedOver(after, at)) continue
    findings.push(found(after, at, 'What was unwrapped is passed over where it is missing.', `let ${line}`))
  }
  return findings
}

/** Checks at the failing place that a change adds, and that only make the failure disappear. */
export function nullChecks(failing: FailingLines): Finding[] {
  return [...newBranches(failing), ...newMarks(failing), ...rustPatterns(failing)]
}
