import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { tokenize } from '../core/tokenize.ts'
import { openForBuilding } from './catalogue-schema.ts'
import { asDiskFull } from './disk.ts'
import { bytesIn, numberIn, textIn } from './row.ts'
import { vectorFromBytes, vectorToBytes } from './vector-math.ts'

/** A chunk of a file's text: its lines (1-based, inclusive), where they stand in the text, and its unit vector. */
export interface EmbeddedChunk {
  startLine: number
  endLine: number
  startOffset: number
  endOffset: number
  vector: Float32Array
}

interface NewFile {
  repository: string
  path: string
  language: string
  lines: number
  oid: string
}

/** What is known of a blob's text and vectors already. */
export interface KnownBlob { text: string, lines: number, chunks: EmbeddedChunk[] }

/** Marks rows of files that are gone; no repository has this name. */
const RETIRED = ''

/** Writes one catalogue in a single transaction; `finish` makes it a whole file, `close` before that leaves rubbish to be deleted. */
export class CatalogueWriter implements Disposable {
  readonly #database: DatabaseSync
  readonly #statements = new Map<string, StatementSync>()
  #isOpen = true

  /** @param options.maxPages - Stands in for a small disk in tests. */
  constructor (path: string, { isNew, maxPages }: { isNew: boolean, maxPages?: number }) {
    this.#database = openForBuilding(path, { isNew })
    if (maxPages !== undefined) this.#database.exec(`PRAGMA max_page_count = ${maxPages}`)
  }

  filesOf (repository: string): Map<string, { oid: string, language: string, chunks: number }> {
    const rows = this.#prepare('SELECT path, language, chunks, oid FROM files JOIN blobs ON blobs.id = files.blob WHERE repository = ?').all(repository)
    return new Map(rows.map(row => [textIn(row, 'path'), { oid: textIn(row, 'oid'), language: textIn(row, 'language'), chunks: numberIn(row, 'chunks') }]))
  }

