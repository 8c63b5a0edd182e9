const SCOPE_KINDS = [
  'function',
  'class',
  'interface',
  'struct',
  'enum',
  'trait',
  'impl',
  'module',
  'object',
  'type',
  'table',
] as const

/** What a definition is; `function` also stands for a method, whose parent is the type. */
export type ScopeKind = (typeof SCOPE_KINDS)[number]

/** Whether a stored value is one of the known kinds. */
export function isScopeKind(value: unknown): value is ScopeKind {
  return SCOPE_KINDS.some(kind => kind === value)
}

/** One definition of a file: the lines of code that its name stands for. Lines are 1-based and inclusive. */
export interface Scope {
  /** As written, without its container: `process`, not `Job.process`. */
  name: string
  kind: ScopeKind
  /** Its first line of code: the one with the keyword or the name, below decorators and comments. */
  startLine: number
  endLine: number
  /** Where what belongs to it begins: its decorators, annotations and the comment right above. */
  leadLine: number
  /** Index of the scope around it in the outline, which stands before it; null at the top. */
  parent: number | null
}

/** Something that a file takes from another one, as written: `a.b.c`, `./cart.js`, `stdio.h`. */
export interface Import {
  target: string
  /** The names that it takes; none where it takes the whole. */
  names: string[]
  line: number
}

/** What a file defines, in the order of its lines, and what it imports. */
export interface Outline {
  scopes: Scope[]
  imports: Import[]
}

/** Name of the scope around one; null at the top of the file. */
export function containerOf({ scopes }: Outline, { parent }: Pick<Scope, 'parent'>): string | null {
  if (parent === null) return null
  return scopes[parent]?.name ?? null
}

/** A definition and where it stands. */
export interface Definition {
  name: string
  kind: ScopeKind
  /** Name of the scope around it. */
  container: string | null
  repository: string
  path: string
  startLine: number
  endLine: number
}
