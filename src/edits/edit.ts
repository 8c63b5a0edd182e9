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
  /** The first line of the content, where it gives the name: a file that is there and lacks it does not get it. */
  nameLine?: string
  /** The line of the reply at which it begins, from 0: edits are applied in the order of the text. */
  line: number
}

/** One line of a hunk. */
export interface HunkLine {
  kind: ' ' | '+' | '-'
  text: string
  /** The line with its first character: what is meant where the prefix is lost and the line begins with a blank. */
  raw: string
  /** The line ends in `\r\n`, in a reply whose other lines do not. */
  hasCr: boolean
  /** `\ No newline at end of file` follows. */
  noNewline: boolean
}

/** Lines of a file that a diff changes, with the lines around them. */
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
  /** Lines with `+` or `-` follow the end of the hunk, which its counts or a blank line set. */
  spills: boolean
  text: string
}

/** The diff of one file. */
export interface FileDiff {
  /** The first line of the header; '' where the diff begins with a hunk. */
  header: string
  /** As the reply spells it, and safe to write (`core/safe-path.ts`); null for `/dev/null`. */
  oldPath: string | null
  newPath: string | null
  /** The names had `a/` and `b/` before them, which are gone. */
  stripped: boolean
  kind: 'change' | 'create' | 'delete' | 'rename' | 'copy'
  hunks: Hunk[]
  line: number
}

/** The lines of a hunk that the file has before it: context and removed ones. */
export const oldSide = ({ lines }: Pick<Hunk, 'lines'>): HunkLine[] => lines.filter(({ kind }) => kind !== '+')

/** The lines of a hunk that the file has after it: context and added ones. */
export const newSide = ({ lines }: Pick<Hunk, 'lines'>): HunkLine[] => lines.filter(({ kind }) => kind !== '-')

/** Whether a hunk has exactly the lines that its header counts: what follows is then no part of it. */
export function isCountedOut(hunk: Hunk | undefined): boolean {
  if (hunk === undefined) return true
  return oldSide(hunk).length === hunk.oldCount && newSide(hunk).length === hunk.newCount
}

/** Why an edit was rejected. */
export type EditReason = 'not_found' | 'ambiguous' | 'truncated' | 'bad_path' | 'no_such_file' | 'malformed'

/** Lines of a file that look like what a hunk asked for. */
export interface Nearest {
  /** 1-based. */
  startLine: number
  lines: string[]
  /** Share of equal words, in [0, 1]. */
  similarity: number
}

/** An edit that was rejected. */
export interface EditProblem {
  /** As the reply spells it, where it is safe to write; null when no file is named. */
  path: string | null
  hunk: number | null
  reason: EditReason
  /** For the model: what is wrong, and what would be right. */
  detail: string
  hunkText: string
  nearest: Nearest[]
}

/** An edit that was applied, or that the file has already. */
export interface AppliedEdit {
  path: string
  /** Null for a whole file, a deletion or a rename. */
  hunk: number | null
  how: 'applied' | 'already' | 'repeated'
}

/** The edits that earlier turns of a job have applied: plain JSON. */
export interface EditMemory {
  /** Digests of a path and the lines that a hunk removed and added. */
  hunks: string[]
  deleted: string[]
}

/** The edits of a model's reply. */
export interface Reply {
  files: FileBlock[]
  diffs: FileDiff[]
  problems: EditProblem[]
}

/** The problem of a reply as a whole, or of a part of it that is no hunk. */
export function replyProblem(
  reason: EditReason,
  detail: string,
  { path = null, text = '' }: { path?: string | null; text?: string } = {},
): EditProblem {
  return { path, hunk: null, reason, detail, hunkText: text, nearest: [] }
}

/** The problem of a name that no file may be written under. */
export function badPathProblem(name: string, text: string): EditProblem {
  const rule = 'it must be relative, inside the project and outside of .git.'
  return replyProblem('bad_path', `${JSON.stringify(name)} is no path that may be written: ${rule}`, { text })
}
