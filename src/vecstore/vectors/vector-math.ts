/**
 * A copy of length one. @throws {RangeError} When a component is not finite or all are zero: neither has a direction.
 */
export function unitVector(vector: Float32Array): Float32Array {
  let squares = 0
  for (const value of vector) squares += value * value
  if (!Number.isFinite(squares) || squares === 0) throw new RangeError('A vector must be finite and not zero.')
  const scale = 1 / Math.sqrt(squares)
  return vector.map(value => value * scale)
}

/** The inner product of two unit vectors as a score from 0 to 1. */
export const similarityScore = (innerProduct: number): number => Math.min(1, Math.max(0, innerProduct))

/** The bytes of a vector; they share its memory. */
export function vectorToBytes(vector: Float32Array): Uint8Array {
  return new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength)
}

/** Copies: the bytes of a database row need not be aligned. */
export function vectorFromBytes(bytes: Uint8Array): Float32Array {
  return new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength))
}
