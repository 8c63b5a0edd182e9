import type { FileHandle } from 'node:fs/promises'
import { PART_BYTES, type Ingredients, type PartReader, type Recipe, type RecipeFile } from './recipe.ts'
import { readRun, readRuns } from './read-run.ts'
import { RowFinder } from './row-finder.ts'
import { VarintReader, VarintWriter } from './varints.ts'

// A graph is what `vectors/hnsw-file.ts` says of it: a header, a record of each point with its links, its vector and
// its label, and the upper levels. The label is the id of a chunk, whose vector a segment has as well. What travels is
//
//   the header, and the records whose vector no segment has (their chunks have gone since): their count, their numbers
//   these vectors
//   for each block of records the length of what follows, and of each record its links and its label
//   the upper levels as they are

const HEADER_BYTES = 96
const LABEL_BYTES = 8
/** A longer record is none that we write. */
const MAX_RECORD_BYTES = 1_048_576
/** Records that travel together: about 50 bytes each. */
const BLOCK_RECORDS = 32_768
/** Bytes of records that are in memory at a time. */
const RUN_BYTES = 1_048_576
/** So that a difference of two of them is a number of 32 bits. */
const MAX_LINKED = 2 ** 30

interface Shape {
  elements: number
  recordBytes: number
  vectorAt: number
  labelAt: number
  /** Where the upper levels begin. */
  upperAt: number
}

function shapeOf(header: Buffer, fileBytes: number): Shape {
  const long = (at: number) => header.readUInt32LE(at) + header.readUInt32LE(at + 4) * 2 ** 32
  const [elements, recordBytes, labelAt, vectorAt] = [16, 24, 32, 40].map(long) as [number, number, number, number]
  const isRecord = labelAt > vectorAt && vectorAt >= 4 && recordBytes === labelAt + LABEL_BYTES
  const isAligned = [labelAt, vectorAt].every(at => at % 4 === 0)
  const upperAt = HEADER_BYTES + elements * recordBytes
  if (!isRecord || !isAligned || recordBytes > MAX_RECORD_BYTES || elements >= MAX_LINKED || upperAt > fileBytes) {
    throw new RangeError('This is no graph.')
  }
  return { elements, recordBytes, vectorAt, labelAt, upperAt }
}

const runRecords = ({ recordBytes }: Shape): number => Math.max(1, Math.floor(RUN_BYTES / recordBytes))

/** Goes over the links and labels of records in their order, in either direction. */
class Links {
  readonly #shape: Shape
  #record = 0
  #label = 0

  constructor(shape: Shape) {
    this.#shape = shape
  }

