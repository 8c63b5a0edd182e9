import type { FileHandle } from 'node:fs/promises'
import { allocateSegment, readSegment, segmentBytes, type SegmentViews } from '../../lexical/lexical-format.ts'
import { termHash } from '../../lexical/term-order.ts'
import { PART_BYTES, type PartReader, type Recipe, type RecipeFile } from './recipe.ts'
import { orRangeError, readRun } from './read-run.ts'
import { VarintReader, VarintWriter } from './varints.ts'

// Of a segment of the text index travel its header, the length of the column of numbers, that column, the counts and
// the vocabulary. Numbers that grow are written as what they grow by; hashes of terms follow from the vocabulary.

const HEADER_BYTES = 32

type Numbers = Uint32Array | Uint16Array

function putGrowing(values: Numbers, into: VarintWriter): void {
  let before = 0
  for (const value of values) {
    into.put(value - before)
    before = value
  }
}

function takeGrowing(values: Numbers, from: VarintReader): void {
  let before = 0
  for (let i = 0; i < values.length; i++) values[i] = before += from.take()
}

function putPostings({ chunks, postingStarts }: SegmentViews, into: VarintWriter): void {
  for (let term = 0, i = 0; term + 1 < postingStarts.length; term++) {
    const end = postingStarts[term + 1] ?? 0
    for (let before = 0; i < end; i++) {
      const chunk = chunks[i] ?? 0
      into.put(chunk - before)
      before = chunk
    }
  }
}

function takePostings({ chunks, postingStarts }: SegmentViews, from: VarintReader): void {
  for (let term = 0, i = 0; term + 1 < postingStarts.length; term++) {
    const end = Math.min(postingStarts[term + 1] ?? 0, chunks.length)
    for (let before = 0; i < end; i++) chunks[i] = before += from.take()
  }
}

/** The hash of each term, as far as the vocabulary goes. */
function* hashesOf({ termStarts, vocabulary }: SegmentViews): Generator<number> {
  const text = Buffer.from(vocabulary.buffer, vocabulary.byteOffset, vocabulary.byteLength)
  for (let term = 0; term + 1 < termStarts.length; term++) {
    yield termHash(text.toString('utf8', termStarts[term], termStarts[term + 1]))
  }
}

async function* parts({ bytes }: RecipeFile, handle: FileHandle): AsyncGenerator<Uint8Array> {
  const file = await readRun(handle, 0, bytes)
  const { views } = orRangeError(() => readSegment(file))
  let term = 0
  for (const hash of hashesOf(views)) {
    if (views.termHashes[term++] !== hash) throw new RangeError('A term has another hash.')
  }
  const numbers = new VarintWriter(views.chunks.length + views.termHashes.length * 4)
  putGrowing(views.chunkIds, numbers)
  putGrowing(views.fileIds, numbers)
  for (const length of views.lengths) numbers.put(length)
  putGrowing(views.termStarts, numbers)
  putGrowing(views.postingStarts, numbers)
  for (const number of views.fileOfChunk) numbers.put(number)
  putPostings(views, numbers)
  const length = Buffer.alloc(4)
  length.writeUInt32LE(numbers.length)
  const all = Buffer.concat([file.subarray(0, HEADER_BYTES), length, numbers.bytes(), views.counts, views.vocabulary])
  for (let at = 0; at < all.length; at += PART_BYTES) yield all.subarray(at, at + PART_BYTES)
}

async function* make({ bytes }: RecipeFile, from: PartReader): AsyncGenerator<Uint8Array> {
  const header = await from.take(HEADER_BYTES)
  const [chunks, files, terms, postings, vocabularyBytes] = [4, 8, 12, 16, 20].map(at => header.readUInt32LE(at)) as [
    number,
    number,
    number,
    number,
    number,
  ]
  const sizes = { chunks, files, terms, postings, vocabularyBytes }
  if (segmentBytes(sizes) !== bytes) throw new RangeError('A segment of this size has another length.')
  const { bytes: file, views } = allocateSegment(sizes)
  file.set(header)
  const length = (await from.take(4)).readUInt32LE(0)
  if (length > bytes * 2) throw new RangeError('The numbers of a segment are too many.')
  const numbers = new VarintReader(await from.take(length))
  takeGrowing(views.chunkIds, numbers)
  takeGrowing(views.fileIds, numbers)
  for (let i = 0; i < chunks; i++) views.lengths[i] = numbers.take()
  takeGrowing(views.termStarts, numbers)
  takeGrowing(views.postingStarts, numbers)
  for (let i = 0; i < chunks; i++) views.fileOfChunk[i] = numbers.take()
  takePostings(views, numbers)
  views.counts.set(await from.take(postings))
  views.vocabulary.set(await from.take(vocabularyBytes))
  let term = 0
  for (const hash of hashesOf(views)) views.termHashes[term++] = hash
  yield file
}

/** A segment of the text index in half its bytes. */
export const POSTINGS: Recipe = { name: 'postings-1', isWhole: false, keptAs: null, parts, make }
