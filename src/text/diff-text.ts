import { diffLines, type DiffLine } from './diff-lines.ts'
import type { Format, Paint } from './paint.ts'
import { printable } from './terminal-text.ts'

const COLORS: Readonly<Partial<Record<DiffLine['kind'], Format>>> = {
  file: 'bold',
  hunk: 'cyan',
  removed: 'red',
  added: 'green',
}

/** A unified diff in the colours of git. Control characters in it are shown, never sent to the terminal. */
export const diffText = (diff: string, paint: Paint): string =>
  diffLines(diff)
    .map(({ kind, line }) => {
      const color = COLORS[kind]
      return color === undefined ? printable(line) : paint(color, printable(line))
    })
    .join('\n')
