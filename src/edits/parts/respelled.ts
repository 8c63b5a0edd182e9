import { linesOfUnit, type Side } from './side.ts'
import { titleOf, type Unit } from './units/unit.ts'
import { isBalanced } from './account/items.ts'

const PROSE = /\.(?:md|markdown|mdx|rst|adoc)$/i
const PREPROCESSOR = /^\s*#\s*(?:if|el)/
/** Steps that do the same as another one. */
const SAME_STEP: ReadonlyArray<readonly [path: RegExp, old: RegExp, fresh: string]> = [
  [/(?:^|\/)(?:Dockerfile|Containerfile)[^/]*$|\.dockerfile$/i, /^CMD$/, 'ENTRYPOINT'],
  [/\.ya?ml$/i, /\bnpm (?:install|i)$/, 'npm ci'],
]

const textBelow = (side: Side, index: number): string => linesOfUnit(side, index).slice(1).join('\n').trim()

/** Whether a unit of a block is one of the file in other words: a renamed heading, or a step that does the same. */
export function isRespelled(before: Side, index: number, [after, own]: readonly [Side, number]): boolean {
  const [old, fresh] = [before.units[index], after.units[own]]
  if (old === undefined || fresh === undefined) return false
  const title = titleOf(after.units, own)
  const isStep = SAME_STEP.some(
    ([path, step, other]) =>
      path.test(before.path) && step.test(old.name) && titleOf(before.units, index).replace(step, other) === title,
  )
  if (isStep || !PROSE.test(before.path)) return isStep
  if (old.last - old.start !== fresh.last - fresh.start) return false
  const below = textBelow(before, index)
  return below !== '' && below === textBelow(after, own)
}

/** A value whose line is all of it. */
const isOneLine = ({ lines }: Side, { start }: Unit): boolean =>
  isBalanced(lines[start] ?? '') &&
  !/[=\\,]$/.test((lines[start] ?? '').trimEnd()) &&
  !/^[\s.]/.test(lines[start + 1] ?? '')

/** Whether a definition at the left margin stands in the file a second time, byte by byte. */
export function isTwin(before: Side, index: number): boolean {
  const { units, keys, lines, account } = before
  const unit = units[index]
  if (unit === undefined || unit.kind === 'container' || account !== 'bodies') return false
  if (/^\s/.test(lines[unit.start] ?? '') || (unit.kind === 'value' && !isOneLine(before, unit))) return false
  if (lines.some(line => PREPROCESSOR.test(line))) return false
  const textOf = (at: number): string => lines.slice(units[at]?.lead ?? 0, (units[at]?.last ?? 0) + 1).join('\n')
  const first = keys.indexOf(keys[index] ?? '')
  return first !== index && units[first]?.kind === unit.kind && textOf(first) === textOf(index)
}
