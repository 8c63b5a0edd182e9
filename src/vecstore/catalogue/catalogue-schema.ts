import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { asDiskFull } from '../format/full-disk.ts'

/**
 * `files` and `blobs` must stay readable by later releases: from them a project is built again when anything else
 * changes.
 *
 * All that follows from a content and its language (chunks, definitions, imports) hangs on the blob, so that files of
 * one content share it. The chunks of a file are numbered in a row from `first_chunk`; these numbers are the labels of
 * all indexes and are never given twice within a project. `imports.key` is what `importKeys` makes of a target: what an
 * importer of a file is looked up by.
 */
const SCHEMA = `
  CREATE TABLE blobs (
    id INTEGER PRIMARY KEY, oid TEXT NOT NULL, language TEXT NOT NULL, text NOT NULL, chunk_lines BLOB NOT NULL,
    outline, row_tokens BLOB,
    UNIQUE (oid, language)
  );
  CREATE TABLE files (
    id INTEGER PRIMARY KEY, repository TEXT NOT NULL, path TEXT NOT NULL, language TEXT NOT NULL,
    lines INTEGER NOT NULL, chunks INTEGER NOT NULL, first_chunk INTEGER NOT NULL,
    blob INTEGER NOT NULL REFERENCES blobs (id),
    UNIQUE (repository, path)
  );
  CREATE INDEX files_by_blob ON files (blob);
  CREATE TABLE definitions (
    name TEXT NOT NULL, blob INTEGER NOT NULL, scope INTEGER NOT NULL,
    kind TEXT NOT NULL, container TEXT, start_line INTEGER NOT NULL, end_line INTEGER NOT NULL,
    PRIMARY KEY (name, blob, scope)
  ) WITHOUT ROWID;
  CREATE TABLE imports (key TEXT NOT NULL, blob INTEGER NOT NULL, PRIMARY KEY (key, blob)) WITHOUT ROWID;
  CREATE TABLE counters (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
  INSERT INTO counters (name, value) VALUES ('chunk', 0), ('file', 0);
`

/** What hangs on a content goes with it without its outline being read. */
const INDEXES = `
  CREATE INDEX IF NOT EXISTS definitions_by_blob ON definitions (blob);
  CREATE INDEX IF NOT EXISTS imports_by_blob ON imports (blob);
`

/** A catalogue of an earlier release has none until something is added to it. */
export function hasRowTokens(database: DatabaseSync): boolean {
  return database.prepare("SELECT 1 FROM pragma_table_info('blobs') WHERE name = 'row_tokens'").get() !== undefined
}

const BUILDING = `
  PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA locking_mode = EXCLUSIVE;
  PRAGMA temp_store = MEMORY; PRAGMA cache_size = -65536; PRAGMA secure_delete = ON
`

/**
 * Opens a catalogue that is being built. Nobody else sees the file before it is whole and synced, and an interrupted
 * build is thrown away, so it needs no journal of its own and leaves none behind.
 */
export function openForBuilding(path: string, { isNew }: { isNew: boolean }): DatabaseSync {
  const database = new DatabaseSync(path)
  if (isNew) database.exec('PRAGMA page_size = 8192') // most packed texts lie whole in the page of their row
  database.exec(BUILDING)
  database.exec('BEGIN')
  if (isNew) database.exec(SCHEMA)
  try {
    if (!hasRowTokens(database)) database.exec('ALTER TABLE blobs ADD COLUMN row_tokens BLOB')
  } catch (error) {
    database.close()
    throw asDiskFull(error)
  }
  return database
}

/**
 * Makes what deleting contents looks into, where it is not there yet: an index that nothing is deleted from is built
 * and copied without it.
 */
export function indexForDeleting(database: DatabaseSync): void {
  database.exec(INDEXES)
}

/**
 * Opens a published catalogue, which never changes again: no locks, no journal, and it goes on working after its folder
 * was removed.
 */
export function openPublished(path: string): DatabaseSync {
  const url = pathToFileURL(path)
  url.searchParams.set('immutable', '1')
  const database = new DatabaseSync(url, { readOnly: true })
  database.exec('PRAGMA temp_store = MEMORY; PRAGMA cache_size = -16384')
  return database
}
