import { createHash } from 'node:crypto'
import type { FileHandle } from 'node:fs/promises'
import { setImmediate } from 'node:timers/promises'
import { LexicalSegment, type TermRows } from '../../lexical/lexical-segment.ts'
import type { Ingredients, PartReader, Recipe, RecipeFile } from './recipe.ts'
import { orRangeError, readRun } from './read-run.ts'
import { rowsHeader } from './vector-rows.ts'

/** Documents that are folded in one go: about 25 ms. */
const RUN_DOCUMENTS = 2_000

const FIT = 'fit.bin'
export const lexicalOf = (vectorsPath: string): string => vectorsPath.replace(/\.vectors$/, '.lexical')

async function readFile(path: string, { open }: Ingredients): Promise<Buffer> {
  const handle = await open(path)
  if (handle === null) throw new RangeError(`There is no ${path}.`)
  return await readRun(handle, 0, (await handle.stat()).size)
}

/** Documents from one to another, as rows of their own. */
function rowsFrom({ offsets, termIds, counts, ...rest }: TermRows, from: number, to: number): TermRows {
  const first = offsets[from] ?? 0
  const end = offsets[to] ?? first
  return {
    documentCount: to - from,
    termCount: rest.termCount,
    offsets: offsets.subarray(from, to + 1).map(offset => offset - first),
    termIds: termIds.subarray(first, end),
    counts: counts.subarray(first, end),
    termAt: rest.termAt,
  }
}

async function* fold({ path }: RecipeFile, others: Ingredients): AsyncGenerator<Uint8Array> {
  if (others.fold === null) throw new RangeError('Vectors cannot be made here.')
  const fit = await readFile(FIT, others)
  const lexical = await readFile(lexicalOf(path), others)
  const segment = orRangeError(() => new LexicalSegment(lexical))
  await setImmediate() // all of it takes some 15 ms a thousand chunks, and others wait
  const rows = segment.chunkRows()
  await setImmediate()
  const ids = segment.views.chunkIds
  for (let first = 0; first < Math.max(1, ids.length); first += RUN_DOCUMENTS) {
    const { dimensions, vectors } = others.fold(fit, rowsFrom(rows, first, Math.min(ids.length, first + RUN_DOCUMENTS)))
    if (first === 0) {
      yield rowsHeader(dimensions, ids.length)
      yield Buffer.from(ids.buffer, ids.byteOffset, ids.byteLength)
    }
    yield Buffer.from(vectors.buffer, vectors.byteOffset, vectors.byteLength)
    await setImmediate()
  }
}

/** Nothing travels: whether these vectors are what is made again is tried here. */
async function* parts(file: RecipeFile, _handle: FileHandle, others: Ingredients): AsyncGenerator<Uint8Array> {
  const hash = createHash('sha256')
  for await (const bytes of fold(file, others)) hash.update(bytes)
  if (hash.digest('hex') !== file.sha256) throw new RangeError('The vectors are others.')
}

async function* make(file: RecipeFile, _parts: PartReader, others: Ingredients): AsyncGenerator<Uint8Array> {
  yield* fold(file, others)
}

/** Vectors of a segment in a space that was learned: they follow from its terms, and are made anew. */
export const FOLDED: Recipe = { name: 'folded-1', isWhole: false, keptAs: null, parts, make }
