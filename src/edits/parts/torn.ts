import type { Import } from '../../core/outline.ts'
import type { Asked } from './asked.ts'
import { linesOfUnit, type Side } from './side.ts'
import { titleOf } from './units/unit.ts'
import { significantLines } from './words.ts'

/** Bodies that do nothing. */
const STUB = new RegExp(
  '^(?:pass|"""[^"]*"""|\\.{3}|…|return(?: None| null| nil)?;?|raise NotImplementedError.*|todo!\\(.*\\);?' +
    '|unimplemented!\\(.*\\);?|throw new (?:Error|\\w*NotImplemented\\w*)\\(.*\\);?|panic\\(.*\\)|end' +
    '|[{}()\\[\\];,]+)$',
)
/** A body of fewer lines says little. */
const MIN_BODY = 2
const ONE_LINE_STUB = /[:{(](?:pass|\.{3}|…|\/\*[^*]*\*\/)?[})]*;?$/

/** The lines of a unit below its first one that do something. */
const bodyOf = (side: Side, index: number): string[] =>
  significantLines(linesOfUnit(side, index).slice(1)).filter(line => !STUB.test(line))

/** Whether a unit has a body that does something. */
export const hasBody = (side: Side, index: number): boolean => bodyOf(side, index).length >= MIN_BODY

/** Whether all that a unit of the block has in place of a body is a stub, or nothing. */
export function isStub(side: Side, index: number): boolean {
  const [head = '', ...rest] = linesOfUnit(side, index)
  if (rest.length === 0) return ONE_LINE_STUB.test(head.replaceAll(/\s/g, ''))
  return bodyOf(side, index).length === 0
}

/** The units that have a body in the file and none in the block, by their titles. */
export function emptied(before: Side, after: Side, { removes }: Asked): string[] {
  if (!before.hasLines || !after.hasLines) return []
  const places = new Map(after.keys.map((key, i) => [key, i]))
  return before.units.flatMap(({ name, kind }, i) => {
    const own = places.get(before.keys[i] ?? '')
    if (kind !== 'leaf' || own === undefined || removes(name)) return []
    return hasBody(before, i) && isStub(after, own) ? [titleOf(before.units, i)] : []
  })
}

/** The names that an import gives to the file: those listed, or the last part of what is imported. */
const boundNames = (imports: readonly Import[]): string[] =>
  imports
    .filter(({ target }) => !/\.h(?:pp|h)?$/.test(target))
    .flatMap(({ target, names }) => (names.length > 0 ? names : target.split(/[./:\\]+/).slice(-1)))
    .filter(name => /^[A-Za-z_$][\w$]*$/.test(name) && name !== 'self')

/** Files whose imports may do something without giving a name. */
const ACTING_IMPORTS = /\.(?:[cm]?[jt]sx?|vue|svelte|rb|c|h|cc|cpp|cxx|hpp|php|scss|sass)$/i

/** What the file imports for its effect, and the block does not. */
function lostEffects(before: Side, after: Side, { removes }: Asked): string[] {
  if (!ACTING_IMPORTS.test(before.path)) return []
  const known = new Set(after.imports.map(({ target }) => target))
  return before.imports.flatMap(({ target, names }) =>
    names.length > 0 || known.has(target) || removes(target) ? [] : [target],
  )
}

/** The names that the file imports and the block uses without importing them. */
function usedImports(before: Side, after: Side): string[] {
  const known = new Set([...boundNames(after.imports), ...after.units.map(({ name }) => name)])
  const lost = [...new Set(boundNames(before.imports))].filter(name => !known.has(name))
  if (lost.length === 0) return []
  const code = after.lines.filter(line => !/^\s*(?:#|\/\/|\*)/.test(line)).join('\n')
  return lost.filter(name => {
    const word = name.replaceAll('$', '\\$')
    return (
      new RegExp(`(?<![.\\w$])${word}\\s*[.(]`).test(code) &&
      !new RegExp(`(?<![.\\w$])${word}\\s*(?:=[^=]|:|,|\\))`).test(code)
    )
  })
}

/** What the file imports, the block does not import, and either uses or cannot be seen to use. */
export function lostImports(before: Side, after: Side, asked: Asked): string[] {
  return [...lostEffects(before, after, asked), ...usedImports(before, after)]
}

/** A block that loses fewer lines than this is none that shows a few of many. */
const MIN_LOST = 5
const LOST_SHARE = 0.5
const LOST_SHARE_WHEN_ASKED = 0.8

/** The lines of a file that stand in no unit. */
function looseLines({ lines, units, hasLines }: Side): string[] {
  if (!hasLines) return significantLines(lines)
  const isOwned = new Uint8Array(lines.length)
  for (const { kind, lead, last } of units) if (kind !== 'value') isOwned.fill(1, lead, last + 1)
  return significantLines(lines.filter((_, i) => isOwned[i] === 0))
}

/**
 * Whether a block shows some of many lines: more than half of those in no definition are gone, and what it has in
 * their place is less than half of that.
 */
export function losesLines(before: Side, after: Side, { file, removesUnnamed, reworks }: Asked): boolean {
  if (file !== 'no') return false
  const loose = looseLines(before)
  const kept = new Set(significantLines(after.lines))
  const lost = loose.filter(line => !kept.has(line)).length
  const share = reworks || removesUnnamed !== 'no' ? LOST_SHARE_WHEN_ASKED : LOST_SHARE
  if (lost < MIN_LOST || lost <= loose.length * share) return false
  const known = new Set(significantLines(before.lines))
  const fresh = significantLines(after.lines).filter(line => !known.has(line)).length
  return fresh < lost / 2
}
