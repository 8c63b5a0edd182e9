import type { FileHandle } from 'node:fs/promises'
import { PART_BYTES, type PartReader, type Recipe, type RecipeFile } from './recipe.ts'
import { readRuns } from './read-run.ts'
import { rowsShapeOf } from './vector-rows.ts'

/** Bytes of rows in a part, in the mean. */
const MEAN_BYTES = 32_768
/** Parts are no longer than so many times the mean: one in a thousand would be. */
const MAX_TIMES = 8
const RUN_BYTES = 1_048_576

/** A number by the content of a row, all bits of it random where those of the row are. */
function hashOf(row: Buffer): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < row.length; at += 4) hash = Math.imul(hash ^ row.readUInt32LE(at), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d)
  return (hash ^ (hash >>> 12)) >>> 0
}

/** Ends of parts are at rows that end one by their content, so that the same rows are the same parts in other files. */
async function* parts({ bytes }: RecipeFile, handle: FileHandle): AsyncGenerator<Uint8Array> {
  const { rowBytes, rowsAt } = await rowsShapeOf(handle)
  const meanRows = Math.max(2, Math.round(MEAN_BYTES / rowBytes))
  const mostRows = Math.max(1, Math.min(meanRows * MAX_TIMES, Math.floor(PART_BYTES / rowBytes)))
  if (rowBytes > PART_BYTES) throw new RangeError('A vector is too long.')
  yield* readRuns(handle, { from: 0, to: rowsAt, most: PART_BYTES })
  let begun: Buffer[] = []
  const most = Math.max(1, Math.floor(RUN_BYTES / rowBytes)) * rowBytes
  for await (const run of readRuns(handle, { from: rowsAt, to: bytes, most })) {
    for (let at = 0; at < run.length; at += rowBytes) {
      const row = run.subarray(at, at + rowBytes)
      begun.push(row)
      if (hashOf(row) % meanRows !== 0 && begun.length < mostRows) continue
      yield Buffer.concat(begun)
      begun = []
    }
  }
  if (begun.length > 0) yield Buffer.concat(begun)
}

async function* make(_file: RecipeFile, from: PartReader): AsyncGenerator<Uint8Array> {
  for (let part = await from.next(); part !== null; part = await from.next()) yield part
}

/** Vectors of a segment, cut so that segments which are merged of others share their parts. */
export const ROWS: Recipe = { name: 'rows-1', isWhole: true, keptAs: null, parts, make }
