import { createHash } from 'node:crypto'
import { applyBlock } from './apply-block.ts'
import { applyDiff } from './apply-diff.ts'
import type { EditProblem, FileBlock, FileDiff, Hunk, Reply } from '../edit.ts'
import { FileEdit } from './file-edit.ts'
import { createTargets, type Targets } from './find-target.ts'
import { TooMuchWork, type Work } from './line-index.ts'

/** What was applied in earlier turns of a job: plain JSON. */
export interface EditMemory {
  /** Digests of a path and the lines that a hunk removed and added. */
  hunks: string[]
  deleted: string[]
}

export interface AppliedEdit {
  path: string
  /** Null for a whole file, a deletion or a rename. */
  hunk: number | null
  how: 'applied' | 'already' | 'repeated'
}

export interface EditOutcome {
  /** Files that were made or that differ now; a renamed one under its new path. */
  changed: Map<string, string>
  /** Files that are gone, renamed ones among them. */
  deleted: string[]
  applied: AppliedEdit[]
  /** With the problems of the reply. */
  rejected: EditProblem[]
  /** For the next turn. */
  memory: EditMemory
}

/** The files as the edits so far have left them. */
export interface Workspace {
  /**
   * @throws {TooMuchWork} where hunks and questions for all of the file take turns: each question puts it together
   * anew.
   */
  read: (path: string) => string | undefined
  /** For hunks; the same one until the file is written whole. */
  open: (path: string) => FileEdit
  write: (path: string, content: string) => void
  remove: (path: string) => void
  has: (path: string) => boolean
  isFolder: (path: string) => boolean
  /** Whether a folder of that name, or a file where a folder is needed, is in the way. */
  isBlocked: (path: string) => boolean
  /** By this reply, or in an earlier turn. */
  wasDeleted: (path: string) => boolean
  remember: (path: string, hunk: Hunk) => void
  targets: Targets
  work: Work
}

/**
 * Comparisons of lines allowed for each line of files and reply; a reply that needs more repeats itself for no good.
 */
const WORK_PER_LINE = 200
const WORK_AT_LEAST = 5_000_000

const inOrder = ({ files, diffs }: Reply): Array<FileBlock | FileDiff> =>
  [...files, ...diffs].sort((a, b) => a.line - b.line)

/** How often a reply edits each file otherwise than by a block that says it is a part. */
function editedPaths({ files, diffs }: Reply): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const path of [
    ...new Set(diffs.map(({ oldPath, newPath }) => newPath ?? oldPath ?? '')),
    ...files.filter(({ named }) => named !== 'part').map(({ path }) => path),
  ]) {
    counts.set(path, (counts.get(path) ?? 0) + 1)
  }
  return counts
}

/** The changed lines are what a hunk does; how much context it shows differs from turn to turn. */
function digest(path: string, { lines }: Hunk): string {
  const changes = lines.filter(({ kind }) => kind !== ' ').map(({ kind, text }) => `${kind}${text.trimEnd()}`)
  return createHash('sha256')
    .update(JSON.stringify([path, ...changes]))
    .digest('base64url')
    .slice(0, 22)
}

/** Lines of the files that the diffs name, as far as they are named exactly. */
function linesOf(files: ReadonlyMap<string, string>, { diffs }: Reply): number {
  const paths = new Set(diffs.map(({ oldPath, newPath }) => oldPath ?? newPath ?? ''))
  let lines = 0
  for (const path of paths) lines += (files.get(path)?.length ?? 0) / 20
  return lines
}

function parentsOf(path: string): string[] {
  const parents: string[] = []
  for (let at = path.indexOf('/'); at >= 0; at = path.indexOf('/', at + 1)) parents.push(path.slice(0, at))
  return parents
}

