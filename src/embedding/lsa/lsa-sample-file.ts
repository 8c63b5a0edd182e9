import { createHash } from 'node:crypto'
import type { LsaFit } from './learned-space.ts'
import { serializeFit } from './lsa-file.ts'
import { fitLsa } from './lsa-fit.ts'
import { sampleDocuments, type DocumentPlace } from './lsa-sample.ts'
import type { SparseDocuments } from './sparse-documents.ts'

// Little-endian: 96 bytes of header, the last 32 of them those that the fit ends with; of each term the sampled
// documents that hold it, and of each of these what its number grows by, as 16-bit numbers, the low bytes of all before
// their high bytes; counts of a byte; terms in UTF-8 with a line break after each; SHA-256 of all that. Terms are in an
// order that each document has its own in.

/** Change it with anything that changes what is learned of the same bytes: another release would make another fit. */
const MAGIC = 'FL-LSS-1'
const HEADER_BYTES = 96
const DIGEST_AT = 64
const DIGEST_BYTES = 32
/** Beyond 16 bits nothing is sampled. */
const MAX_DOCUMENTS = 65_535

function damaged(why: string): RangeError {
  return new RangeError(`This is no sample that a space was learned from: ${why}.`)
}

const digestOf = (bytes: Uint8Array): Buffer => createHash('sha256').update(bytes).digest()

function planesOf(numbers: Uint16Array): Buffer {
  const planes = Buffer.allocUnsafe(numbers.length * 2)
  for (let i = 0; i < numbers.length; i++) {
    const number = numbers[i] ?? 0
    planes[i] = number & 0xff
    planes[numbers.length + i] = number >>> 8
  }
  return planes
}

function fromPlanes(planes: Uint8Array): Uint16Array {
  const count = planes.length / 2
  return Uint16Array.from({ length: count }, (_, i) => (planes[i] ?? 0) | ((planes[count + i] ?? 0) << 8))
}

function add(to: Uint32Array, at: number, by: number): number {
  const sum = (to[at] ?? 0) + by
  to[at] = sum
  return sum
}

/**
 * An order of numbers that all of these lists, each without a number twice, are in. @returns null where there is none.
 */
function commonOrder(lists: readonly Int32Array[], size: number): Int32Array | null {
  const followers = Array.from({ length: size }, (): number[] => [])
  const waitingFor = new Uint32Array(size)
  for (const list of lists) {
    let before = -1
    for (const number of list) {
      followers[before]?.push(number)
      if (before >= 0) add(waitingFor, number, 1)
      before = number
    }
  }
  const order = new Int32Array(size)
  let length = 0
  for (const [number, count] of waitingFor.entries()) if (count === 0) order[length++] = number
  for (let i = 0; i < length; i++) {
    const number = order[i] ?? 0
    for (const next of followers[number] ?? []) if (add(waitingFor, next, -1) === 0) order[length++] = next
  }
  return length === size ? order : null
}

/** Entries of the sampled documents of one set, one document after the other. */
interface SampledSet {
  /** By term id of the set: the fit's number, or −1. Of terms that no sampled document holds nobody asked. */
  numbers: Int32Array
  termIds: Uint32Array
  counts: Uint8Array
  /** By entry, the place of its document in the sample. */
  rows: Uint16Array
}

/** Null where what the documents hold cannot be written. */
function sampledSet(
  set: SparseDocuments,
  places: ReadonlyArray<{ row: number; document: number }>,
  terms: ReadonlyMap<string, number>,
): SampledSet | null {
  const { offsets, termIds: allIds, counts: allCounts, termCount } = set // may be made anew for each set
  const size = places.reduce((sum, { document }) => sum + (offsets[document + 1] ?? 0) - (offsets[document] ?? 0), 0)
  const termIds = new Uint32Array(size)
  const counts = new Uint8Array(size)
  const rows = new Uint16Array(size)
  let length = 0
  for (const { row, document } of places) {
    let before = -1
    const end = offsets[document + 1] ?? 0
    for (let i = offsets[document] ?? 0; i < end; i++) {
      const id = allIds[i] ?? 0
      const count = allCounts[i] ?? 0
      counts[length] = count
      if (id <= before || counts[length] !== count) return null
      rows[length] = row
      termIds[length++] = before = id
    }
  }
  const numbers = new Int32Array(termCount).fill(-1)
  const isKnown = new Uint8Array(termCount)
  for (let i = 0; i < size; i++) {
    const id = termIds[i] ?? 0
    if (isKnown[id] === 1) continue
    isKnown[id] = 1
    numbers[id] = terms.get(set.termAt(id)) ?? -1
  }
  return { numbers, termIds, counts, rows }
}

