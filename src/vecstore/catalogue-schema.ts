import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'

/**
 * `files` and `blobs` must stay readable by later releases: from them a project is built again when anything else changes.
 * Chunk ids are the labels of the vector index and the row ids of the full text; they are never given twice within a project.
 * `chunk_text` holds terms that the tokenizer has split already, so FTS5 only has to cut at spaces (its `ascii` tokenizer leaves letters beyond
 * ASCII whole); contentless, as the text itself is in `blobs`.
 */
const SCHEMA = `
  CREATE TABLE blobs (id INTEGER PRIMARY KEY, oid TEXT NOT NULL UNIQUE, text TEXT NOT NULL);
  CREATE TABLE files (
    id INTEGER PRIMARY KEY, repository TEXT NOT NULL, path TEXT NOT NULL, language TEXT NOT NULL,
    lines INTEGER NOT NULL, chunks INTEGER NOT NULL, blob INTEGER NOT NULL REFERENCES blobs (id),
    UNIQUE (repository, path)
  );
  CREATE INDEX files_by_blob ON files (blob);
  CREATE TABLE chunks (
    id INTEGER PRIMARY KEY AUTOINCREMENT, file INTEGER NOT NULL REFERENCES files (id), chunk_index INTEGER NOT NULL,
    start_line INTEGER NOT NULL, end_line INTEGER NOT NULL, start_offset INTEGER NOT NULL, end_offset INTEGER NOT NULL
  );
  CREATE UNIQUE INDEX chunks_by_file ON chunks (file, chunk_index);
  CREATE TABLE vectors (chunk INTEGER PRIMARY KEY REFERENCES chunks (id), vector BLOB NOT NULL);
  CREATE VIRTUAL TABLE chunk_text USING fts5 (words, path, content = '', contentless_delete = 1, tokenize = "ascii tokenchars '_$'");
  INSERT INTO chunk_text (chunk_text, rank) VALUES ('hashsize', 16777216);
`

/**
 * Opens a catalogue that is being built. Nobody else sees the file before it is whole and synced, and an interrupted build is thrown away,
 * so it needs no journal of its own and leaves none behind.
 */
export function openForBuilding (path: string, { isNew }: { isNew: boolean }): DatabaseSync {
  const database = new DatabaseSync(path)
  // A vector of 512 dimensions takes 2 KiB: on SQLite's usual pages of 4 KiB half the space would stay empty.
  if (isNew) database.exec('PRAGMA page_size = 16384')
  database.exec('PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA locking_mode = EXCLUSIVE; PRAGMA temp_store = MEMORY; PRAGMA cache_size = -65536')
  database.exec('BEGIN')
  if (isNew) database.exec(SCHEMA)
  return database
}

/** Opens a published catalogue, which never changes again: no locks, no journal, and it goes on working after its folder was removed. */
export function openPublished (path: string): DatabaseSync {
  const url = pathToFileURL(path)
  url.searchParams.set('immutable', '1')
  const database = new DatabaseSync(url, { readOnly: true })
  database.exec('PRAGMA temp_store = MEMORY; PRAGMA cache_size = -16384')
  return database
}
