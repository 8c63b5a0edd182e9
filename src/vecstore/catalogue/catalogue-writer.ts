import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { Outline } from '../../core/outline.ts'
import { indexForDeleting, openForBuilding } from './catalogue-schema.ts'
import { packChunkLines, unpackChunkLines, type ChunkLines } from './chunk-lines.ts'
import { asDiskFull } from '../format/full-disk.ts'
import { packContent, type PackedContent } from '../format/packed-content.ts'
import { NameRows, type NamesOfContent } from './name-rows.ts'
import { noRowTokens, type CountedRows } from './row-tokens.ts'
import { bytesIn, numberIn, packedTextIn, scopeKindIn, textIn } from '../format/row.ts'

/** A file to be indexed. */
export interface NewFile {
  repository: string
  path: string
  language: string
  lines: number
  oid: string
}

/** What follows from a content and its language. */
export interface BlobContent {
  text: string
  chunks: ChunkLines[]
  /** Null where the language has no scanner. */
  outline: Outline | null
  /**
   * Tokens of each line, as the resolver counts them; what is in it is for the resolver alone. Null where nobody
   * counted; `later` leaves room for them.
   */
  rowTokens?: Uint8Array | 'later' | null
  /** Text and outline as they are stored, where that was made already. */
  packed?: PackedContent
}

/** A file of the index: its chunks are numbered from `firstChunk` on. */
interface CatalogueFile {
  id: number
  path: string
  blob: number
  firstChunk: number
  chunks: number
}

/** Marks rows of files that are gone; no repository has this name. */
const RETIRED = ''
/** The counter of contents with room for tokens that nobody has counted yet. */
const UNCOUNTED = 'uncounted'

const placeOf = (repository: string, path: string): string => `${repository}\n${path}`

/**
 * Writes one catalogue in a single transaction; `finish` makes it a whole file, `close` before that leaves rubbish to
 * be deleted.
 */
export class CatalogueWriter implements Disposable {
  readonly #database: DatabaseSync
  readonly #statements = new Map<string, StatementSync>()
  readonly #names = new NameRows()
  /** Contents that retired files had, by repository and path. */
  readonly #retired = new Map<string, number>()
  /** Contents whose names this build wrote, or holds back. */
  readonly #written = new Set<number>()
  #lastChunk: number
  #lastFile: number
  #uncounted: number
  #isOpen = true

  /** @param options.maxPages - Stands in for a small disk in tests. */
  constructor(path: string, { isNew, maxPages }: { isNew: boolean; maxPages?: number }) {
    this.#database = openForBuilding(path, { isNew })
    if (maxPages !== undefined) this.#database.exec(`PRAGMA max_page_count = ${maxPages}`)
    this.#lastChunk = this.#counter('chunk')
    this.#lastFile = this.#counter('file')
    this.#uncounted = this.#counter(UNCOUNTED)
  }

  /** The highest chunk id given so far. */
  get lastChunkId(): number {
    return this.#lastChunk
  }

  /** Whether contents were added whose tokens are still to be counted. */
  get hasUncounted(): boolean {
    return this.#uncounted > 0
  }

