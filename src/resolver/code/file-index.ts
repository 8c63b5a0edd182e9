import { baseName } from '../../core/path-names.ts'

/** A file of a project, as the store's catalogue lists it. */
export interface IndexedFile {
  repository: string
  path: string
  /** Id of the content, where it is known: equal ids mean equal texts. */
  oid?: string
}

/** A file with its path taken apart, because one trace may compare it a thousand times. */
export interface IndexedName {
  file: IndexedFile
  segments: readonly string[]
}

/** Look-up of files by the names in traces. A path from a trace is only ever compared, never opened. */
export interface FileIndex {
  /** Files with this base name, in any case; the shallow ones first. */
  named: (baseName: string) => readonly IndexedName[]
  /** Files whose base name without its endings is this, in any case; the shallow ones first. */
  stemmed: (stem: string) => readonly IndexedName[]
  /** The file at exactly this path; where several repositories have it, the first one's. */
  at: (path: string, repository?: string) => IndexedFile | null
}

const cache = new WeakMap<readonly IndexedFile[], FileIndex>()

function lazily<T>(make: () => T): () => T {
  let made: { value: T } | null = null
  return () => (made ??= { value: make() }).value
}

function byPath(a: IndexedFile, b: IndexedFile): number {
  if (a.path === b.path) return 0
  return a.path < b.path ? -1 : 1
}

function grouped(files: readonly IndexedFile[], keyOf: (file: IndexedFile) => string): Map<string, IndexedName[]> {
  const groups = new Map<string, IndexedName[]>()
  for (const file of files) {
    const entry = { file, segments: file.path.split('/') }
    const key = keyOf(file)
    const list = groups.get(key)
    if (list === undefined) groups.set(key, [entry])
    else list.push(entry)
  }
  for (const list of groups.values()) {
    list.sort((a, b) => a.segments.length - b.segments.length || byPath(a.file, b.file))
  }
  return groups
}

/** A base name without its extensions; a leading dot does not start one. */
export function stemOf(name: string): string {
  const dot = name.indexOf('.', 1)
  return dot === -1 ? name : name.slice(0, dot)
}

/** Builds the look-up tables over a list of files, once per list (the store gives the same array for a generation). */
export function fileIndexOf(files: readonly IndexedFile[]): FileIndex {
  const known = cache.get(files)
  if (known !== undefined) return known
  const byName = lazily(() => grouped(files, file => baseName(file.path).toLowerCase()))
  const byStem = lazily(() => grouped(files, file => stemOf(baseName(file.path)).toLowerCase()))
  const filesAt = lazily(() => Map.groupBy(files, file => file.path))
  const index: FileIndex = {
    named: name => byName().get(name.toLowerCase()) ?? [],
    stemmed: stem => byStem().get(stem.toLowerCase()) ?? [],
    at: (path, repository) =>
      filesAt()
        .get(path)
        ?.find(file => repository === undefined || file.repository === repository) ?? null,
  }
  cache.set(files, index)
  return index
}
