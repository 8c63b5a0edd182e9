import type { RawFrame } from '../../failures.ts'
import { newFrame } from '../../frames.ts'

const ROW = /^\s{0,12}(\d{1,5}): {1,30}(?:(0x[0-9a-f]{1,16}) - )?(\S.*)$/
const PLACE = /^at (\S.*?):(\d{1,9})(?::(\d{1,9}))?$/
const HASH = /::h[0-9a-f]{16}$/
const CRATE_HASH = /\[[0-9a-f]{12,16}\]/g

/** A row of a backtrace that names a function: ` 6: kiosk::cart::Cart::price`. */
interface RustRow {
  number: number
  raw: string
  function: string | null
  hasAddress: boolean
}

function openingBracket(name: string): number {
  let depth = 0
  for (let at = name.length - 1; at >= 0; at--) {
    const character = name[at]
    if (character === '>' && name[at - 1] !== '-' && name[at - 1] !== '=') depth++
    else if (character === '<' && --depth === 0) return at
  }
  return -1
}

/**
 * A name without the compiler's hashes and without type arguments at its end, so that it ends with what the source
 * calls it.
 */
function functionName(printed: string): string {
  const name = printed.replace(HASH, '').replace(CRATE_HASH, '')
  if (!name.endsWith('>')) return name
  const open = openingBracket(name)
  return open > 2 && name.slice(open - 2, open) === '::' && !name.startsWith('impl ', open + 1)
    ? name.slice(0, open - 2)
    : name
}

/** A numbered row of a backtrace; null for another line. */
export function rustRow(line: string): RustRow | null {
  const match = ROW.exec(line)
  if (match === null) return null
  const name = match[3] ?? ''
  return {
    number: Number(match[1]),
    raw: line.trim(),
    function: name === '<unknown>' ? null : functionName(name),
    hasAddress: match[2] !== undefined,
  }
}

/** `at ./src/cart.rs:16:20`, which stands below the function. */
export function rustPlace(line: string): Pick<RawFrame, 'file' | 'line' | 'column'> | null {
  const match = PLACE.exec(line.trim())
  if (match === null) return null
  const [, file = null, number, column] = match
  return { file, line: Number(number), column: column === undefined ? null : Number(column) }
}

/** The frame of a row, with the place that stands below it where one does. */
export function rustFrame(
  row: RustRow,
  place: { text: string; at: Pick<RawFrame, 'file' | 'line' | 'column'> } | null,
): RawFrame {
  return newFrame(place === null ? row.raw : `${row.raw} ${place.text}`, { function: row.function, ...place?.at })
}