  filesOf(repository: string): Map<string, { oid: string; language: string; chunks: number }> {
    const rows = this.#prepare(
      `SELECT path, files.language AS language, chunks, oid
      FROM files JOIN blobs ON blobs.id = files.blob WHERE repository = ?`,
    ).all(repository)
    return new Map(
      rows.map(row => [
        textIn(row, 'path'),
        { oid: textIn(row, 'oid'), language: textIn(row, 'language'), chunks: numberIn(row, 'chunks') },
      ]),
    )
  }

  /**
   * What is known of a content in this language, from a file that is or was there; null when nothing is. Outline and
   * tokens are left out: `addFile` keeps them.
   */
  knownBlob(oid: string, language: string): (BlobContent & { lines: number }) | null {
    const row = this.#prepare('SELECT text, chunk_lines FROM blobs WHERE oid = ? AND language = ?').get(oid, language)
    if (row === undefined) return null
    const chunks = unpackChunkLines(bytesIn(row, 'chunk_lines'))
    return { text: packedTextIn(row, 'text'), chunks, lines: chunks.at(-1)?.endLine ?? 0, outline: null }
  }

  /**
   * Takes a file out of its repository; its rows go with `dropRetired`, until then its content can still be used again.
   */
  retire(repository: string, path: string): void {
    const row = this.#prepare('SELECT blob FROM files WHERE repository = ? AND path = ?').get(repository, path)
    if (row !== undefined) this.#retired.set(placeOf(repository, path), numberIn(row, 'blob'))
    this.#prepare('UPDATE files SET repository = ?, path = id WHERE repository = ? AND path = ?').run(
      RETIRED,
      repository,
      path,
    )
  }

  /** Content that is known already is not written again. @throws {FaultlineError} DISK_FULL */
  addFile(file: NewFile, content: BlobContent): CatalogueFile {
    try {
      return this.#insertFile(file, content)
    } catch (error) {
      throw asDiskFull(error)
    }
  }

  #insertFile({ repository, path, language, lines, oid }: NewFile, content: BlobContent): CatalogueFile {
    const known = this.#prepare('SELECT id FROM blobs WHERE oid = ? AND language = ?').get(oid, language)
    const blob =
      known === undefined
        ? this.#putBlob({ oid, language, place: this.#freePlace(repository, path) }, content)
        : numberIn(known, 'id')
    const id = ++this.#lastFile
    const firstChunk = this.#lastChunk + 1
    const chunks = content.chunks.length
    this.#lastChunk += chunks
    this.#prepare(
      `INSERT INTO files (id, repository, path, language, lines, chunks, first_chunk, blob)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    ).run(id, repository, path, language, lines, chunks, firstChunk, blob)
    return { id, path, blob, firstChunk, chunks }
  }

  /**
   * The id of what a file held before, where no file holds it any more. What follows from a content is keyed by its id:
   * under the same id most of the names of a changed file stay as they are, and so do the pages that they lie in, all
   * over the catalogue.
   */
  #freePlace(repository: string, path: string): number | null {
    const blob = this.#retired.get(placeOf(repository, path))
    if (blob === undefined || this.#written.has(blob)) return null
    const used = this.#prepare('SELECT 1 FROM files WHERE blob = ? AND repository <> ? LIMIT 1').get(blob, RETIRED)
    return used === undefined ? blob : null
  }

  #putBlob(
    { oid, language, place }: { oid: string; language: string; place: number | null },
    { text, chunks, outline, rowTokens = null, packed = packContent(text, outline) }: BlobContent,
  ): number {
    const { lastInsertRowid } = this.#prepare(
      `INSERT INTO blobs (id, oid, language, text, chunk_lines, outline, row_tokens) VALUES (?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT (id) DO UPDATE SET oid = excluded.oid, language = excluded.language, text = excluded.text,
        chunk_lines = excluded.chunk_lines, outline = excluded.outline, row_tokens = excluded.row_tokens`,
    ).run(place, oid, language, packed.text, packChunkLines(chunks), packed.outline, this.#roomFor(rowTokens, chunks))
    const blob = place ?? Number(lastInsertRowid)
    this.#written.add(blob)
    if (place !== null) this.#dropNames(this.#names.change(blob, outline, this.#namesOf(blob)))
    else if (outline !== null) this.#names.add(blob, outline)
    if (this.#names.isFull) this.#insertNames()
    return blob
  }

  #namesOf(blob: number): NamesOfContent {
    indexForDeleting(this.#database)
    const definitions = this.#prepare(
      'SELECT name, scope, kind, container, start_line, end_line FROM definitions WHERE blob = ?',
    ).all(blob)
    const imports = this.#prepare('SELECT key FROM imports WHERE blob = ?').all(blob)
    return {
      definitions: definitions.map(row => [
        textIn(row, 'name'),
        blob,
        numberIn(row, 'scope'),
        scopeKindIn(row, 'kind'),
        row.container === null ? null : textIn(row, 'container'),
        numberIn(row, 'start_line'),
        numberIn(row, 'end_line'),
      ]),
      imports: imports.map(row => [textIn(row, 'key'), blob]),
    }
  }

  #dropNames({ definitions, imports }: NamesOfContent): void {
    const undefine = this.#prepare('DELETE FROM definitions WHERE name = ? AND blob = ? AND scope = ?')
    for (const [name, blob, scope] of definitions) undefine.run(name, blob, scope)
    const untake = this.#prepare('DELETE FROM imports WHERE key = ? AND blob = ?')
    for (const row of imports) untake.run(...row)
  }

  /** As many bytes as the counts will have, so that they can be written over it in place. */
  #roomFor(rowTokens: Uint8Array | 'later' | null, chunks: readonly ChunkLines[]): Uint8Array | null {
    if (rowTokens !== 'later') return rowTokens
    this.#uncounted++
    return noRowTokens(chunks.at(-1)?.endLine ?? 0)
  }

  /** Puts in what was counted of contents that had been added without; all of them must be among these. */
  putRowTokens(counted: Iterable<CountedRows>): void {
    const put = this.#prepare('UPDATE blobs SET row_tokens = ? WHERE id = ?')
    for (const { blob, rowTokens } of counted) put.run(rowTokens, blob)
    this.#uncounted = 0
  }

  #insertNames(): void {
    const define = this.#prepare(
      'INSERT INTO definitions (name, blob, scope, kind, container, start_line, end_line) VALUES (?, ?, ?, ?, ?, ?, ?)',
    )
    const take = this.#prepare('INSERT INTO imports (key, blob) VALUES (?, ?)')
    this.#names.insert({ definition: (...row) => define.run(...row), import: (...row) => take.run(...row) })
  }

  /** Deletes retired files with all that hangs on them, and contents that no file has any more. */
  dropRetired(): void {
    this.#prepare('DELETE FROM files WHERE repository = ?').run(RETIRED)
    const unused = this.#prepare(
      'SELECT id FROM blobs WHERE NOT EXISTS (SELECT 1 FROM files WHERE files.blob = blobs.id)',
    ).all()
    if (unused.length === 0) return
    indexForDeleting(this.#database)
    const blobs = new Set(unused.map(row => numberIn(row, 'id')))
    for (const blob of blobs) this.#dropBlob(blob)
    this.#names.drop(blobs)
  }

  #dropBlob(blob: number): void {
    this.#prepare('DELETE FROM definitions WHERE blob = ?').run(blob)
    this.#prepare('DELETE FROM imports WHERE blob = ?').run(blob)
    this.#prepare('DELETE FROM blobs WHERE id = ?').run(blob)
  }

  counts(): { files: number; chunks: number } {
    const row = this.#prepare('SELECT count(*) AS files, coalesce(sum(chunks), 0) AS chunks FROM files').get() ?? {}
    return { files: numberIn(row, 'files'), chunks: numberIn(row, 'chunks') }
  }

  /** Files by language; of one repository, or of the project. */
  languages(repository: string | null = null): Record<string, number> {
    const rows = this.#prepare(
      `SELECT language, count(*) AS files
      FROM files WHERE ?1 IS NULL OR repository = ?1 GROUP BY language ORDER BY language`,
    ).all(repository)
    return Object.fromEntries(rows.map(row => [textIn(row, 'language'), numberIn(row, 'files')]))
  }

  chunksIn(repository: string): number {
    return numberIn(
      this.#prepare('SELECT coalesce(sum(chunks), 0) AS chunks FROM files WHERE repository = ?').get(repository) ?? {},
      'chunks',
    )
  }

  /** Commits and closes. The caller syncs the file. */
  finish(): void {
    try {
      this.#insertNames() // after the deletions, whose room new rows of the same names take
      const count = this.#prepare('UPDATE counters SET value = ? WHERE name = ?')
      count.run(this.#lastChunk, 'chunk')
      count.run(this.#lastFile, 'file')
      this.#prepare('INSERT OR REPLACE INTO counters (name, value) VALUES (?, ?)').run(UNCOUNTED, this.#uncounted)
      this.#database.exec('COMMIT')
      const row =
        this.#database
          .prepare(
            `SELECT (SELECT freelist_count FROM pragma_freelist_count) AS unused,
            (SELECT page_count FROM pragma_page_count) AS pages`,
          )
          .get() ?? {}
      if (numberIn(row, 'unused') * 4 > numberIn(row, 'pages')) this.#database.exec('VACUUM')
    } catch (error) {
      throw asDiskFull(error)
    }
    this[Symbol.dispose]()
  }

  [Symbol.dispose](): void {
    if (!this.#isOpen) return
    this.#isOpen = false
    this.#database.close()
  }

  #counter(name: string): number {
    const row = this.#prepare('SELECT value FROM counters WHERE name = ?').get(name)
    return row === undefined ? 0 : numberIn(row, 'value') // a catalogue of an earlier release lacks the newest
  }

  #prepare(sql: string): StatementSync {
    const known = this.#statements.get(sql)
    if (known !== undefined) return known
    const statement = this.#database.prepare(sql)
    this.#statements.set(sql, statement)
    return statement
  }
}
