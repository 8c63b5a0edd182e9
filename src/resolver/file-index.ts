/** A file of a project, as the store's catalogue lists it. */
export interface IndexedFile {
  repository: string
  path: string
}

/** Where names from traces are looked up. A path from a trace is only ever compared, never opened. */
export interface FileIndex {
  at: (path: string) => readonly IndexedFile[]
  named: (baseName: string) => readonly IndexedFile[]
}

const cache = new WeakMap<readonly IndexedFile[], FileIndex>()

/** Builds the look-up tables over a list of files, once per list (the store gives the same array for a generation). */
export function fileIndexOf (files: readonly IndexedFile[]): FileIndex {
  const known = cache.get(files)
  if (known !== undefined) return known
  const byPath = new Map<string, IndexedFile[]>()
  const byName = new Map<string, IndexedFile[]>()
  for (const file of files) {
    add(byPath, file.path, file)
    add(byName, baseName(file.path).toLowerCase(), file)
  }
  const index: FileIndex = {
    at: path => byPath.get(path) ?? [],
    named: name => byName.get(name.toLowerCase()) ?? [],
  }
  cache.set(files, index)
  return index
}

function add (map: Map<string, IndexedFile[]>, key: string, file: IndexedFile): void {
  const list = map.get(key)
  if (list === undefined) map.set(key, [file])
  else list.push(file)
}

export const baseName = (path: string): string => path.slice(path.lastIndexOf('/') + 1)
