import type { Format, Paint } from './paint.ts'
import { printable } from './terminal-text.ts'

const HUNK_HEADER = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/
const FILE_HEADER = /^(?:diff |--- |\+\+\+ )/
const COLORS: Readonly<Record<string, Format>> = { '+': 'green', '-': 'red' }

/** A unified diff in the colours of git. Control characters in it are shown, never sent to the terminal. */
export function diffText(diff: string, paint: Paint): string {
  let [old, fresh] = [0, 0] // lines that the hunk still has: in it `--- a` is a line that goes, not a name
  return diff
    .replace(/\n$/, '')
    .split('\n')
    .map(line => {
      const text = printable(line)
      if (old > 0 || fresh > 0) {
        const kind = line.charAt(0)
        if (kind !== '+' && kind !== '\\') old--
        if (kind !== '-' && kind !== '\\') fresh--
        const color = COLORS[kind]
        return color === undefined ? text : paint(color, text)
      }
      if (!line.startsWith('@@')) return FILE_HEADER.test(line) ? paint('bold', text) : text
      const [, oldLines, newLines] = HUNK_HEADER.exec(line) ?? []
      old = Number(oldLines ?? 1)
      fresh = Number(newLines ?? 1)
      return paint('cyan', text)
    })
    .join('\n')
}