  /**
   * Text, chunks and vectors of a blob that some file of this language, perhaps a retired one, has or had; null when there is none.
   * The language counts because chunk boundaries may depend on it.
   */
  knownBlob (oid: string, language: string): KnownBlob | null {
    const file = this.#prepare('SELECT files.id AS id, lines, text FROM blobs JOIN files ON files.blob = blobs.id WHERE oid = ? AND language = ? LIMIT 1').get(oid, language)
    if (file === undefined) return null
    const rows = this.#prepare(`SELECT start_line, end_line, start_offset, end_offset, vector FROM chunks
      JOIN vectors ON vectors.chunk = chunks.id WHERE file = ? ORDER BY chunk_index`).all(numberIn(file, 'id'))
    const chunks = rows.map(row => ({
      startLine: numberIn(row, 'start_line'),
      endLine: numberIn(row, 'end_line'),
      startOffset: numberIn(row, 'start_offset'),
      endOffset: numberIn(row, 'end_offset'),
      vector: vectorFromBytes(bytesIn(row, 'vector')),
    }))
    return { text: textIn(file, 'text'), lines: numberIn(file, 'lines'), chunks }
  }

  /** Takes a file out of its repository; its rows go with `dropRetired`, until then its blob can still be used again. */
  retire (repository: string, path: string): void {
    this.#prepare('UPDATE files SET repository = ?, path = id WHERE repository = ? AND path = ?').run(RETIRED, repository, path)
  }

  /** @throws {FaultlineError} DISK_FULL */
  addFile (file: NewFile, text: string, chunks: EmbeddedChunk[]): void {
    try {
      this.#insertFile(file, text, chunks)
    } catch (error) {
      throw asDiskFull(error)
    }
  }

  #insertFile (file: NewFile, text: string, chunks: EmbeddedChunk[]): void {
    this.#prepare('INSERT INTO blobs (oid, text) VALUES (?, ?) ON CONFLICT (oid) DO NOTHING').run(file.oid, text)
    const { lastInsertRowid: fileId } = this.#prepare('INSERT INTO files (repository, path, language, lines, chunks, blob) SELECT ?, ?, ?, ?, ?, id FROM blobs WHERE oid = ?')
      .run(file.repository, file.path, file.language, file.lines, chunks.length, file.oid)
    const pathWords = tokenize(file.path).join(' ')
    for (const [index, chunk] of chunks.entries()) {
      const { lastInsertRowid: id } = this.#prepare('INSERT INTO chunks (file, chunk_index, start_line, end_line, start_offset, end_offset) VALUES (?, ?, ?, ?, ?, ?)')
        .run(fileId, index, chunk.startLine, chunk.endLine, chunk.startOffset, chunk.endOffset)
      this.#prepare('INSERT INTO vectors (chunk, vector) VALUES (?, ?)').run(id, vectorToBytes(chunk.vector))
      this.#prepare('INSERT INTO chunk_text (rowid, words, path) VALUES (?, ?, ?)').run(id, tokenize(text.slice(chunk.startOffset, chunk.endOffset)).join(' '), pathWords)
    }
  }

  /** Deletes retired files with all that hangs on them, and blobs that no file has any more. @returns The ids of the chunks that went. */
  dropRetired (): number[] {
    const retired = 'SELECT chunks.id AS id FROM chunks JOIN files ON files.id = chunks.file WHERE repository = ?'
    const ids = this.#prepare(retired).all(RETIRED).map(row => numberIn(row, 'id'))
    for (const id of ids) {
      this.#prepare('DELETE FROM chunk_text WHERE rowid = ?').run(id)
      this.#prepare('DELETE FROM vectors WHERE chunk = ?').run(id)
      this.#prepare('DELETE FROM chunks WHERE id = ?').run(id)
    }
    this.#prepare('DELETE FROM files WHERE repository = ?').run(RETIRED)
    this.#database.exec('DELETE FROM blobs WHERE NOT EXISTS (SELECT 1 FROM files WHERE files.blob = blobs.id)')
    return ids
  }

  lastChunkId (): number {
    return numberIn(this.#prepare('SELECT coalesce(max(seq), 0) AS id FROM sqlite_sequence WHERE name = ?').get('chunks') ?? {}, 'id')
  }

  counts (): { files: number, chunks: number } {
    const row = this.#prepare('SELECT (SELECT count(*) FROM files) AS files, (SELECT count(*) FROM chunks) AS chunks').get() ?? {}
    return { files: numberIn(row, 'files'), chunks: numberIn(row, 'chunks') }
  }

  /** Files by language; of one repository, or of the project. */
  languages (repository: string | null = null): Record<string, number> {
    const rows = this.#prepare('SELECT language, count(*) AS files FROM files WHERE ?1 IS NULL OR repository = ?1 GROUP BY language ORDER BY language').all(repository)
    return Object.fromEntries(rows.map(row => [textIn(row, 'language'), numberIn(row, 'files')]))
  }

  chunksIn (repository: string): number {
    return numberIn(this.#prepare('SELECT coalesce(sum(chunks), 0) AS chunks FROM files WHERE repository = ?').get(repository) ?? {}, 'chunks')
  }

  /** Vectors of the chunks made after chunk `afterId`, in order of their ids. */
  * vectorsAfter (afterId: number): Generator<{ id: number, vector: Float32Array }> {
    for (const row of this.#prepare('SELECT chunk, vector FROM vectors WHERE chunk > ? ORDER BY chunk').iterate(afterId)) {
      yield { id: numberIn(row, 'chunk'), vector: vectorFromBytes(bytesIn(row, 'vector')) }
    }
  }

  /** Commits and closes. The caller syncs the file. */
  finish (): void {
    this.#database.exec('COMMIT')
    const row = this.#database.prepare('SELECT (SELECT freelist_count FROM pragma_freelist_count) AS unused, (SELECT page_count FROM pragma_page_count) AS pages').get() ?? {}
    if (numberIn(row, 'unused') * 4 > numberIn(row, 'pages')) this.#database.exec('VACUUM')
    this[Symbol.dispose]()
  }

  [Symbol.dispose] (): void {
    if (!this.#isOpen) return
    this.#isOpen = false
    this.#database.close()
  }

  #prepare (sql: string): StatementSync {
    const known = this.#statements.get(sql)
    if (known !== undefined) return known
    const statement = this.#database.prepare(sql)
    this.#statements.set(sql, statement)
    return statement
  }
}
