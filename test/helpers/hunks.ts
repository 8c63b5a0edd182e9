import type { Hunk, HunkLine } from '../../src/edits/edit.ts'

function lineOf(raw: string): HunkLine {
  const [first] = raw
  const kind = first === '+' || first === '-' ? first : ' '
  return { kind, text: raw.slice(1), raw, hasCr: false, noNewline: false }
}

/** A hunk of these lines, with their prefixes; `counts` as its header has them, of the old side and of the new one. */
export function hunkOf(lines: readonly string[], counts: readonly [number, number] | null = null): Hunk {
  return {
    number: 1,
    oldStart: null,
    oldCount: counts?.[0] ?? null,
    newCount: counts?.[1] ?? null,
    lines: lines.map(lineOf),
    doubtfulTail: 0,
    spills: false,
    text: ['@@', ...lines].join('\n'),
  }
}
