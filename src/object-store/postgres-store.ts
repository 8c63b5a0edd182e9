import { randomUUID } from 'node:crypto'
import { FaultlineError } from '../core/errors.ts'
import { Semaphore } from '../core/semaphore.ts'
import type { Queryable, QueryResult, Row } from '../postgres/database.ts'
import {
  checkedKey,
  checkedPrefix,
  ObjectStoreError,
  ofLength,
  partsOf,
  type Content,
  type ObjectInfo,
  type ObjectStore,
} from './object-store.ts'

/** No row is larger, so that no statement holds much in the memory of the database. */
const PART_BYTES = 1_048_576
const PAGE = 1_000
/** Reads under way: the connections are there for whatever else is asked of the database, too. */
const READS_AT_ONCE = 4
/** Sorts after all signs that keys may have. */
const LAST = '\x7f'

const ADD_PART = 'INSERT INTO object_parts (upload, part, content) VALUES ($1, $2, $3)'
/** The last part, with which the object is there; the parts of the one that it replaces go. */
const FINISH = `
  WITH former AS (SELECT upload FROM objects WHERE key = $4 FOR UPDATE),
  last AS (${ADD_PART}),
  named AS (
    INSERT INTO objects (key, upload, bytes) VALUES ($4, $1, $5)
    ON CONFLICT (key) DO UPDATE
      SET upload = EXCLUDED.upload, bytes = EXCLUDED.bytes, changed_at = EXCLUDED.changed_at
  )
  DELETE FROM object_parts WHERE upload IN (SELECT upload FROM former)`
const FIRST_PART = `
  SELECT o.upload, o.bytes, p.content
  FROM objects o LEFT JOIN object_parts p ON p.upload = o.upload AND p.part = 1
  WHERE o.key = $1`
const DELETE = `
  WITH gone AS (DELETE FROM objects WHERE key = $1 RETURNING upload)
  DELETE FROM object_parts WHERE upload IN (SELECT upload FROM gone)`
const LIST = `
  SELECT key, bytes, changed_at FROM objects
  WHERE key > $1 AND key >= $2 AND key < $3 ORDER BY key LIMIT ${PAGE}`
const DROP_UNFINISHED = `
  DELETE FROM object_parts p
  WHERE p.added_at < now() - interval '1 day' AND NOT EXISTS (SELECT FROM objects o WHERE o.upload = p.upload)`

const infoOf = ({ key, bytes, changed_at: changedAt }: Row): ObjectInfo => ({
  key: String(key),
  bytes: Number(bytes),
  changedAt: new Date(String(changedAt)),
})

/** Objects are rows of one database: for small sites, which then need nothing else. */
export function openPostgresStore(db: Queryable): ObjectStore {
  const reads = new Semaphore(READS_AT_ONCE)

  async function ask(
    to: string,
    { sql, values = [] }: { sql: string; values?: readonly unknown[] },
    signal: AbortSignal,
  ): Promise<QueryResult> {
    signal.throwIfAborted()
    try {
      return await db.query(sql, values)
    } catch (error) {
      if (!(error instanceof FaultlineError) || error.code !== 'DATABASE_UNAVAILABLE') throw error
      const message = `The object store did not ${to}: ${error.message}`
      throw new ObjectStoreError(message, { isTransient: true, fix: error.fix, cause: error })
    }
  }

  /** A part of an object. */
  async function readRow(
    to: string,
    query: { sql: string; values: readonly unknown[] },
    signal: AbortSignal,
  ): Promise<Row | undefined> {
    await reads.acquire(signal)
    try {
      return (await ask(to, query, signal)).rows[0]
    } finally {
      reads.release()
    }
  }

  async function put(key: string, content: Content, signal: AbortSignal): Promise<void> {
    checkedKey(key)
    const to = `take the object ${key}`
    const upload = randomUUID()
    let bytes = 0
    let parts = 0
    let last: Buffer | null = null
    try {
      for await (const part of partsOf(content, () => PART_BYTES)) {
        if (last !== null) await ask(to, { sql: ADD_PART, values: [upload, parts, last] }, signal)
        parts++
        bytes += part.length
        last = part
      }
      await ask(to, { sql: FINISH, values: [upload, parts, last, key, bytes] }, signal)
    } catch (error) {
      if (parts > 1) {
        // those that stay, since the database is away, are removed a day later
        await db.query('DELETE FROM object_parts WHERE upload = $1', [upload]).catch(() => {})
      }
      throw error
    }
  }

  /** @param first - Came with the question whether there is an object. */
  async function* read(
    { key, upload, bytes }: { key: string; upload: unknown; bytes: number },
    first: unknown,
    signal: AbortSignal,
  ): AsyncIterable<Uint8Array> {
    let content = first
    let seen = 0
    for (let part = 2; content instanceof Uint8Array; part++) {
      signal.throwIfAborted()
      seen += content.length
      yield content
      if (seen >= bytes) return
      const sql = 'SELECT content FROM object_parts WHERE upload = $1 AND part = $2'
      content = (await readRow(`give the object ${key}`, { sql, values: [upload, part] }, signal))?.content
    }
    throw new ObjectStoreError(`The object ${key} was replaced while it was read.`, { isTransient: true })
  }

  async function* list(prefix: string, signal: AbortSignal): AsyncIterable<ObjectInfo[]> {
    const to = 'list its objects'
    const from = checkedPrefix(prefix)
    await ask(to, { sql: DROP_UNFINISHED }, signal)
    for (let after = ''; ;) {
      const { rows } = await ask(to, { sql: LIST, values: [after, from, from + LAST] }, signal)
      const page = rows.map(infoOf)
      if (page.length > 0) yield page
      if (page.length < PAGE) return
      after = page.at(-1)?.key ?? LAST
    }
  }

  return {
    name: 'the database',
    put,
    async get(key, signal) {
      checkedKey(key)
      const row = await readRow(`give the object ${key}`, { sql: FIRST_PART, values: [key] }, signal)
      if (row === undefined) return null
      const bytes = Number(row.bytes)
      return { bytes, content: ofLength(read({ key, upload: row.upload, bytes }, row.content, signal), bytes, key) }
    },
    async head(key, signal) {
      checkedKey(key)
      const sql = 'SELECT key, bytes, changed_at FROM objects WHERE key = $1'
      const { rows } = await ask(`show the object ${key}`, { sql, values: [key] }, signal)
      const [row] = rows
      return row === undefined ? null : infoOf(row)
    },
    async delete(key, signal) {
      checkedKey(key)
      await ask(`delete the object ${key}`, { sql: DELETE, values: [key] }, signal)
    },
    list,
    async [Symbol.asyncDispose]() {}, // the database is closed by whoever opened it
  }
}
