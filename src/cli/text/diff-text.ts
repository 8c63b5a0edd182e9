import type { Paint } from './output.ts'
import { printable } from './terminal-text.ts'

/** A unified diff with the colours that git gives it. What models and files put into it is shown, not obeyed. */
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
        return kind === '+' ? paint('green', text) : kind === '-' ? paint('red', text) : text
      }
      const [, oldLines, newLines] = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/.exec(line) ?? []
      if (!line.startsWith('@@')) return /^(?:diff |--- |\+\+\+ )/.test(line) ? paint('bold', text) : text
      old = Number(oldLines ?? 1)
      fresh = Number(newLines ?? 1)
      return paint('cyan', text)
    })
    .join('\n')
}
