import { FaultlineError } from '../../core/errors.ts'

/** The chunks of a segment are numbered in 16 bits: an index of more has several segments. */
export const MAX_CHUNKS = 65_536
/** A posting holds its count in 8 bits; more says nothing new about a chunk. */
export const MAX_COUNT = 255

const MAGIC = 0x31584c46 // "FLX1"; in another byte order it reads as something else
const HEADER_WORDS = 8

/** How much of everything a segment holds. */
interface SegmentSizes {
  chunks: number
  files: number
  terms: number
  postings: number
  vocabularyBytes: number
}

/**
 * A segment as it lies on disk, in the machine's byte order (little-endian wherever Node runs). Chunks are ordered and
 * numbered by ascending id, terms by hash and then by their UTF-16 units.
 */
export interface SegmentViews {
  chunkIds: Uint32Array
  fileIds: Uint32Array
  /** Number of terms in each chunk, with repetitions. */
  lengths: Uint32Array
  termHashes: Uint32Array
  /** `terms` + 1 offsets into `vocabulary`. */
  termStarts: Uint32Array
  /** `terms` + 1 offsets into `chunks` and `counts`. */
  postingStarts: Uint32Array
  /** The file of each chunk, as an index into `fileIds`. */
  fileOfChunk: Uint16Array
  /** Ascending for each term. */
  chunks: Uint16Array
  /** From 1 to `MAX_COUNT`. */
  counts: Uint8Array
  /** UTF-8. */
  vocabulary: Uint8Array
}

/** How long a file of these sizes is. */
export function segmentBytes({ chunks, files, terms, postings, vocabularyBytes }: SegmentSizes): number {
  const words = HEADER_WORDS + chunks + files + chunks + terms + 2 * (terms + 1)
  return words * 4 + (chunks + postings) * 2 + postings + vocabularyBytes
}

function viewsOf(bytes: Uint8Array, { chunks, files, terms, postings, vocabularyBytes }: SegmentSizes): SegmentViews {
  let at = bytes.byteOffset + HEADER_WORDS * 4
  const { buffer } = bytes
  const take = (length: number) => {
    const from = at
    at += length
    return from
  }
  const words = (length: number) => new Uint32Array(buffer, take(length * 4), length)
  const halves = (length: number) => new Uint16Array(buffer, take(length * 2), length)
  return {
    chunkIds: words(chunks),
    fileIds: words(files),
    lengths: words(chunks),
    termHashes: words(terms),
    termStarts: words(terms + 1),
    postingStarts: words(terms + 1),
    fileOfChunk: halves(chunks),
    chunks: halves(postings),
    counts: new Uint8Array(buffer, take(postings), postings),
    vocabulary: new Uint8Array(buffer, take(vocabularyBytes), vocabularyBytes),
  }
}

/** The bytes of an empty segment of these sizes, and views of its parts to be filled. */
export function allocateSegment(sizes: SegmentSizes): { bytes: Uint8Array; views: SegmentViews } {
  const bytes = new Uint8Array(segmentBytes(sizes))
  const { chunks, files, terms, postings, vocabularyBytes } = sizes
  new Uint32Array(bytes.buffer, 0, HEADER_WORDS).set([MAGIC, chunks, files, terms, postings, vocabularyBytes])
  return { bytes, views: viewsOf(bytes, sizes) }
}

/** Each greater than the one before. */
function isAscending(values: Uint32Array): boolean {
  for (let i = 1; i < values.length; i++) if ((values[i] ?? 0) <= (values[i - 1] ?? 0)) return false
  return true
}

function areListsAscending({ chunks, postingStarts }: SegmentViews, chunkCount: number): boolean {
  let start = 0
  for (let term = 1; term < postingStarts.length; term++) {
    const end = postingStarts[term] ?? 0
    for (let i = start + 1; i < end; i++) if ((chunks[i] ?? 0) <= (chunks[i - 1] ?? 0)) return false
    if ((chunks[end - 1] ?? 0) >= chunkCount) return false
    start = end
  }
  return true
}

const damaged = (reason: string): FaultlineError =>
  new FaultlineError(
    'INDEX_INCOMPATIBLE',
    `A segment of the text index cannot be read: ${reason}.`,
    "POST /clone with the repository's url builds the index again.",
  )

function checkViews(views: SegmentViews, { chunks, files, postings, vocabularyBytes }: SegmentSizes): void {
  const { chunkIds, fileIds, fileOfChunk, termHashes, termStarts, postingStarts, counts } = views
  if (!isAscending(chunkIds) || !isAscending(fileIds)) throw damaged('its ids are out of order')
  if (!fileOfChunk.every(file => file < files)) throw damaged('a chunk has no file')
  if (!termHashes.every((hash, i) => i === 0 || hash >= (termHashes[i - 1] ?? 0))) {
    throw damaged('its terms are out of order')
  }
  if (!isAscending(termStarts) || termStarts[0] !== 0 || termStarts.at(-1) !== vocabularyBytes) {
    throw damaged('its vocabulary is torn')
  }
  if (!isAscending(postingStarts) || postingStarts[0] !== 0 || postingStarts.at(-1) !== postings) {
    throw damaged('its lists are torn')
  }
  if (!areListsAscending(views, chunks) || counts.includes(0)) throw damaged('a list is not one')
}

/**
 * Views over the bytes, which are copied only where they are not aligned. Every number that is later used as a position
 * is checked here, in one pass over the postings (about 1 ms a million), so that reading needs no checks.
 * @throws {FaultlineError} INDEX_INCOMPATIBLE when the bytes are not a whole segment of this format.
 */
export function readSegment(bytes: Uint8Array): { sizes: SegmentSizes; views: SegmentViews } {
  const aligned = bytes.byteOffset % 4 === 0 ? bytes : new Uint8Array(bytes) // slice() of a Buffer copies nothing
  if (aligned.length < HEADER_WORDS * 4) throw damaged('it is too short')
  const [magic, chunks = 0, files = 0, terms = 0, postings = 0, vocabularyBytes = 0] = new Uint32Array(
    aligned.buffer,
    aligned.byteOffset,
    HEADER_WORDS,
  )
  if (magic !== MAGIC) throw damaged('it has another format')
  const sizes = { chunks, files, terms, postings, vocabularyBytes }
  if (chunks > MAX_CHUNKS || segmentBytes(sizes) !== aligned.length) throw damaged('its size is wrong')
  const views = viewsOf(aligned, sizes)
  checkViews(views, sizes)
  return { sizes, views }
}
