import { OPEN_BRACE, OPEN_PAREN, SEMICOLON } from '../outline/lexis/tokens.ts'
import {
  bracesAt,
  clauseBehind,
  joined,
  restOfLine,
  statementFrom,
  suiteBehind,
  wordAt,
  type Source,
  type TokenRange,
} from './source.ts'

/** A branch of a text: its condition, what it does, and whether there is another one. */
export interface Branch {
  at: number
  condition: string
  body: TokenRange
  hasElse: boolean
  /** `unless` of Ruby. */
  isNegated: boolean
}

/** Tokens of a condition without parentheses, and of a body without braces; more are no branch that was meant. */
const MAX_BARE = 200

function pythonBranch(source: Source, at: number): Branch | null {
  const suite = source.tokens.startsLine(at) ? suiteBehind(source, at) : null
  if (suite === null) return null
  const condition = joined(source, { from: at + 1, to: suite.colon })
  const hasElse = ['else', 'elif'].includes(wordAt(source, suite.body.to))
  return { at, condition, body: suite.body, hasElse, isNegated: false }
}

function rubyBranch(source: Source, at: number): Branch | null {
  const { tokens } = source
  const isNegated = wordAt(source, at) === 'unless'
  if (!tokens.startsLine(at)) {
    const body = { from: tokens.firstOf(tokens.line(at)), to: at }
    if (at - body.from > MAX_BARE) return null
    const condition = joined(source, { from: at + 1, to: restOfLine(source, at + 1, MAX_BARE).to })
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
    const end = Math.min(tokens.count, open + MAX_BARE)
    while (open < end && tokens.kind(open) !== OPEN_BRACE && tokens.kind(open) !== SEMICOLON) {
      open = tokens.over(open) + 1
    }
  }
  const condition = joined(source, paren === -1 ? { from: at + 1, to: open } : { from: at + 2, to: paren })
  const braces = bracesAt(source, open)
  if (braces === null && (paren === -1 || tokens.kind(open) === OPEN_BRACE)) return null
  const body = braces ?? statementFrom(source, open, MAX_BARE)
  const behind = body.to + 1
  return { at, condition, body, hasElse: wordAt(source, behind) === 'else', isNegated: false }
}

/** The branches that begin within some tokens. */
export function branchesIn(source: Source, { from, to }: TokenRange): Branch[] {
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
