import { indentOf, type Shift } from '../../text/indentation.ts'
import { childrenOf, insideOf, topOf, type Level, type Parties } from './block-items.ts'
import type { Side } from '../side.ts'
import { Uncertain } from './line-change.ts'

/** Where the units of a block stand in the file. */
interface StartLevel {
  level: Level
  /** The indentation that the file has and the block has not; null for none. */
  shift: Shift | null
}

function indentOfUnit({ lines, units }: Side, index = -1): string {
  const { start } = units[index] ?? { start: -1 }
  return indentOf(lines[start] ?? '')
}

/** The containers of the file that hold a unit with one of these names; null stands for the top. */
function parentsWith({ file }: Parties, names: ReadonlySet<string>): Map<number | null, number> {
  const found = new Map<number | null, number>()
  for (const [index, { name, kind, parent }] of file.units.entries()) {
    if (kind !== 'value' && names.has(name) && !found.has(parent)) found.set(parent, index)
  }
  return found
}

/** The first parameter of a method in languages that spell it out. */
const RECEIVER = /\(\s*(?:&(?:mut )?)?(self|cls)\b/

/** What has a receiver in the file must have one in the block: else it is a function that only has the same name. */
function requireMethods({ file, block }: Parties, parent: number, own: readonly number[]): void {
  const hasReceiver = ({ lines, units }: Side, index: number): boolean => {
    const { start } = units[index] ?? { start: -1 }
    return RECEIVER.test(lines[start] ?? '')
  }
  for (const index of own) {
    const name = block.units[index]?.name
    const known = file.units.findIndex(unit => unit.parent === parent && unit.name === name)
    if (known >= 0 && hasReceiver(file, known) !== hasReceiver(block, index)) throw new Uncertain()
  }
}

/**
 * The level of the file that a block shows: its top, or the inside of the one container that holds its definitions,
 * where the block shows methods without their class.
 *
 * @throws {Uncertain} The indentation does not fit.
 */
export function startLevel(parties: Parties): StartLevel {
  const { file, block } = parties
  const own = childrenOf(block, topOf(block)).filter(index => block.units[index]?.kind !== 'value')
  const parents = parentsWith(parties, new Set(own.map(index => block.units[index]?.name ?? '')))
  const [[parent, known] = [null, -1]] = parents
  if (parents.size !== 1 || parent === null) return { level: topOf(file), shift: null }
  requireMethods(parties, parent, own)
  const wanted = indentOfUnit(file, known)
  const shown = indentOfUnit(block, own[0])
  if (!wanted.endsWith(shown)) throw new Uncertain()
  const add = wanted.slice(0, wanted.length - shown.length)
  return { level: insideOf(file, parent), shift: add === '' ? null : { add } }
}
