import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

/**
 * What is read of a node of web-tree-sitter, which is no dependency of the project: it is loaded from a folder that is
 * given.
 */
interface SyntaxNode {
  type: string
  text: string
  hasError: boolean
  startPosition: { row: number; column: number }
  endPosition: { row: number; column: number }
  parent: SyntaxNode | null
  children: SyntaxNode[]
  namedChildren: SyntaxNode[]
  childForFieldName: (name: string) => SyntaxNode | null
}

interface Tree {
  rootNode: SyntaxNode
  delete: () => void
}
/** The part of web-tree-sitter's parser that is used here. */
interface Parser {
  setLanguage: (language: unknown) => void
  parse: (text: string) => Tree | null
}
interface Module {
  Parser: (new () => Parser) & { init: () => Promise<void> }
  Language: { load: (path: string) => Promise<unknown> }
}

/** A definition as the syntax tree has it; lines are 1-based and inclusive. */
export interface TrueDefinition {
  name: string
  startLine: number
  endLine: number
}

const GRAMMARS = new Map<string, string>([
  ['python', 'python'],
  ['javascript', 'javascript'],
  ['typescript', 'tsx'],
  ['java', 'java'],
  ['kotlin', 'kotlin'],
  ['go', 'go'],
  ['rust', 'rust'],
  ['ruby', 'ruby'],
  ['php', 'php'],
  ['c', 'c'],
  ['cpp', 'cpp'],
  ['csharp', 'c_sharp'],
  ['scala', 'scala'],
  ['shell', 'bash'],
  ['sql', 'sql'],
  ['groovy', 'groovy'],
  ['objective-c', 'objc'],
  ['dart', 'dart'],
  ['lua', 'lua'],
  ['perl', 'perl'],
  ['elixir', 'elixir'],
  ['swift', 'swift'],
])

/** Nodes that define what their field `name` says. */
const NAMED = new Map<string, string>([
  ['python', 'function_definition class_definition'],
  ['javascript', 'function_declaration generator_function_declaration class_declaration method_definition'],
  [
    'typescript',
    'function_declaration generator_function_declaration class_declaration abstract_class_declaration ' +
      'method_definition interface_declaration enum_declaration type_alias_declaration internal_module module',
  ],
  [
    'java',
    'class_declaration interface_declaration enum_declaration record_declaration annotation_type_declaration ' +
      'method_declaration constructor_declaration compact_constructor_declaration',
  ],
  ['kotlin', 'class_declaration object_declaration companion_object function_declaration type_alias'],
  ['go', 'function_declaration method_declaration type_spec type_alias'],
  [
    'rust',
    'function_item function_signature_item struct_item enum_item union_item trait_item type_item ' +
      'macro_definition impl_item mod_item',
  ],
  ['ruby', 'method singleton_method class module'],
  [
    'php',
    'function_definition class_declaration interface_declaration trait_declaration enum_declaration method_declaration',
  ],
  ['c', 'function_definition struct_specifier enum_specifier union_specifier'],
  ['cpp', 'function_definition struct_specifier class_specifier enum_specifier union_specifier namespace_definition'],
  [
    'csharp',
    'class_declaration struct_declaration interface_declaration enum_declaration record_declaration ' +
      'method_declaration constructor_declaration property_declaration local_function_statement ' +
      'namespace_declaration delegate_declaration',
  ],
  [
    'scala',
    'class_definition object_definition trait_definition enum_definition function_definition ' +
      'function_declaration type_definition',
  ],
  ['shell', 'function_definition'],
  ['sql', 'create_table create_view create_function create_materialized_view'],
  ['lua', 'function_declaration'],
  ['dart', 'class_definition enum_declaration mixin_declaration extension_declaration'],
])

const FUNCTION_VALUES = new Set(['arrow_function', 'function_expression', 'generator_function', 'class'])
const MARKS = /annotation|attribute|decorator/

const lineOf = (node: SyntaxNode): number => node.startPosition.row + 1

/** The line of the first part of a node that is no decorator, annotation or attribute. */
function headLine(node: SyntaxNode): number {
  for (const child of node.children) {
    if (MARKS.test(child.type) || child.type.includes('comment')) continue
    if (child.type !== 'modifiers') return lineOf(child)
    const first = child.children.find(part => !MARKS.test(part.type) && !part.type.includes('comment'))
    if (first !== undefined) return lineOf(first)
  }
  return lineOf(node)
}

