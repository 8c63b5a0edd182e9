import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { Definition, Outline } from '../../core/outline.ts'
import { hasRowTokens, openPublished } from './catalogue-schema.ts'
import { unpackChunkLines, type ChunkLines } from './chunk-lines.ts'
import { unpackOutline } from '../format/packed-outline.ts'
import { bytesIn, numberIn, packedTextIn, scopeKindIn, textIn } from '../format/row.ts'

/** One indexed file. */
export interface FileRecord {
  repository: string
  path: string
  language: string
  lines: number
  oid: string
}

/** With what leads to its content and chunks, whose ids are `firstChunk` and those that follow. */
export interface IndexedFileRow {
  record: FileRecord
  id: number
  blob: number
  firstChunk: number
  chunks: number
}

/** Names what a file holds, in any generation: the number of a content names another one in the next. */
export const contentKeyOf = ({ oid, language }: Pick<FileRecord, 'oid' | 'language'>): string => `${oid} ${language}`

/** A file with what a new index of it needs. */
export interface StoredFile {
  path: string
  language: string
  oid: string
  text: string
}

/**
 * Reads a published catalogue. Everything is synchronous; a look-up takes some microseconds and reading a file's text
 * about fifty.
 */
export class CatalogueReader implements Disposable {
  readonly #database: DatabaseSync
  readonly #text: StatementSync
  readonly #chunkLines: StatementSync
  readonly #outline: StatementSync
  readonly #rowTokens: StatementSync | null
  readonly #definitions: StatementSync
  readonly #definitionAfter: StatementSync
  readonly #importers: StatementSync
  #files: readonly IndexedFileRow[] | null = null

  constructor(path: string) {
    this.#database = openPublished(path)
    this.#text = this.#database.prepare('SELECT text FROM blobs WHERE id = ?')
    this.#chunkLines = this.#database.prepare('SELECT chunk_lines FROM blobs WHERE id = ?')
    this.#outline = this.#database.prepare('SELECT outline FROM blobs WHERE id = ?')
    this.#rowTokens = hasRowTokens(this.#database)
      ? this.#database.prepare('SELECT row_tokens FROM blobs WHERE id = ?')
      : null
    this.#definitions = this.#database
      .prepare(`SELECT kind, container, repository, path, start_line, end_line FROM definitions
      JOIN files ON files.blob = definitions.blob WHERE name = ? ORDER BY repository, path, start_line LIMIT ?`)
    this.#definitionAfter = this.#database.prepare(
      'SELECT 1 FROM definitions JOIN files ON files.blob = definitions.blob WHERE name = ? LIMIT 1 OFFSET ?',
    )
    this.#importers = this.#database.prepare('SELECT blob FROM imports WHERE key = ? LIMIT ?')
  }

  /** By repository and path; read once. */
  files(): readonly IndexedFileRow[] {
    this.#files ??= this.#database
      .prepare(
        `SELECT files.id AS id, repository, path, files.language AS language, lines, oid, blob, first_chunk, chunks
      FROM files JOIN blobs ON blobs.id = files.blob ORDER BY repository, path`,
      )
      .all()
      .map(row => ({
        record: {
          repository: textIn(row, 'repository'),
          path: textIn(row, 'path'),
          language: textIn(row, 'language'),
          lines: numberIn(row, 'lines'),
          oid: textIn(row, 'oid'),
        },
        id: numberIn(row, 'id'),
        blob: numberIn(row, 'blob'),
        firstChunk: numberIn(row, 'first_chunk'),
        chunks: numberIn(row, 'chunks'),
      }))
    return this.#files
  }

  text(blob: number): string {
    return packedTextIn(this.#text.get(blob) ?? {}, 'text')
  }

  chunkLines(blob: number): ChunkLines[] {
    return unpackChunkLines(bytesIn(this.#chunkLines.get(blob) ?? {}, 'chunk_lines'))
  }

  /** Null where the language has no scanner. */
  outline(blob: number): Outline | null {
    const row = this.#outline.get(blob) ?? {}
    if (row.outline === null) return null
    return unpackOutline(row.outline instanceof Uint8Array ? row.outline : textIn(row, 'outline'))
  }

  /** As it was added with the content; null where nobody counted. */
  rowTokens(blob: number): Uint8Array | null {
    const row = this.#rowTokens?.get(blob) ?? {}
    return row.row_tokens instanceof Uint8Array ? row.row_tokens : null
  }

  /** By repository, path and line. */
  definitionsOf(name: string, limit: number): Definition[] {
    return this.#definitions.all(name, limit).map(row => ({
      name,
      kind: scopeKindIn(row, 'kind'),
      container: row.container === null ? null : textIn(row, 'container'),
      repository: textIn(row, 'repository'),
      path: textIn(row, 'path'),
      startLine: numberIn(row, 'start_line'),
      endLine: numberIn(row, 'end_line'),
    }))
  }

  /**
   * Whether files hold more definitions of a name than this: much quicker than `definitionsOf` where they are many.
   */
  hasMoreDefinitions(name: string, most: number): boolean {
    return this.#definitionAfter.get(name, most) !== undefined
  }

  /** The names of definitions that have so many characters, for a look at them all; some 10 ms for 100,000. */
  definitionNames(atLeast: number, atMost: number): string[] {
    return this.#database
      .prepare('SELECT DISTINCT name FROM definitions WHERE length(name) BETWEEN ? AND ?')
      .all(atLeast, atMost)
      .map(row => textIn(row, 'name'))
  }

  /** Contents that import something which this key stands for. */
  importersBy(key: string, limit: number): number[] {
    return this.#importers.all(key, limit).map(row => numberIn(row, 'blob'))
  }

  [Symbol.dispose](): void {
    this.#database.close()
  }
}

/**
 * The texts of a repository in a catalogue of any format: uses the tables `files` and `blobs` only, which keep their
 * shape in all of them.
 */
export function* readStoredFiles(path: string, repository: string): Generator<StoredFile> {
  const database = openPublished(path)
  try {
    const files = database.prepare(
      `SELECT path, files.language AS language, oid, text
      FROM files JOIN blobs ON blobs.id = files.blob WHERE repository = ? ORDER BY path`,
    )
    for (const row of files.iterate(repository)) {
      yield {
        path: textIn(row, 'path'),
        language: textIn(row, 'language'),
        oid: textIn(row, 'oid'),
        text: packedTextIn(row, 'text'),
      }
    }
  } finally {
    database.close()
  }
}