/** What the sample holds of each term: in the order of the terms, and of the sample within a term. */
interface Postings {
  /** The fit's numbers of the terms. */
  order: Int32Array
  /** By place in the order: the documents that hold the term. */
  held: Uint16Array
  rows: Uint16Array
  counts: Uint8Array
}

function inOrder(sets: readonly SampledSet[], order: Int32Array): Postings {
  const placeOf = new Int32Array(order.length)
  for (const [place, number] of order.entries()) placeOf[number] = place
  const held = new Uint16Array(order.length)
  const columns = sets.map(({ numbers, termIds, ...rest }) => {
    const places = new Int32Array(termIds.length).fill(-1)
    for (let i = 0; i < places.length; i++) {
      const id = termIds[i] ?? 0
      const number = numbers[id] ?? -1
      if (number < 0) continue
      const place = placeOf[number] ?? 0
      places[i] = place
      held[place] = (held[place] ?? 0) + 1
    }
    return { ...rest, places }
  })
  const next = new Uint32Array(order.length)
  let total = 0
  for (const [place, count] of held.entries()) {
    next[place] = total
    total += count
  }
  const postings = { order, held, rows: new Uint16Array(total), counts: new Uint8Array(total) }
  for (const { places, rows, counts } of columns) {
    for (let i = 0; i < places.length; i++) {
      const place = places[i] ?? -1
      if (place < 0) continue
      const at = add(next, place, 1) - 1
      postings.rows[at] = rows[i] ?? 0
      postings.counts[at] = counts[i] ?? 0
    }
  }
  return postings
}

/** Null where it cannot be written. */
function postingsOf(
  documents: readonly SparseDocuments[],
  sample: readonly DocumentPlace[],
  { terms }: LsaFit,
): Postings | null {
  if (sample.length > MAX_DOCUMENTS) return null
  const sets: SampledSet[] = []
  for (const [number, set] of documents.entries()) {
    const places = sample.flatMap(({ set: own, document }, row) => (own === number ? [{ row, document }] : []))
    const sampled = sampledSet(set, places, terms)
    if (sampled === null) return null
    sets.push(sampled)
  }
  const known = sets.map(({ numbers }) => numbers.filter(number => number >= 0))
  const order = commonOrder(known, terms.size)
  return order === null ? null : inOrder(sets, order)
}

/** What the rows of each term grow by. */
function gapsOf({ held, rows }: Postings): Uint16Array {
  const gaps = new Uint16Array(rows.length)
  let at = 0
  for (const length of held) {
    let before = 0
    for (const end = at + length; at < end; at++) {
      const row = rows[at] ?? 0
      gaps[at] = row - before
      before = row
    }
  }
  return gaps
}

interface SampleOptions {
  /** These three as `fitLsa` had them. */
  maxSample?: number
  seed?: number
  isGone?: (place: DocumentPlace) => boolean
}

/**
 * What a fit was learned from, from which `learnAgain` makes it: about a fifteenth of its bytes when both are
 * compressed.
 *
 * @param documents - Those that `fitLsa` was given.
 * @returns null where documents have their terms in no common order, or count them otherwise than segments do.
 */
export function sampleOfFit(
  { fit, serializedFit }: { fit: LsaFit; serializedFit: Uint8Array },
  documents: readonly SparseDocuments[],
  { isGone, maxSample = 4_000, seed = 1 }: SampleOptions = {},
): Uint8Array | null {
  const { sample } = sampleDocuments(documents, { size: maxSample, seed, isGone })
  const postings = postingsOf(documents, sample, fit)
  if (postings === null) return null
  const { order, held, rows, counts } = postings
  const names = [...fit.terms.keys()]
  const terms = Buffer.from(Array.from(order, number => `${names[number]}\n`).join(''))
  const header = Buffer.alloc(HEADER_BYTES)
  header.write(MAGIC, 'latin1')
  for (const [i, value] of [sample.length, names.length, rows.length, terms.length, fit.documentCount].entries()) {
    header.writeUInt32LE(value, 8 + i * 4)
  }
  header.writeDoubleLE(fit.unknownShare, 32)
  header.set(serializedFit.subarray(-DIGEST_BYTES), DIGEST_AT)
  const content = Buffer.concat([header, planesOf(held), planesOf(gapsOf(postings)), counts, terms])
  return Buffer.concat([content, digestOf(content)])
}

