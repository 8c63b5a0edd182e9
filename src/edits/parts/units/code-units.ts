import type { Outline, Scope } from '../../../core/outline.ts'
import { indentOf } from '../../text/indentation.ts'
import type { FileUnits, Unit } from './unit.ts'
import { callName, fieldNames, headName, statementName, valueName } from './value-names.ts'

/** Kinds of definitions whose lines are members: fields, cases, columns. */
const LISTS: ReadonlySet<Scope['kind']> = new Set(['struct', 'enum', 'interface', 'table', 'type'])

/** The scopes that stand in no function: what is in one comes and goes with it. */
function outerScopes({ scopes }: Outline): Array<{ scope: Scope; parent: number | null }> {
  const kept: Array<{ scope: Scope; parent: number | null }> = []
  const newIndex = new Map<number, number>()
  for (const [i, scope] of scopes.entries()) {
    const around = newIndex.get(scope.parent ?? -1)
    const isInFunction = scope.parent !== null && (around === undefined || kept[around]?.scope.kind === 'function')
    if (isInFunction) continue
    newIndex.set(i, kept.length)
    kept.push({ scope, parent: around ?? null })
  }
  return kept
}

/** For each line, the innermost unit that it stands in; -1 for none. */
function ownersOf(units: readonly Unit[], lines: number): Int32Array {
  const owners = new Int32Array(lines).fill(-1)
  for (const [index, { lead, last }] of units.entries()) owners.fill(index, lead, last + 1)
  return owners
}

/** Tells lines in texts and comments of several lines, which define nothing. */
class TextTracker {
  #closer: string | null = null

  /** Whether the line goes on with a text that a line before it began. */
  isInside(line: string): boolean {
    if (this.#closer !== null) {
      if (line.includes(this.#closer)) this.#closer = null
      return true
    }
    for (const [open, close] of [
      ['"""', '"""'],
      ["'''", "'''"],
      ['/*', '*/'],
      ['`', '`'],
    ] as const) {
      const parts = line.split(open)
      const isLeftOpen = parts.length > 1 && parts.at(-1)?.includes(close) !== true
      const isOpen = open === close ? parts.length % 2 === 0 : isLeftOpen
      if (!isOpen) continue
      this.#closer = close
      break
    }
    return false
  }
}

/** The least indentation of the lines in each container that stand in nothing smaller. */
function innerIndents(lines: readonly string[], owners: Int32Array, units: readonly Unit[]): Map<number, number> {
  const indents = new Map<number, number>()
  for (const [at, line] of lines.entries()) {
    const owner = owners[at] ?? -1
    const unit = units[owner]
    if (unit?.kind !== 'container' || at <= unit.start || at >= unit.last + 1 || line.trim() === '') continue
    if (/^\s*[})\]]|^\s*end\b/.test(line)) continue
    indents.set(owner, Math.min(indents.get(owner) ?? Infinity, indentOf(line).length))
  }
  return indents
}

interface CodeLines {
  lines: readonly string[]
  units: readonly Unit[]
  /** The kind of the scope behind each unit. */
  kinds: ReadonlyArray<Scope['kind']>
}

/** The names that a line gives, where its owner lets it define anything. */
function namesAt(
  { lines, units, kinds }: CodeLines,
  at: number,
  owner: number,
  indents: Map<number, number>,
): string[] {
  const line = lines[at] ?? ''
  const unit = units[owner]
  const call = unit === undefined || unit.kind === 'container' ? callName(line) : null
  if (call !== null) return [call]
  if (unit === undefined) {
    if (indentOf(line) !== '') return []
    return [headName(line) ?? statementName(line) ?? valueName(line)].filter(name => name !== null)
  }
  const isMember = unit.kind === 'container' && at > unit.start && indentOf(line).length === indents.get(owner)
  if (!isMember) return []
  return fieldNames(line, LISTS.has(kinds[owner] ?? 'function'))
}

/** What a source file defines: its scopes, and the values, fields and calls beside them. */
export function codeUnits(outline: Outline, lines: readonly string[]): FileUnits {
  const scopes = outerScopes(outline)
  const units = scopes.map(({ scope: { name, kind, startLine, endLine, leadLine }, parent }): Unit => ({
    name,
    parent,
    start: startLine - 1,
    last: endLine - 1,
    lead: leadLine - 1,
    kind: kind === 'function' ? 'leaf' : 'container',
  }))
  const kinds = scopes.map(({ scope }) => scope.kind)
  const owners = ownersOf(units, lines.length)
  const indents = innerIndents(lines, owners, units)
  const tracker = new TextTracker()
  const values: Unit[] = []
  for (const [at, line] of lines.entries()) {
    const owner = owners[at] ?? -1
    if (tracker.isInside(line) || units[owner]?.kind === 'leaf') continue
    for (const name of namesAt({ lines, units, kinds }, at, owner, indents)) {
      const parent = owner < 0 ? null : owner
      values.push({ name, parent, start: at, last: at, lead: at, kind: 'value' })
    }
  }
  return { units: [...units, ...values], hasLines: true, broken: null, imports: outline.imports, account: 'bodies' }
}

/** Words that begin a definition, in languages whose outline is not known. */
const KEYWORD = new RegExp(
  '^(\\s*)(?:(?:local|export|public|private|pub|async|static|abstract|inline|data|sealed)\\s+)*' +
    '(?:function|def|defp|defmacro|defmodule|defn-?|sub|func|fun|fn|proc|class|module|message|service|enum|rpc|input' +
    '|interface|type|trait|object|struct|macro|resource|variable|output|provider|data|task|scenario|union|package)' +
    '[ \\t(]+(["\'\\w.:$@/-]+(?:[ \\t]+"[^"\\n]*"){0,2})',
  'i',
)
const HEAD_WITH_BRACE = /^([A-Za-z_][\w"' ./:~*=^$\\|()-]{0,200}?)\s*\{\s*$/
const MAX_LINE = 300

/** Definitions by their keywords, and blocks by what stands before their brace: for any other language. */
export function keywordUnits(lines: readonly string[]): FileUnits {
  const units: Unit[] = []
  for (const [at, line] of lines.entries()) {
    if (line.length > MAX_LINE) continue
    const name = KEYWORD.exec(line)?.[2] ?? HEAD_WITH_BRACE.exec(line)?.[1]
    if (name !== undefined) units.push({ name, parent: null, start: at, last: at, lead: at, kind: 'value' })
  }
  return { units, hasLines: false, broken: null, imports: [], account: 'bodies' }
}
