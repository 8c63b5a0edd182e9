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
  /** The reply says that it is a new file. */
  isNew?: boolean
  /** It goes behind what the file has. */
  isAppended?: boolean
  /** The name stands with numbers of lines: they are those of a file that is there. */
  isOfLines?: boolean
  /** The words above say that what came before it in the reply is wrong. */
  isCorrection?: boolean
  /** The sentence above shows it as what there is, and speaks of no change. */
  isShown?: boolean
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
  /**
   * As the reply spells it, and safe to write (`core/safe-path.ts`); null for `/dev/null`. Both are null for a block of
   * SEARCH and REPLACE that names no file.
   */
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

/** Why a block is no part of any file. */
export type AsideReason = 'command' | 'example' | 'output' | 'listing'

/** A block of a reply, or lines outside of blocks that look like an edit, and what they were read as. */
export interface Region {
  /** Its first and its last line, from 0; for a block those of its fences. */
  from: number
  to: number
  /** `unplaced`: it may be an edit, and nothing says of which file. */
  as: 'edit' | 'problem' | 'unplaced' | AsideReason
}

/** Lines that may be an edit of a file that nobody names. */
export interface Unplaced {
  line: number
  lines: string[]
}

/** A block below a word that is its name only where a file is called so. */
export interface Perhaps {
  file: FileBlock
  /** The word or the block may as well be something else: it is the file where it is a version of that one. */
  isDoubtful: boolean
  /** What it is where there is no such file; null for what belongs in none. */
  otherwise: Unplaced | null
}

/** What a model says to have left out of a file on purpose, by a name or by a line of it. */
export interface Removal {
  path: string
  what: string
}

/** A file that the prose or a command of a reply says is to be deleted, or to have another name. */
export interface ToldDeletion {
  path: string
  /** The line that says so. */
  text: string
}

/** The edits of a reply, and an account of all that looks like one. */
export interface ReadReply extends Reply {
  /** Each block is in exactly one of them. */
  regions: Region[]
  unplaced: Unplaced[]
  perhaps: Perhaps[]
  /** How often it says NOT A FILE on a line of its own, outside of blocks and edits. */
  notFiles: number
  /** What it says to have left out of files on purpose, on lines of their own, outside of blocks and edits. */
  removals: Removal[]
  /** What it says outside of edits of files that are to go. */
  deletions: ToldDeletion[]
  /** Files that stay, by lines `KEPT path`, whatever else seems to be said of them. */
  kept: string[]
  /** What it says in words, outside of blocks, edits and thoughts. */
  prose: string
}

/** The problem of a reply as a whole, or of a part of it that is no hunk. */
export function replyProblem(
  reason: EditReason,
  detail: string,
  { path = null, text = '' }: { path?: string | null; text?: string } = {},
): EditProblem {
  return { path, hunk: null, reason, detail, hunkText: text, nearest: [] }
}

const toldDetail = (path: string): string =>
  `The reply says that ${path} is to be deleted or to have another name, and no edit does so. ` +
  'Send a diff of it that ends with "+++ /dev/null", or one that renames it. ' +
  `If it is to stay, write KEPT ${path} on a line of its own.`

/** The problem of a file that is said to go, and that nothing takes away. */
export const deletionProblem = (path: string, text: string): EditProblem =>
  replyProblem('malformed', toldDetail(path), { path, text })

/** Whether a problem is that of a file that is said to go. */
export const isDeletion = ({ path, detail }: EditProblem): boolean => path !== null && detail === toldDetail(path)

/** What is said of a block that nobody can place. */
const UNPLACED =
  'Nothing says which file this belongs to. Send it again with the name of the file alone on the line above the ' +
  'fence, or as a unified diff. If it belongs in no file, write NOT A FILE on a line of its own.'

/** The problem of lines that may be an edit of a file that nobody names. */
export const unplacedProblem = ({ lines }: Unplaced): EditProblem =>
  replyProblem('malformed', UNPLACED, { text: lines.slice(0, 40).join('\n') })

/** Whether a problem is that of lines which nobody can place. */
export const isUnplaced = ({ detail }: Pick<EditProblem, 'detail'>): boolean => detail === UNPLACED

/** The problem of a name that no file may be written under. */
export function badPathProblem(name: string, text: string): EditProblem {
  const rule = 'it must be relative, inside the project and outside of .git.'
  return replyProblem('bad_path', `${JSON.stringify(name)} is no path that may be written: ${rule}`, { text })
}