/** Turns what terms hold into what documents hold, in the order of the terms. */
function rowsOf(
  { held, gaps, counts }: { held: Uint16Array; gaps: Uint16Array; counts: Uint8Array },
  documentCount: number,
): Pick<SparseDocuments, 'offsets' | 'termIds' | 'counts'> {
  const rows = new Uint32Array(gaps.length)
  const offsets = new Uint32Array(documentCount + 1)
  let at = 0
  for (const length of held) {
    for (let end = at + length, row = 0; at < end; at++) {
      row += gaps[at] ?? 0
      if (row >= documentCount) throw damaged('a document is not there')
      rows[at] = row
      offsets[row + 1] = (offsets[row + 1] ?? 0) + 1
    }
  }
  for (let row = 0; row < documentCount; row++) offsets[row + 1] = (offsets[row + 1] ?? 0) + (offsets[row] ?? 0)
  const next = offsets.slice(0, documentCount)
  const termIds = new Uint32Array(gaps.length)
  const ordered = new Uint8Array(gaps.length)
  at = 0
  for (const [term, length] of held.entries()) {
    for (const end = at + length; at < end; at++) {
      const row = rows[at] ?? 0
      const place = next[row] ?? 0
      next[row] = place + 1
      termIds[place] = term
      ordered[place] = counts[at] ?? 0
    }
  }
  return { offsets, termIds, counts: ordered }
}

/** @throws {RangeError} The bytes are no sample, or are damaged. */
function readSample(bytes: Uint8Array): { documents: SparseDocuments; documentCount: number; unknownShare: number } {
  const end = bytes.length - DIGEST_BYTES
  if (end < HEADER_BYTES || Buffer.from(bytes.subarray(0, MAGIC.length)).toString('latin1') !== MAGIC) {
    throw damaged('it does not begin as one')
  }
  if (!digestOf(bytes.subarray(0, end)).equals(bytes.subarray(end))) throw damaged('its checksum is another one')
  const view = new DataView(bytes.buffer, bytes.byteOffset, HEADER_BYTES)
  const [rows = 0, termCount = 0, entries = 0, termBytes = 0, documentCount = 0] = [8, 12, 16, 20, 24].map(at =>
    view.getUint32(at, true),
  )
  const gapsAt = HEADER_BYTES + termCount * 2
  const countsAt = gapsAt + entries * 2
  const termsAt = countsAt + entries
  if (end !== termsAt + termBytes) throw damaged('its length is not what its header says')
  const held = fromPlanes(bytes.subarray(HEADER_BYTES, gapsAt))
  const terms = new TextDecoder().decode(bytes.subarray(termsAt, end)).split('\n')
  const counts = bytes.subarray(countsAt, termsAt)
  const columns = { held, gaps: fromPlanes(bytes.subarray(gapsAt, countsAt)), counts }
  const documents = {
    documentCount: rows,
    termCount,
    ...rowsOf(columns, rows),
    termAt: (id: number) => terms[id] ?? '',
  }
  return { documents, documentCount, unknownShare: view.getFloat64(32, true) }
}

/**
 * The bytes of the fit that a sample was taken of, the same as `serializeFit` gave. Takes as long as `fitLsa`.
 *
 * @throws {RangeError} The bytes are no sample, or are damaged.
 */
export function learnAgain(sample: Uint8Array): Uint8Array {
  const { documents, documentCount, unknownShare } = readSample(sample)
  const fit = fitLsa([documents], { maxSample: documents.documentCount })
  if (fit === null) throw damaged('nothing can be learned from it')
  return serializeFit({ ...fit, documentCount, unknownShare })
}
