/** A file that a reply gives whole. */
export interface FileBlock {
  path: string
  /** Every line ends in `\n`; empty for an empty block. */
  content: string
  /**
   * `line`: nothing but the name stands above the fence, or the fence names it. `sentence`: the name was quoted in a
   * sentence, which may as well announce an excerpt; `part`: in one that does so, as far as can be told.
   */
  named: 'line' | 'sentence' | 'part'
  /** Where it begins in the reply, from 0: edits are applied in the order of the text. */
  line: number
}

export interface HunkLine {
  kind: ' ' | '+' | '-'
  text: string
  /** The line with its first character: what was meant when the prefix is lost and the line begins with a blank. */
  raw: string
  /** Ended `\r\n` in a reply whose other lines do not. */
  hasCr: boolean
  /** `\ No newline at end of file` follows. */
  noNewline: boolean
}

export interface Hunk {
  /** From 1 within its file's diff. */
  number: number
  /** Hints only; null where the header has none. */
  oldStart: number | null
  oldCount: number | null
  newCount: number | null
  lines: HunkLine[]
  /** Lines at the end that may be prose after the hunk. */
  doubtfulTail: number
  /** Lines with `+` or `-` follow where its counts, or a blank line, end it. */
  spills: boolean
  text: string
}

export interface FileDiff {
  /** The first line of it that is no hunk; '' where it begins with one. */
  header: string
  /** As the reply spells it, past the gate; null for `/dev/null`. */
  oldPath: string | null
  newPath: string | null
  /** The names had `a/` and `b/` before them, which are gone. */
  stripped: boolean
  kind: 'change' | 'create' | 'delete' | 'rename' | 'copy'
  hunks: Hunk[]
  line: number
}

/** Whether a hunk has just the lines that its header counts: then what follows is none of it. */
export function isCountedOut(hunk: Hunk | undefined): boolean {
  return (
    hunk === undefined ||
    (hunk.lines.filter(({ kind }) => kind !== '+').length === hunk.oldCount &&
      hunk.lines.filter(({ kind }) => kind !== '-').length === hunk.newCount)
  )
}

export type EditReason = 'not_found' | 'ambiguous' | 'truncated' | 'bad_path' | 'no_such_file' | 'malformed'

/** Lines of a file that look like what a hunk asked for. */
export interface Nearest {
  /** 1-based. */
  startLine: number
  lines: string[]
  /** Share of equal words, in [0, 1]. */
  similarity: number
}

export interface EditProblem {
  /** As the reply spells it, where the gate lets it pass; null when no file is named. */
  path: string | null
  hunk: number | null
  reason: EditReason
  /** For the model: what is wrong, and what would be right. */
  detail: string
  hunkText: string
  nearest: Nearest[]
}

export interface Reply {
  files: FileBlock[]
  diffs: FileDiff[]
  problems: EditProblem[]
}

/** A problem of a reply, or of a part of it that is no hunk. */
export function replyProblem(
  reason: EditReason,
  detail: string,
  { path = null, text = '' }: { path?: string | null; text?: string } = {},
): EditProblem {
  return { path, hunk: null, reason, detail, hunkText: text, nearest: [] }
}
