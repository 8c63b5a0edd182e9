import { indentOf } from '../../text/indentation.ts'
import type { Side } from '../side.ts'
import type { LineChange } from './line-change.ts'

const PYTHON = /\.pyi?$/i
const OPENS = /[({[]/g
const CLOSES = /[)}\]]/g
/** A file that begins so may need its imports below. */
const BEGINS_SPECIALLY = /^\s*(?:#|\/\/|\/\*|"|'|`|<|package\b|namespace\b|module\b|use strict|--)/
const MAX_LINES = 200

const countOf = (text: string, pattern: RegExp): number => text.match(pattern)?.length ?? 0

/** The line after an import that begins here: it ends with its brackets. */
export function importRange(lines: readonly string[], from: number): number {
  let open = 0
  for (let at = from; at < Math.min(lines.length, from + MAX_LINES); at++) {
    const line = lines[at] ?? ''
    open += countOf(line, OPENS) - countOf(line, CLOSES)
    if (open <= 0 && !/\\\s*$/.test(line)) return at + 1
  }
  return from + 1
}

const textOf = (lines: readonly string[], from: number, to: number): string =>
  lines
    .slice(from, to)
    .join(' ')
    .replace(/\s+/g, ' ')
    .replace(/,? ([)}])/g, '$1')
    .replace(/([({]) /g, '$1')
    .replace(/;\s*$/, '')
    .trim()

/** What stands before the names of an import: `import x, ` of `import x, { y } from 'z'`. */
function formOf(text: string): string {
  const open = text.indexOf('{')
  return open < 0 ? text : `${text.slice(0, open)}{}${text.slice(text.indexOf('}', open) + 1)}`
}

/** The imports of a file that stand at its beginning and at no indentation. */
function leading({ lines, units, imports }: Side): Array<{ line: number; target: string; names: string[] }> {
  const definitions = units.filter(({ parent, kind }) => parent === null && kind !== 'value').map(({ lead }) => lead)
  const firstUnit = Math.min(lines.length, ...definitions)
  return imports
    .map(({ line, target, names }) => ({ line: line - 1, target, names }))
    .filter(({ line }) => line < firstUnit && indentOf(lines[line] ?? '') === '')
}

/**
 * The change that brings an import of a block into the file.
 *
 * @returns null where the file has it; `unclear` where nothing says how the two go together.
 */
export function importChange(
  file: Side,
  block: Side,
  { from, to }: { from: number; to: number },
): LineChange | null | 'unclear' {
  const wanted = textOf(block.lines, from, to)
  const known = file.imports.map(({ line }) => ({ from: line - 1, to: importRange(file.lines, line - 1) }))
  if (known.some(range => textOf(file.lines, range.from, range.to) === wanted)) return null
  if (indentOf(block.lines[from] ?? '') !== '' || wanted.includes('__future__')) return 'unclear'
  const own = block.imports.find(({ line }) => line - 1 === from)
  if (own === undefined) return 'unclear'
  const statement = block.lines.slice(from, to)
  const first = leading(file)
  const same = first.filter(({ target }) => target === own.target)
  const last = first.at(-1)
  const insertion = (): LineChange | 'unclear' => {
    if (last !== undefined) {
      const end = importRange(file.lines, last.line)
      return { from: end, to: end, lines: statement }
    }
    if (file.imports.length > 0 || BEGINS_SPECIALLY.test(file.lines.find(line => line.trim() !== '') ?? '')) {
      return 'unclear'
    }
    return { from: 0, to: 0, lines: [...statement, ''] }
  }
  const [other, ...more] = same
  if (other === undefined) return insertion()
  if (PYTHON.test(file.path)) return own.names.length > 0 ? insertion() : 'unclear'
  const range = { from: other.line, to: importRange(file.lines, other.line) }
  const hasAll = other.names.length > 0 && other.names.every(name => own.names.includes(name))
  const isLike = formOf(textOf(file.lines, range.from, range.to)) === formOf(wanted)
  return more.length === 0 && hasAll && isLike ? { ...range, lines: statement } : 'unclear'
}
