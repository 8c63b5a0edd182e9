import type { FileHandle } from 'node:fs/promises'
import { SAMPLE } from '../../format/layout.ts'
import { PART_BYTES, type Ingredients, type PartReader, type Recipe, type RecipeFile } from './recipe.ts'
import { readRun } from './read-run.ts'

/** Both files have it: the fit at its end, the sample in its header. */
const DIGEST_BYTES = 32
const DIGEST_AT = 64
const HEADER_BYTES = 96

async function* parts({ bytes }: RecipeFile, handle: FileHandle, { open }: Ingredients): AsyncGenerator<Uint8Array> {
  const sample = await open(SAMPLE)
  if (sample === null) throw new RangeError('Nobody knows what this was learned from.')
  const { size } = await sample.stat()
  const digest = await readRun(handle, Math.max(0, bytes - DIGEST_BYTES), DIGEST_BYTES)
  const header = await readRun(sample, 0, HEADER_BYTES)
  if (!header.subarray(DIGEST_AT).equals(digest)) throw new RangeError('It was learned from something else.')
  for (let at = 0; at < size; at += PART_BYTES) yield await readRun(sample, at, Math.min(PART_BYTES, size - at))
}

async function* make(_file: RecipeFile, from: PartReader, { learn }: Ingredients): AsyncGenerator<Uint8Array> {
  if (learn === null) throw new RangeError('Nothing can be learned here.')
  const sample: Uint8Array[] = []
  for (let part = await from.next(); part !== null; part = await from.next()) sample.push(part)
  yield await learn(Buffer.concat(sample))
}

/** A learned space is learned again from the same sample. */
export const LEARNED: Recipe = { name: 'learned-1', isWhole: false, keptAs: SAMPLE, parts, make }
