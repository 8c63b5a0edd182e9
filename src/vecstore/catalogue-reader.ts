import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { Chunk } from '../core/chunk.ts'
import { openPublished } from './catalogue-schema.ts'
import { FullText, type TextMatch } from './full-text.ts'
import { bytesIn, numberIn, textIn, type Row } from './row.ts'
import { vectorFromBytes } from './vector-math.ts'

/** One indexed file. */
export interface FileRecord { repository: string, path: string, language: string, lines: number, oid: string }

/** A file with what a new index of it needs. */
export interface StoredFile { path: string, language: string, oid: string, text: string }

const CHUNK = `SELECT repository, path, chunk_index, chunks AS total, start_line, end_line, start_offset, end_offset, blob
  FROM chunks JOIN files ON files.id = chunks.file`

/** Reads a published catalogue. Everything is synchronous; a look-up takes some microseconds and reading a file's text some ten. */
export class CatalogueReader implements Disposable {
  readonly #database: DatabaseSync
  readonly #chunkById: StatementSync
  readonly #chunksOfFile: StatementSync
  readonly #textOfFile: StatementSync
  readonly #textOfBlob: StatementSync
  #fullText: FullText | null = null
  #files: readonly FileRecord[] | null = null

  constructor (path: string) {
    this.#database = openPublished(path)
    this.#chunkById = this.#database.prepare(`${CHUNK} WHERE chunks.id = ?`)
    this.#chunksOfFile = this.#database.prepare(`${CHUNK} WHERE repository = ? AND path = ? ORDER BY chunk_index`)
    this.#textOfFile = this.#database.prepare('SELECT text FROM files JOIN blobs ON blobs.id = files.blob WHERE repository = ? AND path = ?')
    this.#textOfBlob = this.#database.prepare('SELECT text FROM blobs WHERE id = ?')
  }

  /** By repository and path. */
  files (): readonly FileRecord[] {
    this.#files ??= this.#database.prepare('SELECT repository, path, language, lines, oid FROM files JOIN blobs ON blobs.id = files.blob ORDER BY repository, path').all().map(row => ({
      repository: textIn(row, 'repository'),
      path: textIn(row, 'path'),
      language: textIn(row, 'language'),
      lines: numberIn(row, 'lines'),
      oid: textIn(row, 'oid'),
    }))
    return this.#files
  }

  fileText (repository: string, path: string): string | null {
    const row = this.#textOfFile.get(repository, path)
    return row === undefined ? null : textIn(row, 'text')
  }

  chunksOf (repository: string, path: string): Chunk[] {
    return this.#withTexts(this.#chunksOfFile.all(repository, path))
  }

  /** The chunks with these ids, by id; one that is not there is left out. */
  chunks (ids: number[]): Map<number, Chunk> {
    const found: Array<[number, Row]> = ids.flatMap((id) => {
      const row = this.#chunkById.get(id)
      return row === undefined ? [] : [[id, row]]
    })
    const chunks = this.#withTexts(found.map(([, row]) => row))
    return new Map(found.flatMap(([id], i) => chunks[i] === undefined ? [] : [[id, chunks[i]]]))
  }

  searchText (query: string, k: number): TextMatch[] {
    this.#fullText ??= new FullText(this.#database)
    return this.#fullText.search(query, k)
  }

  countChunks (): number {
    return numberIn(this.#database.prepare('SELECT count(*) AS count FROM chunks').get() ?? {}, 'count')
  }

  /** Uses the tables `files` and `blobs` only, which keep their shape in all formats. */
  * storedFiles (repository: string): Generator<StoredFile> {
    for (const row of this.#database.prepare('SELECT path, language, oid, text FROM files JOIN blobs ON blobs.id = files.blob WHERE repository = ? ORDER BY path').iterate(repository)) {
      yield { path: textIn(row, 'path'), language: textIn(row, 'language'), oid: textIn(row, 'oid'), text: textIn(row, 'text') }
    }
  }

  * vectors (): Generator<{ id: number, vector: Float32Array }> {
    for (const row of this.#database.prepare('SELECT chunk, vector FROM vectors ORDER BY chunk').iterate()) {
      yield { id: numberIn(row, 'chunk'), vector: vectorFromBytes(bytesIn(row, 'vector')) }
    }
  }

  [Symbol.dispose] (): void {
    this.#database.close()
  }

  /** Reads each text once for all its chunks. */
  #withTexts (rows: Row[]): Chunk[] {
    const texts = new Map<number, string>()
    return rows.map((row) => {
      const blob = numberIn(row, 'blob')
      const text = texts.get(blob) ?? textIn(this.#textOfBlob.get(blob) ?? {}, 'text')
      texts.set(blob, text)
      return {
        repository: textIn(row, 'repository'),
        path: textIn(row, 'path'),
        chunkIndex: numberIn(row, 'chunk_index'),
        totalChunks: numberIn(row, 'total'),
        startLine: numberIn(row, 'start_line'),
        endLine: numberIn(row, 'end_line'),
        text: text.slice(numberIn(row, 'start_offset'), numberIn(row, 'end_offset')),
      }
    })
  }
}
