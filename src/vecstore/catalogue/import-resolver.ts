import type { Import } from '../../core/outline.ts'
import { fileKeys, resolveImport } from './import-paths.ts'

/** The files that an import of a file means; none where none of them fits: see `resolveImport`. */
export type ResolveImportIn = (imported: Pick<Import, 'target' | 'names'>, importer: string) => string[]

/** Resolves imports among the paths of one repository. About 5 µs a path at first, then 10 µs an import. */
export function createImportResolver(paths: Iterable<string>): ResolveImportIn {
  const byKey = new Map<string, string[]>()
  for (const path of paths) {
    for (const key of fileKeys(path)) {
      const same = byKey.get(key)
      if (same === undefined) byKey.set(key, [path])
      else same.push(path)
    }
  }
  return (imported, importer) => resolveImport(imported, importer, key => byKey.get(key) ?? [])
}
