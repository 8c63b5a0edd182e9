import { indentOf } from '../../text/indentation.ts'
import type { Circumstances } from '../lacking.ts'
import { importRange } from '../place/merge-imports.ts'
import type { Side } from '../side.ts'
import type { Unit } from '../units/unit.ts'
import type { Excuses } from './losses.ts'

const NAMES = /[\p{L}_$][\p{L}\p{N}_$.-]*/gu
/** Words of a sentence, which name nothing in a request. */
const PLAIN_WORD = /^[a-z]+$/
const MAX_QUESTIONS = 2000

/** The last line of a unit: of a value what goes on below its first line. */
function lastOf({ lines }: Side, { kind, start, last }: Unit): number {
  if (kind !== 'value') return last
  const depth = indentOf(lines[start] ?? '').length
  let end = start + 1
  while (end < lines.length && (indentOf(lines[end] ?? '').length > depth || /^\s*[)}\]]/.test(lines[end] ?? ''))) end++
  return end - 1
}

/** What accounts for lines that a block has not: what was asked, what the reply says, what else is gone. */
export function excusesOf(before: Side, goneUnits: readonly number[], known: Circumstances): Excuses {
  const { asked, isLineElsewhere } = known
  const isGone = new Uint8Array(before.lines.length)
  for (const index of goneUnits) {
    const unit = before.units[index]
    if (unit !== undefined) isGone.fill(1, unit.lead, lastOf(before, unit) + 1)
  }
  for (const { line } of before.imports) isGone.fill(1, line - 1, importRange(before.lines, line - 1))
  let questions = 0
  const isAsked = (text: string): boolean => {
    const [first = ''] = text.match(NAMES) ?? []
    const names = (text.match(NAMES) ?? []).filter(name => !PLAIN_WORD.test(name))
    return [text.replaceAll(/["'`]/g, ''), first, ...names].some(
      name => name !== '' && ++questions < MAX_QUESTIONS && asked.removes(name),
    )
  }
  return {
    mayGo: ({ at, text }) => isGone[at] === 1 || isLineElsewhere(before.lines[at] ?? '') || isAsked(text),
    reworks: asked.reworks || asked.file === 'whole' || asked.removesUnnamed !== 'no',
  }
}
