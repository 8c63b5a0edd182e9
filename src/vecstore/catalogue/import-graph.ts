import { fileKeys, importKeys } from './import-paths.ts'
import { createImportResolver, type ResolveImportIn } from './import-resolver.ts'
import type { Import } from '../../core/outline.ts'
import type { CatalogueReader, FileRecord, IndexedFileRow } from './catalogue-reader.ts'
import type { FileContents } from './file-contents.ts'

const MAX_ANSWERS = 200
/** Importing contents that are looked at for one file. */
const MAX_IMPORTERS = 2_000

function resolversOf(rows: readonly IndexedFileRow[]): Map<string, ResolveImportIn> {
  const byRepository = new Map<string, string[]>()
  for (const {
    record: { repository, path },
  } of rows) {
    const paths = byRepository.get(repository)
    if (paths === undefined) byRepository.set(repository, [path])
    else paths.push(path)
  }
  return new Map([...byRepository].map(([repository, paths]) => [repository, createImportResolver(paths)]))
}

/**
 * Which files of a repository import which, by what the outlines say of imports. Its tables are made when it is first
 * asked.
 */
export class ImportGraph {
  readonly #rows: readonly IndexedFileRow[]
  readonly #catalogue: CatalogueReader
  readonly #contents: FileContents
  /** By repository. */
  #resolvers: Map<string, ResolveImportIn> | null = null
  /** Positions by content. */
  #byBlob: Map<number, number[]> | null = null

  constructor(rows: readonly IndexedFileRow[], catalogue: CatalogueReader, contents: FileContents) {
    this.#rows = rows
    this.#catalogue = catalogue
    this.#contents = contents
  }

  /** Paths of the same repository. */
  importedBy({ record: { repository, path }, blob }: IndexedFileRow): string[] {
    const found = new Set<string>()
    for (const imported of this.#contents.outline(blob)?.imports ?? []) {
      for (const target of this.#resolve(repository, path, imported)) found.add(target)
    }
    return [...found].slice(0, MAX_ANSWERS)
  }

  importersOf(repository: string, path: string): FileRecord[] {
    const keys = new Set(fileKeys(path))
    const blobs = new Set([...keys].flatMap(key => this.#byAge(this.#catalogue.importersBy(key, MAX_IMPORTERS))))
    const found: FileRecord[] = []
    for (const blob of blobs) {
      const imports = (this.#contents.outline(blob)?.imports ?? []).filter(imported =>
        importKeys(imported).some(key => keys.has(key)),
      )
      for (const { record } of this.#rowsWith(blob)) {
        if (found.length >= MAX_ANSWERS) return found
        if (
          record.repository === repository &&
          record.path !== path &&
          imports.some(imported => this.#resolve(repository, record.path, imported).includes(path))
        ) {
          found.push(record)
        }
      }
    }
    return found
  }

  #resolve(repository: string, importer: string, imported: Import): string[] {
    this.#resolvers ??= resolversOf(this.#rows)
    return this.#resolvers.get(repository)?.(imported, importer) ?? []
  }

  /** What came last is last, whatever content it took the number of. */
  #byAge(blobs: readonly number[]): number[] {
    const ageOf = (blob: number) => Math.min(...this.#rowsWith(blob).map(({ firstChunk }) => firstChunk))
    return blobs
      .map(blob => ({ blob, age: ageOf(blob) }))
      .sort((a, b) => a.age - b.age)
      .map(({ blob }) => blob)
  }

  #rowsWith(blob: number): IndexedFileRow[] {
    if (this.#byBlob === null) {
      this.#byBlob = new Map()
      for (const [i, row] of this.#rows.entries()) {
        this.#byBlob.set(row.blob, [...(this.#byBlob.get(row.blob) ?? []), i])
      }
    }
    return (this.#byBlob.get(blob) ?? []).flatMap(i => this.#rows[i] ?? [])
  }
}
