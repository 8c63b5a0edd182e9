/** A file of a project, as the store's catalogue lists it. */
export interface IndexedFile {
  repository: string
  path: string
}

/** A file with its path taken apart, since one trace may compare it a thousand times. */
export interface IndexedName {
  file: IndexedFile
  segments: readonly string[]
}

/** Where names from traces are looked up. A path from a trace is only ever compared, never opened. */
export interface FileIndex {
  /** Files with this base name, in any case; the shallow ones first. */
  named: (baseName: string) => readonly IndexedName[]
}

const cache = new WeakMap<readonly IndexedFile[], FileIndex>()

/** Builds the look-up tables over a list of files, once per list (the store gives the same array for a generation). */
export function fileIndexOf (files: readonly IndexedFile[]): FileIndex {
  const known = cache.get(files)
  if (known !== undefined) return known
  const byName = new Map<string, IndexedName[]>()
  for (const file of files) {
    const name = baseName(file.path).toLowerCase()
    const entry = { file, segments: file.path.split('/') }
    const list = byName.get(name)
    if (list === undefined) byName.set(name, [entry])
    else list.push(entry)
  }
  for (const list of byName.values()) list.sort((a, b) => a.segments.length - b.segments.length || (a.file.path < b.file.path ? -1 : a.file.path > b.file.path ? 1 : 0))
  const index: FileIndex = { named: name => byName.get(name.toLowerCase()) ?? [] }
  cache.set(files, index)
  return index
}

export const baseName = (path: string): string => path.slice(path.lastIndexOf('/') + 1)
