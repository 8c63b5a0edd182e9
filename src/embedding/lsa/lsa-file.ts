import { createHash } from 'node:crypto'
import type { LsaFit } from './learned-space.ts'

// Little-endian: 64 bytes of header, matrix and idf as 32-bit floats, terms in UTF-8 with a line break after each,
// SHA-256 of all that.

/** Change it with anything that changes a vector or the format: tokenizer, weights, layout. */
const MAGIC = 'FL-LSA-1'
const HEADER_BYTES = 64
const DIGEST_BYTES = 32
const ID_DIGITS = 24
const MAX_DIMENSIONS = 4096

type FitContent = Omit<LsaFit, 'id'>

function bytesOf(floats: Float32Array): Buffer {
  return Buffer.from(floats.buffer, floats.byteOffset, floats.byteLength)
}

function partsOf({ dimensions, terms, idf, matrix, documentCount, unknownShare }: FitContent): Buffer[] {
  let names = ''
  for (const term of terms.keys()) {
    if (term.includes('\n')) throw new TypeError('A term must not hold a line break.')
    names += `${term}\n`
  }
  const termBytes = Buffer.from(names)
  const header = Buffer.alloc(HEADER_BYTES)
  header.write(MAGIC, 'latin1')
  for (const [i, value] of [dimensions, terms.size, termBytes.length, documentCount].entries()) {
    header.writeUInt32LE(value, 8 + i * 4)
  }
  header.writeDoubleLE(unknownShare, 24)
  return [header, bytesOf(matrix), bytesOf(idf), termBytes]
}

function digestOf(parts: readonly Uint8Array[]): Buffer {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part)
  return hash.digest()
}

const idOf = (digest: Buffer): string => `lsa-128-${digest.toString('hex').slice(0, ID_DIGITS)}`

/** Gives a fit the id that its content has. */
export function withId(fit: FitContent): LsaFit {
  return { id: idOf(digestOf(partsOf(fit))), ...fit }
}

/** The bytes of a fit: about 10 MB for 20,000 terms. `openFit` gives it back with the same id. */
export function serializeFit(fit: LsaFit): Uint8Array {
  const parts = partsOf(fit)
  return Buffer.concat([...parts, digestOf(parts)])
}

function damaged(why: string): RangeError {
  return new RangeError(`This is no fit of the embedder, or a damaged one: ${why}.`)
}

/** Numbers that the file begins with. @throws {RangeError} It does not begin as a fit, or has another length. */
function readHeader(bytes: Uint8Array) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, Math.min(HEADER_BYTES, bytes.byteLength))
  const isTooShort = bytes.byteLength < HEADER_BYTES + DIGEST_BYTES
  if (isTooShort || Buffer.from(bytes.subarray(0, MAGIC.length)).toString('latin1') !== MAGIC) {
    throw damaged('it does not begin as one')
  }
  const [dimensions = 0, termCount = 0, termBytes = 0, documentCount = 0] = [8, 12, 16, 20].map(at =>
    view.getUint32(at, true),
  )
  const matrixBytes = termCount * dimensions * 4
  const end = HEADER_BYTES + matrixBytes + termCount * 4 + termBytes
  if (dimensions === 0 || dimensions > MAX_DIMENSIONS || bytes.byteLength !== end + DIGEST_BYTES) {
    throw damaged('its length is not what its header says')
  }
  return { dimensions, termCount, termBytes, documentCount, matrixBytes, end, unknownShare: view.getFloat64(24, true) }
}

/**
 * Reads what `serializeFit` wrote. The matrix is a view of the bytes where they lie at a multiple of four, so they must
 * not be changed later. About 15 ms for 20,000 terms, most of it for the checksum.
 *
 * @throws {RangeError} The bytes are no fit, or are truncated or damaged.
 */
export function openFit(bytes: Uint8Array): LsaFit {
  const aligned = bytes.byteOffset % 4 === 0 ? bytes : new Uint8Array(bytes) // slice() of a Buffer copies nothing
  const { dimensions, termCount, termBytes, documentCount, matrixBytes, end, unknownShare } = readHeader(aligned)
  const digest = digestOf([aligned.subarray(0, end)])
  if (!digest.equals(aligned.subarray(end))) throw damaged('its checksum is another one')

  const floats = (from: number, count: number) => new Float32Array(aligned.buffer, aligned.byteOffset + from, count)
  const names = new TextDecoder().decode(aligned.subarray(end - termBytes, end)).split('\n')
  const terms = new Map<string, number>()
  for (let number = 0; number < termCount; number++) terms.set(names[number] ?? '', number)
  if (names.length !== termCount + 1 || terms.size !== termCount) {
    throw damaged('its terms are not as many as its header says')
  }
  return {
    id: idOf(digest),
    dimensions,
    terms,
    idf: floats(HEADER_BYTES + matrixBytes, termCount),
    matrix: floats(HEADER_BYTES, termCount * dimensions),
    documentCount,
    unknownShare,
  }
}

/**
 * `openFit` that answers a fit it opened last again at once: the caller knows by its own checksum that the bytes are
 * whole.
 */
export function rememberingOpenFit(): typeof openFit {
  let last: { digest: string; fit: LsaFit } | null = null
  return bytes => {
    const digest = Buffer.from(bytes.subarray(-DIGEST_BYTES)).toString('latin1')
    if (last?.digest !== digest) last = { digest, fit: openFit(bytes) }
    return last.fit
  }
}
