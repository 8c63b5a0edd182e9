import type { SQLOutputValue } from 'node:sqlite'
import { isScopeKind, type ScopeKind } from '../../core/outline.ts'
import { unpackText } from './packed-text.ts'

/** A row as SQLite returns it. */
type Row = Record<string, SQLOutputValue>

/** Column readers: a value of another type means that the file is not what its checksum said, which is a bug. */
export function numberIn(row: Row, column: string): number {
  const value = row[column]
  if (typeof value !== 'number') throw new TypeError(`The catalogue's column ${column} holds no number.`)
  return value
}

/** As `numberIn`, for a text. */
export function textIn(row: Row, column: string): string {
  const value = row[column]
  if (typeof value !== 'string') throw new TypeError(`The catalogue's column ${column} holds no text.`)
  return value
}

/** As `numberIn`, for bytes. */
export function bytesIn(row: Row, column: string): Uint8Array {
  const value = row[column]
  if (!(value instanceof Uint8Array)) throw new TypeError(`The catalogue's column ${column} holds no bytes.`)
  return value
}

/** As `numberIn`, for a kind of definition. */
export function scopeKindIn(row: Row, column: string): ScopeKind {
  const value = row[column]
  if (!isScopeKind(value)) throw new TypeError(`The catalogue's column ${column} holds no kind of definition.`)
  return value
}

/** A text that `packText` made, or one of the first format, which packed none. */
export function packedTextIn(row: Row, column: string): string {
  const value = row[column]
  return unpackText(value instanceof Uint8Array ? value : textIn(row, column))
}
