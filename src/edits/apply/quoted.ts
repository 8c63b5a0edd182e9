import { indentOf } from '../text/indentation.ts'
import { isGap } from '../text/ellipsis.ts'

const isFilled = (line: string): boolean => line.trim() !== ''

/** Lines without blank ones, and without the indentation that all of them have. */
function dedented(lines: readonly string[]): string[] {
  const filled = lines.filter(isFilled).map(line => line.trimEnd())
  const least = Math.min(...filled.map(line => indentOf(line).length))
  return filled.map(line => line.slice(least))
}

/** The parts of an excerpt between lines that stand for left out ones. */
function partsOf(lines: readonly string[]): string[][] {
  const parts: string[][] = [[]]
  for (const line of lines) {
    if (isGap(line)) parts.push([])
    else parts.at(-1)?.push(line)
  }
  return parts.filter(part => part.some(isFilled))
}

/** Whether a text has these lines one after the other, blank ones apart, all at the same distance from the margin. */
function holdsPart(filled: readonly string[], part: readonly string[]): boolean {
  const wanted = dedented(part)
  const bare = wanted.map(line => line.trim())
  for (let at = 0; at + wanted.length <= filled.length; at++) {
    if (!bare.every((line, i) => filled[at + i]?.trim() === line)) continue
    const own = dedented(filled.slice(at, at + wanted.length))
    if (own.every((line, i) => line === wanted[i])) return true
  }
  return false
}

/** Whether lines are a quote of one of the texts, perhaps with gaps: they stand there as they are. */
export function isQuoted(lines: readonly string[], texts: Iterable<string>): boolean {
  const parts = partsOf(lines)
  if (parts.length === 0) return true
  for (const text of texts) {
    const filled = text.split('\n').filter(isFilled)
    if (parts.every(part => holdsPart(filled, part))) return true
  }
  return false
}
