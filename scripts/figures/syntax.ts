import ts from 'typescript'
import type { Source } from './checkout.ts'

/** The size of one function, methods, accessors and arrow functions among them. */
interface FunctionFigures {
  path: string
  line: number
  /** As the lint rule `complexity` counts: one, and one more for each way through. */
  branches: number
  /** Tokens from the first to the last, those of functions inside included. */
  tokens: number
}

/** The figures of one file. */
interface SyntaxFigures {
  functions: FunctionFigures[]
  /** Conditional expressions that stand directly in a branch of another one. */
  nestedTernaries: number
  /** Lines that hold code: neither blank nor only a comment. */
  codeLines: number
}

const BRANCHING = new Set([
  ts.SyntaxKind.CatchClause,
  ts.SyntaxKind.ConditionalExpression,
  ts.SyntaxKind.ForStatement,
  ts.SyntaxKind.ForInStatement,
  ts.SyntaxKind.ForOfStatement,
  ts.SyntaxKind.IfStatement,
  ts.SyntaxKind.WhileStatement,
  ts.SyntaxKind.DoStatement,
  ts.SyntaxKind.CaseClause,
])

const SHORT_CIRCUITS = new Set([
  ts.SyntaxKind.AmpersandAmpersandToken,
  ts.SyntaxKind.BarBarToken,
  ts.SyntaxKind.QuestionQuestionToken,
  ts.SyntaxKind.AmpersandAmpersandEqualsToken,
  ts.SyntaxKind.BarBarEqualsToken,
  ts.SyntaxKind.QuestionQuestionEqualsToken,
])

function isFunctionWithBody(node: ts.Node): boolean {
  return ts.isFunctionLike(node) && 'body' in node && node.body !== undefined
}

function isBranch(node: ts.Node): boolean {
  if (BRANCHING.has(node.kind)) return true
  if (ts.isBinaryExpression(node)) return SHORT_CIRCUITS.has(node.operatorToken.kind)
  if (ts.isParameter(node) || ts.isBindingElement(node)) return node.initializer !== undefined
  if (ts.isPropertyAccessExpression(node) || ts.isElementAccessExpression(node) || ts.isCallExpression(node)) {
    return node.questionDotToken !== undefined
  }
  return false
}

function isNestedTernary(node: ts.Node): boolean {
  if (!ts.isConditionalExpression(node)) return false
  let branch: ts.Node = node
  while (ts.isParenthesizedExpression(branch.parent)) branch = branch.parent
  const { parent } = branch
  return ts.isConditionalExpression(parent) && parent.condition !== branch
}

function lineAt(tree: ts.SourceFile, position: number): number {
  return tree.getLineAndCharacterOfPosition(position).line
}

/** Measures one file. */
export function measureSyntax({ path, tree }: Source): SyntaxFigures {
  const functions: FunctionFigures[] = []
  const codeLines = new Set<number>()
  let nestedTernaries = 0
  let tokens = 0

  function visit(node: ts.Node, owner: FunctionFigures | null): void {
    if (ts.isJSDoc(node)) return
    if (isNestedTernary(node)) nestedTernaries++
    if (owner !== null && isBranch(node)) owner.branches++
    const own = isFunctionWithBody(node)
      ? { path, line: lineAt(tree, node.getStart(tree)) + 1, branches: 1, tokens: 0 }
      : owner
    const tokensBefore = tokens
    const children = node.getChildren(tree)
    if (children.length === 0 && node.getWidth(tree) > 0) {
      tokens++
      for (let line = lineAt(tree, node.getStart(tree)); line <= lineAt(tree, node.end); line++) codeLines.add(line)
    }
    for (const child of children) visit(child, own)
    if (own === null || own === owner) return
    own.tokens = tokens - tokensBefore
    functions.push(own)
  }

  for (const child of tree.getChildren(tree)) visit(child, null)
  return { functions, nestedTernaries, codeLines: codeLines.size }
}
