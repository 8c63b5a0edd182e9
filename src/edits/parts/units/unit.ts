import type { Import } from '../../../core/outline.ts'

/** A part of a file that has a name: a definition, a key, a rule, a section. */
export interface Unit {
  /** As it is called within its parent: `total`, `scripts`, `.btn`. */
  name: string
  /** Index of the unit around it, which stands before it; null at the top. */
  parent: number | null
  /** Its first line, from 0: the one with the name. */
  start: number
  /** Its last line. */
  last: number
  /** Where what belongs to it begins: comments and decorators above it. */
  lead: number
  /**
   * `container`: the units in it count each for itself; `leaf`: it is one piece; `value`: a constant, a field or a
   * call, of which only the first line is known.
   */
  kind: 'container' | 'leaf' | 'value'
}

/** The units of a file, in the order of its lines. */
export interface FileUnits {
  units: Unit[]
  /** Whether the lines of the units are known, so that one of them can be replaced. */
  hasLines: boolean
  /** Why the text cannot be all of such a file, for the model; null where nothing says so. */
  broken: string | null
  imports: readonly Import[]
  /**
   * What a line counts that no unit names: nothing where units name all that the file holds (`none`); everything
   * (`lines`), but for lines in functions, which may be written anew (`bodies`).
   */
  account: 'none' | 'lines' | 'bodies'
}

/** The names from the outermost unit to this one. */
export function pathOfUnit(units: readonly Unit[], index: number): string[] {
  const names: string[] = []
  for (let at: number | null = index; at !== null; at = units[at]?.parent ?? null) names.unshift(units[at]?.name ?? '')
  return names
}

/** A name for people: `Cart.total`. */
export const titleOf = (units: readonly Unit[], index: number): string => pathOfUnit(units, index).join('.')

/** What tells a unit from those with the same name elsewhere in the file. */
export const keyOf = (units: readonly Unit[], index: number): string =>
  [...pathOfUnit(units, index), units[index]?.kind === 'value' ? '=' : ''].join('\0')

/** Units of one line each, without any around them: for files whose parts are only to be recognised. */
export const namesOnly = (names: Iterable<string>): FileUnits => ({
  units: Array.from(names, name => ({ name, parent: null, start: 0, last: 0, lead: 0, kind: 'value' as const })),
  hasLines: false,
  broken: null,
  imports: [],
  account: 'lines',
})
