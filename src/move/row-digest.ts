import { createHash } from 'node:crypto'
import type { Row } from '../postgres/database.ts'
import { comparableRow, type MovedColumn } from './columns.ts'

/** How many rows there are, and a digest of them that no order changes. */
export interface RowDigest {
  rows: number
  digest: string
}

const BITS = 64

/** Adds the digests of rows up: databases sort texts differently. */
export class RowDigester {
  #rows = 0
  #sum = 0n

  add(row: Row, columns: readonly MovedColumn[]): void {
    const { text, bytes } = comparableRow(row, columns)
    const hash = createHash('sha256').update(text)
    for (const part of bytes) hash.update(part)
    this.#sum = BigInt.asUintN(BITS, this.#sum + hash.digest().readBigUInt64BE())
    this.#rows++
  }

  get result(): RowDigest {
    return { rows: this.#rows, digest: this.#sum.toString(16) }
  }
}