/** The folders that files stand in. */
function createFolders(files: ReadonlyMap<string, string>): {
  has: (path: string) => boolean
  add: (path: string) => void
} {
  let folders: Set<string> | null = null
  const written: string[] = []
  const all = (): Set<string> => {
    folders ??= new Set([...files.keys(), ...written].flatMap(parentsOf))
    return folders
  }
  return {
    has: path => all().has(path),
    add(path) {
      written.push(path)
      for (const parent of folders === null ? [] : parentsOf(path)) folders?.add(parent)
    },
  }
}

/**
 * Applies a reply to files in the order of its text. Pure: nothing is read or written but what is given. Each hunk and
 * each file is applied whole or rejected with its reason; none stops the others.
 *
 * @param memory - Of the turn before, so that what is sent again is not applied again.
 */
export function applyEdits(
  files: ReadonlyMap<string, string>,
  reply: Reply,
  { memory = { hunks: [], deleted: [] } }: { memory?: EditMemory } = {},
): EditOutcome {
  const state = new Map<string, string | FileEdit | null>()
  const hunks = new Set(memory.hunks)
  const known = new Set(memory.hunks)
  const removed = new Set(memory.deleted)
  const size = reply.diffs.reduce(
    (sum, { hunks }) => sum + hunks.reduce((lines, hunk) => lines + hunk.lines.length, 0),
    0,
  )
  const work: Work = { left: WORK_AT_LEAST + WORK_PER_LINE * (size + linesOf(files, reply)) }
  const textOf = (path: string, render: (edit: FileEdit) => string): string | undefined => {
    const own = state.get(path)
    return own === undefined ? files.get(path) : own === null ? undefined : typeof own === 'string' ? own : render(own)
  }
  const read = (path: string): string | undefined => textOf(path, edit => edit.read())
  const has = (path: string): boolean => {
    const own = state.get(path)
    return own === undefined ? files.has(path) : own !== null
  }
  const folders = createFolders(files)
  const workspace: Workspace = {
    read,
    open(path) {
      const own = state.get(path)
      if (own instanceof FileEdit) return own
      const edit = new FileEdit(read(path) ?? '', { work, wasDone: hunk => known.has(digest(path, hunk)) })
      state.set(path, edit)
      return edit
    },
    write: (path, content) => {
      state.set(path, content)
      folders.add(path)
    },
    remove: path => {
      state.set(path, null)
      removed.add(path)
    },
    has,
    isFolder: path => folders.has(path),
    isBlocked: path => folders.has(path) || parentsOf(path).some(has),
    wasDeleted: path => removed.has(path),
    remember: (path, hunk) => hunks.add(digest(path, hunk)),
    targets: createTargets(has, () => new Set([...files.keys(), ...state.keys()])),
    work,
  }

  const applied: AppliedEdit[] = []
  const rejected: EditProblem[] = [...reply.problems]
  const edited = editedPaths(reply)
  let previous: FileDiff | null = null
  for (const edit of inOrder(reply)) {
    try {
      const { applied: own, problems } =
        'content' in edit ? applyBlock(edit, workspace, edited) : applyDiff(edit, workspace, previous)
      for (const edit of own) applied.push(edit)
      for (const problem of problems) rejected.push(problem)
    } catch (error) {
      if (!(error instanceof TooMuchWork)) throw error
      const path = 'content' in edit ? edit.path : (edit.newPath ?? edit.oldPath)
      rejected.push({
        path,
        hunk: null,
        reason: 'malformed',
        detail:
          'The edits of this reply take too much looking through, as if they repeated. Send fewer of them, with more context.',
        hunkText: '',
        nearest: [],
      })
    }
    if ('hunks' in edit) previous = edit
  }

  const changed = new Map<string, string>()
  const deleted: string[] = []
  for (const path of state.keys()) {
    const content = textOf(path, edit => edit.text)
    if (content === undefined) {
      if (files.has(path)) deleted.push(path)
    } else if (content !== files.get(path)) {
      changed.set(path, content)
    }
  }
  const gone = [...new Set([...memory.deleted, ...deleted])].filter(path => !has(path))
  return { changed, deleted, applied, rejected, memory: { hunks: [...hunks], deleted: gone } }
}