/** Index of the line that begins the block comment that these end with; −1 where code stands before it. */
function commentBegin(lines: readonly string[]): number {
  const at = lines.findLastIndex(line => line.includes('/*'))
  const line = lines[at] ?? ''
  return /^\s*\/\*/.test(line) ? at : -1
}

/** Blocks by indentation reach over blank lines and comments behind them; those are no lines of the definition. */
function lastLine(node: SyntaxNode): number {
  const lines = node.text.trimEnd().split('\n')
  for (;;) {
    const last = lines.at(-1) ?? ''
    if (lines.length > 1 && /^\s*(?:$|\/\/|#(?![\w]))/.test(last)) lines.pop()
    else if (last.trimEnd().endsWith('*/') && commentBegin(lines) > 0) lines.length = commentBegin(lines)
    else return lineOf(node) + lines.length - 1
  }
}

/** The last of the declarators of C that hold each other. */
function innermostDeclarator(node: SyntaxNode): SyntaxNode {
  let inner = node
  for (
    let next: SyntaxNode | null | undefined = node.childForFieldName('declarator');
    next != null;
    next = next.childForFieldName('declarator') ?? next.namedChildren.find(child => child.type.endsWith('declarator'))
  ) {
    inner = next
  }
  return inner
}

function operatorName({ type, text }: SyntaxNode): string {
  const name = type === 'operator_cast' ? text.replace(/\(\).*$/s, '') : text
  return name.replace(/^operator\s+(?=\W)/, 'operator').replaceAll(' ()', '()')
}

/** Goes down the declarators of C to the name; the last part of `A::b`. */
function declaredName(node: SyntaxNode): string | null {
  let inner: SyntaxNode | null = innermostDeclarator(node)
  while (inner?.type === 'qualified_identifier') inner = inner.childForFieldName('name')
  if (inner?.type === 'operator_name' || inner?.type === 'operator_cast') return operatorName(inner)
  if (inner?.type === 'template_function' || inner?.type === 'template_method') inner = inner.childForFieldName('name')
  return inner !== null && inner !== node ? inner.text : null
}

/** `b` of `a::b<c>`. */
const lastOfPath = (text: string | undefined): string | null =>
  text
    ?.replace(/<[^]*$/, '')
    .split('::')
    .at(-1) ?? null

/** Null for what has no code. */
function nameInC(node: SyntaxNode): string | null {
  if (node.namedChildren.some(child => /^(?:default|delete)_method_clause$/.test(child.type))) return null
  if (node.type === 'function_definition') return declaredName(node)
  if (node.childForFieldName('body') === null) return null
  const name = node.childForFieldName('name')
  if (node.type === 'namespace_definition') return name?.text ?? null
  return lastOfPath(name?.text)
}

/** What an `impl` of Rust is for. */
function implementedType(node: SyntaxNode): string | null {
  const name = node
    .childForFieldName('type')
    ?.text.replace(/<[^]*$/, '')
    .replace(/^.*::/, '')
    .replace(/^[&(].*$/s, '')
  return name === undefined || name === '' ? null : name
}

function nameInSql(node: SyntaxNode): string | null {
  const reference = node.namedChildren.find(child => child.type === 'object_reference')
  return (
    reference?.text
      .split('.')
      .at(-1)
      ?.replaceAll(/["`[\]]/g, '') ?? null
  )
}

function nameField(node: SyntaxNode, language: string): SyntaxNode | null {
  const name = node.childForFieldName('name')
  if (name !== null || language !== 'kotlin') return name
  return node.namedChildren.find(child => /identifier$/.test(child.type)) ?? null
}

function nameInField(node: SyntaxNode, language: string): string | null {
  const name = nameField(node, language)
  if (node.type === 'companion_object' && (name === null || name.type === 'type_identifier')) {
    return name?.text ?? 'Companion'
  }
  if (name === null || name.type === 'computed_property_name') return null
  if (language === 'ruby' || language === 'lua') return name.text.split(/::|[.:]/).at(-1) ?? null
  return name.text.replace(/^(['"`])([^]*)\1$/, '$2')
}

function nameOf(node: SyntaxNode, language: string): string | null {
  if (language === 'c' || language === 'cpp') return nameInC(node)
  if (language === 'sql') return nameInSql(node)
  if (language === 'rust' && node.type === 'impl_item') return implementedType(node)
  const isElsewhere = node.type === 'mod_item' && node.childForFieldName('body') === null
  return isElsewhere ? null : nameInField(node, language)
}

/** What a function or a class is put into by JavaScript; null where that has no name. */
function assignedName(node: SyntaxNode): SyntaxNode | null {
  const target =
    node.childForFieldName('name') ??
    node.childForFieldName('left') ??
    node.childForFieldName('key') ??
    node.childForFieldName('property')
  const name = target?.type === 'member_expression' ? target.childForFieldName('property') : target
  return name !== null && /identifier$|^string$|^number$/.test(name.type) ? name : null
}

/** A class that stands in an object, or has a name of its own, is not named by what it is put into. */
function isNamedByTarget(value: SyntaxNode, node: SyntaxNode): boolean {
  if (value.type !== 'class') return FUNCTION_VALUES.has(value.type)
  return node.type !== 'pair' && value.childForFieldName('name') === null
}

/** Functions and classes that JavaScript gives a name by putting them somewhere. */
function assignedDefinition(node: SyntaxNode): TrueDefinition | null {
  const value = node.childForFieldName(node.type === 'assignment_expression' ? 'right' : 'value')
  if (value === null || !isNamedByTarget(value, node)) return null
  const name = assignedName(node)
  if (name === null) return null
  const isFirst =
    node.type === 'variable_declarator' && node.parent?.namedChildren[0]?.startPosition.row === node.startPosition.row
  return {
    name: name.text.replace(/^(['"])([^]*)\1$/, '$2'),
    startLine: isFirst && node.parent !== null ? lineOf(node.parent) : headLine(node),
    endLine: value.endPosition.row + 1,
  }
}

function startOf(node: SyntaxNode, language: string): number {
  const parent = node.parent
  if (
    language === 'go' &&
    node.type !== 'function_declaration' &&
    node.type !== 'method_declaration' &&
    parent?.type === 'type_declaration' &&
    parent.namedChildren.length === 1 &&
    parent.children[1]?.type !== '('
  ) {
    return lineOf(parent)
  }
  return headLine(node)
}

/** Definitions that a tree holds; those with a syntax error in them are left out, as their extent is a guess. */
function definitionsOf(
  root: SyntaxNode,
  language: string,
): { definitions: TrueDefinition[]; doubtful: TrueDefinition[] } {
  const named = new Set(NAMED.get(language)?.split(' '))
  const isScript = language === 'javascript' || language === 'typescript'
  const definitions: TrueDefinition[] = []
  const doubtful: TrueDefinition[] = []
  const open = [root]
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    let found: TrueDefinition | null = null
    if (named.has(node.type)) {
      const name = nameOf(node, language)
      if (name !== null && name !== '') found = { name, startLine: startOf(node, language), endLine: lastLine(node) }
    } else if (
      isScript &&
      /^(?:variable_declarator|assignment_expression|pair|public_field_definition|field_definition)$/.test(node.type)
    ) {
      found = assignedDefinition(node)
    }
    if (found !== null) (node.hasError ? doubtful : definitions).push(found)
    open.push(...node.children)
  }
  return { definitions, doubtful }
}

/** What the syntax tree of a file says. Doubtful definitions have a syntax error inside. */
export interface Truth {
  definitions: TrueDefinition[]
  doubtful: TrueDefinition[]
  hasErrors: boolean
}

/**
 * A parser of tree-sitter for a language; null when there is no grammar for it.
 *
 * @param folder - Where `web-tree-sitter` and `tree-sitter-wasm` are installed.
 */
export async function loadParser(folder: string, language: string): Promise<Parser | null> {
  const grammar = GRAMMARS.get(language)
  if (grammar === undefined) return null
  const { Parser, Language } = (await import(
    pathToFileURL(join(folder, 'node_modules/web-tree-sitter/web-tree-sitter.js')).href
  )) as Module
  await Parser.init()
  const parser = new Parser()
  try {
    parser.setLanguage(
      await Language.load(join(folder, `node_modules/tree-sitter-wasm/out/${grammar}/tree-sitter-${grammar}.wasm`)),
    )
  } catch {
    return null // there is none for this language
  }
  return parser
}

/** Reads what tree-sitter finds in texts of a language; null when there is no grammar for it. */
export async function loadTruth(folder: string, language: string): Promise<((text: string) => Truth | null) | null> {
  const parser = await loadParser(folder, language)
  if (parser === null) return null
  return text => {
    const tree = parser.parse(text)
    if (tree === null) return null
    const truth = { ...definitionsOf(tree.rootNode, language), hasErrors: tree.rootNode.hasError }
    tree.delete()
    return truth
  }
}
