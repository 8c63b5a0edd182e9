import { createHash } from 'node:crypto'

/** As the OpenAI protocol sends vectors: little-endian 32-bit floats. */
export const base64Of = (vector: number[]): string => Buffer.from(Float32Array.from(vector).buffer).toString('base64')

/**
 * The vector that the server gives to a text: its words hashed into buckets, so texts that share words are near. Never
 * all zero.
 */
export function vectorOf(text: string, dimensions: number): number[] {
  const vector = new Array<number>(dimensions).fill(0)
  vector[0] = 0.25
  for (const word of text.toLowerCase().match(/[a-z0-9_]+/g) ?? []) {
    const hash = createHash('sha256').update(word).digest()
    const bucket = hash.readUInt32BE(0) % dimensions
    vector[bucket] = (vector[bucket] ?? 0) + (hash.readUInt8(4) < 128 ? 1 : -1)
  }
  return vector
}
