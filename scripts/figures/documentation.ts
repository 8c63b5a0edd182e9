import ts from 'typescript'
import type { Source } from './checkout.ts'

function isExported(statement: ts.Statement): boolean {
  const modifiers = ts.canHaveModifiers(statement) ? ts.getModifiers(statement) : undefined
  return modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) ?? false
}

function hasDocComment(statement: ts.Statement, tree: ts.SourceFile): boolean {
  const comments = ts.getLeadingCommentRanges(tree.text, statement.getFullStart()) ?? []
  return comments.some(({ pos }) => tree.text.startsWith('/**', pos))
}

function namesOf(statement: ts.Statement): string[] {
  if (ts.isVariableStatement(statement)) return statement.declarationList.declarations.map(({ name }) => name.getText())
  const { name } = statement as ts.DeclarationStatement
  return [name?.getText() ?? 'default']
}

/** The names that a file declares and exports without a doc comment. */
export function undocumentedExports({ tree }: Source): string[] {
  return tree.statements.filter(statement => isExported(statement) && !hasDocComment(statement, tree)).flatMap(namesOf)
}