  /** @throws {RangeError} A link or a label that no graph of this size has. */
  put(record: Buffer, into: VarintWriter): void {
    const { vectorAt, labelAt } = this.#shape
    const count = record.readUInt32LE(0)
    into.put(count)
    for (let at = 4, i = 0; at < vectorAt; at += 4, i++) {
      const link = record.readUInt32LE(at)
      if (i >= count) into.put(link)
      else if (link >= MAX_LINKED) throw new RangeError('A link leads nowhere.')
      else into.putSigned(link - this.#record)
    }
    const label = record.readUInt32LE(labelAt)
    if (label >= MAX_LINKED || record.readUInt32LE(labelAt + 4) !== 0) throw new RangeError('A label is none.')
    into.putSigned(label - this.#label)
    this.#label = label
    this.#record++
  }

  /** @returns The label. @throws {RangeError} There is no such record. */
  take(from: VarintReader, record: Buffer): number {
    const { vectorAt, labelAt } = this.#shape
    const count = from.take()
    record.writeUInt32LE(count, 0)
    for (let at = 4, i = 0; at < vectorAt; at += 4, i++) {
      record.writeUInt32LE(i >= count ? from.take() : this.#record + from.takeSigned(), at)
    }
    this.#label += from.takeSigned()
    record.writeUInt32LE(this.#label, labelAt)
    record.writeUInt32LE(0, labelAt + 4)
    this.#record++
    return this.#label
  }
}

/** What travels of the records. */
interface Taken {
  blocks: Uint8Array[]
  /** Numbers of records whose vector nobody else has, and these vectors. */
  missing: number[]
  vectors: Buffer[]
}

async function takeApart(handle: FileHandle, shape: Shape, others: Ingredients): Promise<Taken> {
  const { elements, recordBytes, vectorAt, labelAt, upperAt } = shape
  const rows = await RowFinder.of(others, labelAt - vectorAt)
  const links = new Links(shape)
  const taken: Taken = { blocks: [], missing: [], vectors: [] }
  let block = new VarintWriter(Math.min(elements, BLOCK_RECORDS) * 64)
  let number = 0
  const most = runRecords(shape) * recordBytes
  for await (const run of readRuns(handle, { from: HEADER_BYTES, to: upperAt, most })) {
    for (let at = 0; at < run.length; at += recordBytes) {
      const record = run.subarray(at, at + recordBytes)
      links.put(record, block)
      const vector = record.subarray(vectorAt, labelAt)
      const known = await rows.find(record.readUInt32LE(labelAt))
      if (known === null || !known.equals(vector)) {
        taken.missing.push(number)
        taken.vectors.push(Buffer.from(vector))
      }
      if (++number % BLOCK_RECORDS !== 0 && number < elements) continue
      taken.blocks.push(block.bytes())
      block = new VarintWriter(Math.min(elements - number, BLOCK_RECORDS) * 64)
    }
  }
  return taken
}

function lengthOf(bytes: Uint8Array): Buffer {
  const length = Buffer.alloc(4)
  length.writeUInt32LE(bytes.length)
  return length
}

function* cut(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += PART_BYTES) yield bytes.subarray(at, at + PART_BYTES)
}

async function* parts({ bytes }: RecipeFile, handle: FileHandle, others: Ingredients): AsyncGenerator<Uint8Array> {
  const header = await readRun(handle, 0, HEADER_BYTES)
  const shape = shapeOf(header, bytes)
  const { blocks, missing, vectors } = await takeApart(handle, shape, others)
  const numbers = Buffer.alloc((1 + missing.length) * 4)
  for (const [i, number] of [missing.length, ...missing].entries()) numbers.writeUInt32LE(number, i * 4)
  yield* cut(Buffer.concat([header, numbers]))
  yield* cut(Buffer.concat(vectors))
  for (const block of blocks) yield* cut(Buffer.concat([lengthOf(block), block]))
  yield* readRuns(handle, { from: shape.upperAt, to: bytes, most: PART_BYTES })
}

async function* make({ bytes }: RecipeFile, from: PartReader, others: Ingredients): AsyncGenerator<Uint8Array> {
  const header = await from.take(HEADER_BYTES)
  const shape = shapeOf(header, bytes)
  const { elements, recordBytes, vectorAt, labelAt, upperAt } = shape
  yield header
  const missing = (await from.take(4)).readUInt32LE(0)
  if (missing > elements) throw new RangeError('More vectors than points are missing.')
  const numbers = await from.take(missing * 4)
  const vectors = await from.take(missing * (labelAt - vectorAt))
  const rows = await RowFinder.of(others, labelAt - vectorAt)
  const links = new Links(shape)
  let block = new VarintReader(Buffer.alloc(0))
  let next = 0
  for (let first = 0; first < elements; first += runRecords(shape)) {
    const run = Buffer.allocUnsafe(Math.min(runRecords(shape), elements - first) * recordBytes)
    for (let at = 0, number = first; at < run.length; at += recordBytes, number++) {
      if (number % BLOCK_RECORDS === 0) {
        const length = (await from.take(4)).readUInt32LE(0)
        if (length > MAX_RECORD_BYTES * BLOCK_RECORDS) throw new RangeError('A block is too long.')
        block = new VarintReader(await from.take(length))
      }
      const record = run.subarray(at, at + recordBytes)
      const label = links.take(block, record)
      const isMissing = next < missing && numbers.readUInt32LE(next * 4) === number
      const vector = isMissing ? vectors.subarray(next * (labelAt - vectorAt)) : await rows.find(label)
      if (vector === null) throw new RangeError('A vector is missing.')
      vector.copy(record, vectorAt, 0, labelAt - vectorAt)
      if (isMissing) next++
    }
    yield run
  }
  let left = bytes - upperAt
  for (let part = await from.next(); part !== null; part = await from.next()) {
    left -= part.length
    if (left < 0) throw new RangeError('The upper levels are too long.')
    yield part
  }
}

/** The graph of nearest neighbours without the vectors, which the segments have. */
export const GRAPH: Recipe = { name: 'graph-1', isWhole: false, keptAs: null, parts, make }
