import { createHash } from 'node:crypto'
import type { EditMemory, Hunk } from '../edit.ts'
import { FileEdit } from './file-edit.ts'
import { Targets } from './find-target.ts'
import { Folders, parentsOf } from './folders.ts'
import type { Work } from './line-index.ts'
import { Placeholders, type Redact } from './placeholders.ts'

/**
 * Tells the changes of a hunk from any others. Context counts for nothing: a hunk shows more or less of it from turn
 * to turn.
 */
function digest(path: string, { lines }: Hunk): string {
  const changes = lines.filter(({ kind }) => kind !== ' ').map(({ kind, text }) => `${kind}${text.trimEnd()}`)
  return createHash('sha256')
    .update(JSON.stringify([path, ...changes]))
    .digest('base64url')
    .slice(0, 22)
}

/** The files as the edits so far have left them. */
export class Workspace {
  readonly targets: Targets
  readonly work: Work
  readonly placeholders: Placeholders
  readonly #files: ReadonlyMap<string, string>
  readonly #memory: EditMemory
  /** Files that differ from the given ones; null for one that is gone. */
  readonly #state = new Map<string, string | FileEdit | null>()
  readonly #folders: Folders
  /** Digests of the hunks of earlier turns. */
  readonly #known: ReadonlySet<string>
  /** Digests of the hunks of all turns, this one included. */
  readonly #hunks: Set<string>
  readonly #removed: Set<string>

  constructor(
    files: ReadonlyMap<string, string>,
    { memory, work, redact = text => text }: { memory: EditMemory; work: Work; redact?: Redact },
  ) {
    this.#files = files
    this.#memory = memory
    this.work = work
    this.placeholders = new Placeholders(redact, work)
    this.#folders = new Folders(files.keys())
    this.#known = new Set(memory.hunks)
    this.#hunks = new Set(memory.hunks)
    this.#removed = new Set(memory.deleted)
    this.targets = new Targets({
      has: path => this.has(path),
      paths: () => new Set([...files.keys(), ...this.#state.keys()]),
    })
  }

  /**
   * The text of a file; undefined where there is none.
   *
   * @throws {TooMuchWork} where hunks and questions for all of the file take turns: each question puts it together
   * anew.
   */
  read(path: string): string | undefined {
    return this.#textOf(path, edit => edit.read())
  }

  /** The text of a file before the reply; undefined where there was none. */
  original(path: string): string | undefined {
    return this.#files.get(path)
  }

  /** The file for hunks; the same one until the file is written whole. */
  open(path: string): FileEdit {
    const own = this.#state.get(path)
    if (own instanceof FileEdit) return own
    const wasDone = (hunk: Hunk): boolean => this.#known.has(digest(path, hunk))
    const edit = new FileEdit(this.read(path) ?? '', { work: this.work, wasDone })
    this.#state.set(path, edit)
    return edit
  }

  write(path: string, content: string): void {
    this.#state.set(path, content)
    this.#folders.add(path)
  }

  remove(path: string): void {
    this.#state.set(path, null)
    this.#removed.add(path)
  }

  has(path: string): boolean {
    const own = this.#state.get(path)
    return own === undefined ? this.#files.has(path) : own !== null
  }

  isFolder(path: string): boolean {
    return this.#folders.has(path)
  }

  /** Whether a folder of that name, or a file where a folder is needed, is in the way. */
  isBlocked(path: string): boolean {
    return this.#folders.has(path) || parentsOf(path).some(parent => this.has(parent))
  }

  /** Whether this reply, or one of an earlier turn, has deleted the file. */
  wasDeleted(path: string): boolean {
    return this.#removed.has(path)
  }

  /** Remembers a hunk that was applied. */
  remember(path: string, hunk: Hunk): void {
    this.#hunks.add(digest(path, hunk))
  }

  /** The files that differ now, and those that are gone. */
  changes(): { changed: Map<string, string>; deleted: string[] } {
    const changed = new Map<string, string>()
    const deleted: string[] = []
    for (const path of this.#state.keys()) {
      const content = this.#textOf(path, edit => edit.text)
      const before = this.#files.get(path)
      if (content === undefined) {
        if (before !== undefined) deleted.push(path)
      } else if (content !== before) {
        changed.set(path, content)
      }
    }
    return { changed, deleted }
  }

  /** The memory for the next turn. */
  memory(deleted: readonly string[]): EditMemory {
    const gone = new Set([...this.#memory.deleted, ...deleted])
    return { hunks: [...this.#hunks], deleted: [...gone].filter(path => !this.has(path)) }
  }

  #textOf(path: string, render: (edit: FileEdit) => string): string | undefined {
    const own = this.#state.get(path)
    if (own === undefined) return this.#files.get(path)
    if (own === null) return undefined
    return typeof own === 'string' ? own : render(own)
  }
}
