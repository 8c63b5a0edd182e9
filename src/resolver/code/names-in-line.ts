import { CLASS_OF, SEPARATOR } from '../../core/tokenize.ts'

const NAME = /[\p{L}_$][\p{L}\p{N}_$]*/gu
const LAST_ASCII = 127
const ZERO = 48
const NINE = 57

function isAscii(line: string, length: number): boolean {
  for (let i = 0; i < length; i++) if (line.charCodeAt(i) > LAST_ASCII) return false
  return true
}

/**
 * Calls back for each name at the beginning of a line, with the position behind it; digits do not begin a name. A
 * third of the time of a regular expression, which only lines beyond ASCII need.
 *
 * @param length - The characters that are looked at.
 */
export function eachName(line: string, length: number, visit: (name: string, end: number) => void): void {
  const most = Math.min(line.length, length)
  if (!isAscii(line, most)) {
    for (const { 0: name, index } of line.slice(0, most).matchAll(NAME)) visit(name, index + name.length)
    return
  }
  let start = -1
  for (let i = 0; i < most; i++) {
    const code = line.charCodeAt(i)
    if (CLASS_OF[code] === SEPARATOR) {
      if (start >= 0) visit(line.slice(start, i), i)
      start = -1
    } else if (start < 0 && !(code >= ZERO && code <= NINE)) start = i
  }
  if (start >= 0) visit(line.slice(start, most), most)
}
