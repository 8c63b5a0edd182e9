import ts from 'typescript'
import type { Source } from '../figures/checkout.ts'

/** What kind of mistake a mutant stands for. */
type MutantKind =
  'comparison' | 'boundary' | 'condition' | 'logic' | 'guard' | 'number' | 'boolean' | 'statement' | 'filter'

/** Code between two places of a file, and what stands there instead. */
interface Change {
  kind: MutantKind
  start: number
  end: number
  replacement: string
}

/** One small change to one file. */
export interface Mutant extends Change {
  path: string
  /** The line of the changed code, from 1. */
  line: number
  /** The line before and after, without its indentation; only the first of several lines. */
  before: string
  after: string
}

const FLIPPED = new Map([
  [ts.SyntaxKind.LessThanToken, '>='],
  [ts.SyntaxKind.LessThanEqualsToken, '>'],
  [ts.SyntaxKind.GreaterThanToken, '<='],
  [ts.SyntaxKind.GreaterThanEqualsToken, '<'],
  [ts.SyntaxKind.EqualsEqualsEqualsToken, '!=='],
  [ts.SyntaxKind.ExclamationEqualsEqualsToken, '==='],
])

const SHIFTED = new Map([
  [ts.SyntaxKind.LessThanToken, '<='],
  [ts.SyntaxKind.LessThanEqualsToken, '<'],
  [ts.SyntaxKind.GreaterThanToken, '>='],
  [ts.SyntaxKind.GreaterThanEqualsToken, '>'],
])

const SWAPPED_LOGIC = new Map([
  [ts.SyntaxKind.AmpersandAmpersandToken, '||'],
  [ts.SyntaxKind.BarBarToken, '&&'],
])

const LEAVING = new Set([
  ts.SyntaxKind.ReturnStatement,
  ts.SyntaxKind.ThrowStatement,
  ts.SyntaxKind.ContinueStatement,
  ts.SyntaxKind.BreakStatement,
])

/** Arrays with more entries are tables of data, which would take most of a draw. */
const MAX_LIST_ENTRIES = 8

/** Numbers from here on are limits or times and are multiplied; smaller ones grow by one. */
const LARGE = 60

function isDataTable(node: ts.Node): boolean {
  return ts.isArrayLiteralExpression(node) && node.elements.length > MAX_LIST_ENTRIES
}

/** Whether a zero is that of `scores[place] ?? 0`, which only satisfies the compiler. */
function isZeroForTheCompiler(node: ts.Node): boolean {
  if (!ts.isNumericLiteral(node) || node.text !== '0' || !ts.isBinaryExpression(node.parent)) return false
  const { left, operatorToken } = node.parent
  return operatorToken.kind === ts.SyntaxKind.QuestionQuestionToken && ts.isElementAccessExpression(left)
}

function isLeftOut(node: ts.Node): boolean {
  if (ts.isTypeNode(node) || ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return true
  if (ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node)) return true
  return isDataTable(node) || isZeroForTheCompiler(node)
}

/** The negated condition; undefined where flipping its comparison does the same. */
function negationOf(condition: ts.Expression, tree: ts.SourceFile): string | undefined {
  if (ts.isBinaryExpression(condition) && FLIPPED.has(condition.operatorToken.kind)) return undefined
  return `!(${condition.getText(tree)})`
}

/** Whether an `if` only leaves the function or the loop. */
function isGuard({ thenStatement, elseStatement }: ts.IfStatement): boolean {
  if (elseStatement !== undefined) return false
  const last = ts.isBlock(thenStatement) ? thenStatement.statements.at(-1) : thenStatement
  return last !== undefined && LEAVING.has(last.kind)
}

function otherNumber(literal: ts.NumericLiteral): string {
  const value = Number(literal.text)
  if (value === 1) return '0'
  if (value >= LARGE) return String(value * 60)
  return Number.isInteger(value) ? String(value + 1) : String(value * 2)
}

function isPlainCall(expression: ts.Expression): boolean {
  const awaited = ts.isAwaitExpression(expression) ? expression.expression : expression
  return ts.isCallExpression(awaited) && awaited.expression.kind !== ts.SyntaxKind.SuperKeyword
}

/** What `.filter(…)` is called on. */
function filteredList({ expression }: ts.CallExpression): ts.Expression | undefined {
  return ts.isPropertyAccessExpression(expression) && expression.name.text === 'filter'
    ? expression.expression
    : undefined
}

function changesOf(node: ts.Node, tree: ts.SourceFile): Change[] {
  const replace = (kind: MutantKind, target: ts.Node, replacement: string | undefined): Change[] =>
    replacement === undefined ? [] : [{ kind, start: target.getStart(tree), end: target.end, replacement }]
  if (ts.isBinaryExpression(node)) {
    const { operatorToken } = node
    return [
      ...replace('comparison', operatorToken, FLIPPED.get(operatorToken.kind)),
      ...replace('boundary', operatorToken, SHIFTED.get(operatorToken.kind)),
      ...replace('logic', operatorToken, SWAPPED_LOGIC.get(operatorToken.kind)),
    ]
  }
  if (ts.isIfStatement(node)) {
    const negated = replace('condition', node.expression, negationOf(node.expression, tree))
    return isGuard(node) ? [...negated, ...replace('guard', node, '{}')] : negated
  }
  if (ts.isConditionalExpression(node)) return replace('condition', node.condition, negationOf(node.condition, tree))
  if (ts.isNumericLiteral(node)) return replace('number', node, otherNumber(node))
  if (node.kind === ts.SyntaxKind.TrueKeyword) return replace('boolean', node, 'false')
  if (node.kind === ts.SyntaxKind.FalseKeyword) return replace('boolean', node, 'true')
  if (ts.isExpressionStatement(node)) return isPlainCall(node.expression) ? replace('statement', node, '{}') : []
  const list = ts.isCallExpression(node) ? filteredList(node) : undefined
  return list === undefined ? [] : replace('filter', node, list.getText(tree))
}

function firstLine(text: string, from: number): string {
  const end = text.indexOf('\n', from)
  return text.slice(from, end === -1 ? undefined : end)
}

function mutantOf({ path, text, tree }: Source, change: Change): Mutant {
  const { line } = tree.getLineAndCharacterOfPosition(change.start)
  const lineStart = tree.getPositionOfLineAndCharacter(line, 0)
  const after = text.slice(lineStart, change.start) + change.replacement + firstLine(text, change.end)
  return { ...change, path, line: line + 1, before: firstLine(text, lineStart).trim(), after: after.trim() }
}

/** All mutants of a file, in the order of the code. */
export function findMutants(source: Source): Mutant[] {
  const changes: Change[] = []
  const visit = (node: ts.Node): void => {
    if (isLeftOut(node)) return
    changes.push(...changesOf(node, source.tree))
    ts.forEachChild(node, visit)
  }
  visit(source.tree)
  return changes.map(change => mutantOf(source, change)).filter(({ before, after }) => before !== after)
}

/** The text of the file with one change made. */
export function applyMutant(text: string, { start, end, replacement }: Mutant): string {
  return text.slice(0, start) + replacement + text.slice(end)
}
