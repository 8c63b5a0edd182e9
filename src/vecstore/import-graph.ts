import { fileKeys, resolveImport } from '../core/import-paths.ts'
import type { CatalogueReader, FileRecord, IndexedFileRow } from './catalogue-reader.ts'

/** Importing contents that are looked at for one file. */
const MAX_IMPORTERS = 2_000

/** Which files of a generation import which. What it looks things up by is made when it is first asked. */
export class ImportGraph {
  readonly #rows: readonly IndexedFileRow[]
  readonly #catalogue: CatalogueReader
  /** Paths by repository and `fileKeys` key; files by content. */
  #byKey: Map<string, Map<string, string[]>> | null = null
  #byBlob: Map<number, IndexedFileRow[]> | null = null

  constructor (rows: readonly IndexedFileRow[], catalogue: CatalogueReader) {
    this.#rows = rows
    this.#catalogue = catalogue
  }

  /** Paths of the same repository that a file imports. */
  importsOf ({ record: { repository, path }, blob }: IndexedFileRow): Set<string> {
    const found = new Set<string>()
    for (const imported of this.#catalogue.outline(blob)?.imports ?? []) {
      for (const target of resolveImport(imported, path, key => this.#pathsBy(repository, key))) found.add(target)
    }
    return found
  }

  /** Files of the same repository that import this one. */
  importersOf (repository: string, path: string, most: number): FileRecord[] {
    const blobs = new Set(fileKeys(path).flatMap(key => this.#catalogue.importersBy(key, MAX_IMPORTERS)))
    const found: FileRecord[] = []
    for (const blob of blobs) {
      const imports = this.#catalogue.outline(blob)?.imports ?? []
      for (const { record } of this.#rowsWith(blob)) {
        if (found.length >= most) return found
        if (record.repository === repository && record.path !== path && imports.some(imported => resolveImport(imported, record.path, key => this.#pathsBy(repository, key)).includes(path))) found.push(record)
      }
    }
    return found
  }

  #pathsBy (repository: string, key: string): readonly string[] {
    this.#byKey ??= keysOf(this.#rows)
    return this.#byKey.get(repository)?.get(key) ?? []
  }

  #rowsWith (blob: number): readonly IndexedFileRow[] {
    this.#byBlob ??= Map.groupBy(this.#rows, row => row.blob)
    return this.#byBlob.get(blob) ?? []
  }
}

function keysOf (files: readonly IndexedFileRow[]): Map<string, Map<string, string[]>> {
  const byRepository = new Map<string, Map<string, string[]>>()
  for (const { record: { repository, path } } of files) {
    const byKey = byRepository.get(repository) ?? new Map<string, string[]>()
    byRepository.set(repository, byKey)
    for (const key of fileKeys(path)) {
      const paths = byKey.get(key)
      if (paths === undefined) byKey.set(key, [path])
      else paths.push(path)
    }
  }
  return byRepository
}
