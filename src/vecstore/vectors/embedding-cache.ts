import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { bytesIn, textIn } from '../format/row.ts'
import { vectorFromBytes, vectorToBytes } from './vector-math.ts'

const FOLDER = '.embeddings'
const SQLITE_CORRUPT: ReadonlySet<unknown> = new Set([11, 26])
const KEYS_PER_QUERY = 200

/** Vectors of an embedding API by key, kept for all projects in one file below the store's root. */
export interface StoredEmbeddings extends Disposable {
  /** The known ones of these keys. */
  get(keys: string[]): Map<string, Float32Array>
  /** One transaction; what it returned from survives a kill of the process. */
  put(entries: Array<[key: string, vector: Float32Array]>): void
}

function read(database: DatabaseSync, keys: string[]): Map<string, Float32Array> {
  const found = new Map<string, Float32Array>()
  for (let from = 0; from < keys.length; from += KEYS_PER_QUERY) {
    const some = keys.slice(from, from + KEYS_PER_QUERY)
    const rows = database
      .prepare(`SELECT key, vector FROM embeddings WHERE key IN (${some.map(() => '?').join(', ')})`)
      .all(...some)
    for (const row of rows) {
      const bytes = bytesIn(row, 'vector')
      if (bytes.length % 4 === 0) found.set(textIn(row, 'key'), vectorFromBytes(bytes))
    }
  }
  return found
}

function write(database: DatabaseSync, entries: Array<[key: string, vector: Float32Array]>): void {
  database.exec('BEGIN IMMEDIATE')
  try {
    const insert = database.prepare(
      'INSERT INTO embeddings (key, vector) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET vector = excluded.vector',
    )
    for (const [key, vector] of entries) insert.run(key, vectorToBytes(vector))
    database.exec('COMMIT')
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK')
    throw error
  }
}

/** WAL with synchronous=NORMAL: a kill loses nothing, a loss of power at most the last vectors. */
function openDatabase(path: string): DatabaseSync {
  const database = new DatabaseSync(path, { timeout: 5_000 })
  try {
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL')
    database.exec('CREATE TABLE IF NOT EXISTS embeddings (key TEXT PRIMARY KEY, vector BLOB NOT NULL) WITHOUT ROWID')
    return database
  } catch (error) {
    database.close()
    throw error
  }
}

/**
 * Opens or makes `.embeddings/cache.sqlite` below `root`. Several threads and processes may use it at once. A file that
 * is found damaged, now or later, is begun anew: it only saves money.
 */
export function openEmbeddingCache(root: string): StoredEmbeddings {
  const folder = join(root, FOLDER)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const path = join(folder, 'cache.sqlite')
  let database: DatabaseSync | null = null

  /** Runs `work`; where the file turns out to be damaged, once more with an empty one. */
  function withDatabase<T>(work: (database: DatabaseSync) => T): T {
    try {
      database ??= openDatabase(path)
      return work(database)
    } catch (error) {
      if (!(error instanceof Error && 'errcode' in error && SQLITE_CORRUPT.has(error.errcode))) throw error
      database?.close()
      for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix, { force: true })
      database = openDatabase(path)
      return work(database)
    }
  }
  withDatabase(() => {})

  return {
    get: keys => withDatabase(database => read(database, keys)),
    put: entries => withDatabase(database => write(database, entries)),
    [Symbol.dispose]() {
      database?.close()
    },
  }
}
