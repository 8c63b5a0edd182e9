import { lineAt } from '../lines.ts'

const NUMBER = /^(\d{1,6}):(?: |$)/
const MIN_LINES = 3 // one number before so many lines in a row: a listing would count

function numberOf(line = ''): string | null {
  const first = line.charCodeAt(0) // not a number where the line is empty
  if (!(first >= 48 && first <= 57)) return null
  return NUMBER.exec(line)?.[1] ?? null
}

/** Takes off the number of the test that CTest puts before each line of its output (`59:     #0 0x48cf7c in run`). */
export function dropTestNumbers(lines: string[]): void {
  for (let first = 0; first < lines.length; first++) {
    const prefix = numberOf(lines[first])
    if (prefix === null) continue
    let next = first + 1
    while (numberOf(lines[next]) === prefix) next++
    if (next - first >= MIN_LINES) {
      for (let at = first; at < next; at++) lines[at] = lineAt(lines, at).slice(prefix.length + 2)
    }
    first = next - 1
  }
}
