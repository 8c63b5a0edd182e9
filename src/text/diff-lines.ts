const HUNK_HEADER = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/
const FILE_HEADER = /^(?:diff |--- |\+\+\+ )/

/** A line of a unified diff. */
export interface DiffLine {
  /** `file`, `hunk`: a header; `other`: what stands outside of hunks, and notes in them. */
  kind: 'file' | 'hunk' | 'removed' | 'added' | 'same' | 'other'
  /** With its sign. */
  line: string
  /** 1-based, in the file before; null where there is none. */
  oldLine: number | null
  /** 1-based, in the file after; null where there is none. */
  newLine: number | null
}

const KINDS: Readonly<Record<string, 'removed' | 'added' | 'other'>> = { '-': 'removed', '+': 'added', '\\': 'other' }

/**
 * The lines of a unified diff. How many lines a hunk has says its header: in it `--- a` is a line that goes, not the
 * name of a file.
 */
export function diffLines(diff: string): DiffLine[] {
  let [oldLine, newLine, oldLeft, newLeft] = [0, 0, 0, 0]

  function inHunk(line: string): DiffLine {
    const kind = KINDS[line.charAt(0)] ?? 'same'
    const isOld = kind === 'removed' || kind === 'same'
    const isNew = kind === 'added' || kind === 'same'
    const read: DiffLine = { kind, line, oldLine: isOld ? oldLine : null, newLine: isNew ? newLine : null }
    if (isOld) [oldLine, oldLeft] = [oldLine + 1, oldLeft - 1]
    if (isNew) [newLine, newLeft] = [newLine + 1, newLeft - 1]
    return read
  }

  function outside(line: string): DiffLine {
    const none = { line, oldLine: null, newLine: null }
    if (!line.startsWith('@@')) return { kind: FILE_HEADER.test(line) ? 'file' : 'other', ...none }
    const [, oldStart, oldLines, newStart, newLines] = HUNK_HEADER.exec(line) ?? []
    ;[oldLine, newLine] = [Number(oldStart ?? 1), Number(newStart ?? 1)]
    ;[oldLeft, newLeft] = [Number(oldLines ?? 1), Number(newLines ?? 1)]
    return { kind: 'hunk', ...none }
  }

  return diff
    .replace(/\n$/, '')
    .split('\n')
    .map(line => (oldLeft > 0 || newLeft > 0 ? inHunk(line) : outside(line)))
}
