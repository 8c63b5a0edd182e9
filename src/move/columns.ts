import type { SQLOutputValue } from 'node:sqlite'
import type { Queryable, Row } from '../postgres/database.ts'
import type { MovedTable } from './tables.ts'

/** A column that both sides have. */
export interface MovedColumn {
  name: string
  /** The type in PostgreSQL. */
  type: string
  /** How its values differ: `flag` is 0 and 1 in SQLite, `texts` a list in JSON, `time` a text. */
  kind: 'plain' | 'flag' | 'texts' | 'time' | 'bytes'
}

/** A value as SQLite takes it. */
type SqliteValue = string | number | bigint | Uint8Array | null

const KINDS: Readonly<Record<string, MovedColumn['kind']>> = {
  boolean: 'flag',
  ARRAY: 'texts',
  bytea: 'bytes',
  'timestamp with time zone': 'time',
}

/** The columns of a table that are taken over, in the order of PostgreSQL. */
export async function columnsOf(db: Queryable, { name, derived = [] }: MovedTable): Promise<MovedColumn[]> {
  const { rows } = await db.query(
    `SELECT column_name::text AS name, data_type::text AS type FROM information_schema.columns
     WHERE table_schema = current_schema() AND table_name = $1 ORDER BY ordinal_position`,
    [name],
  )
  return rows
    .map(row => ({ name: String(row.name), type: String(row.type) }))
    .filter(column => !derived.includes(column.name))
    .map(({ name, type }) => ({ name, type: type === 'ARRAY' ? 'text[]' : type, kind: KINDS[type] ?? 'plain' }))
}

function listIn(value: unknown): string[] {
  const list: unknown = typeof value === 'string' ? JSON.parse(value) : []
  return Array.isArray(list) ? list.map(String) : []
}

/** A value of SQLite as PostgreSQL takes it. */
export function toPostgres(value: SQLOutputValue | undefined, { kind }: MovedColumn): unknown {
  if (kind === 'texts') return listIn(value)
  if (value === null || value === undefined) return null
  if (kind === 'flag') return value === 1
  if (value instanceof Uint8Array) return Buffer.from(value.buffer, value.byteOffset, value.byteLength)
  return value
}

/** A value of PostgreSQL as SQLite takes it. */
export function toSqlite(value: unknown, { kind }: MovedColumn): SqliteValue {
  if (kind === 'texts') return Array.isArray(value) && value.length > 0 ? JSON.stringify(value) : null
  if (value === null || value === undefined) return null
  if (kind === 'flag') return value === true ? 1 : 0
  if (typeof value === 'string' || typeof value === 'number' || value instanceof Uint8Array) return value
  throw new TypeError(`a column of type ${kind} holds a ${typeof value}`)
}

/** The same for both sides: what is compared. */
function comparable(value: unknown, { kind }: MovedColumn): unknown {
  if (kind === 'time') return value === null ? null : new Date(String(value)).toISOString()
  if (kind === 'texts') return Array.isArray(value) ? value : listIn(value)
  if (kind === 'flag') return value === 1 || value === true
  return value
}

/** What is compared of a row: all but bytes as JSON, and the bytes. */
export function comparableRow(row: Row, columns: readonly MovedColumn[]): { text: string; bytes: Uint8Array[] } {
  const bytes: Uint8Array[] = []
  const values = columns.map(column => {
    const value = row[column.name] ?? null
    if (!(value instanceof Uint8Array)) return comparable(value, column)
    bytes.push(value)
    return value.length
  })
  return { text: JSON.stringify(values), bytes }
}
