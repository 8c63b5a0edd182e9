import { createHash } from 'node:crypto'

/** Hashes that are kept of a log. */
const SIZE = 128
const MAX_LINES = 50_000
const MAX_LINE_CHARS = 300
/** So much do two runs of one CI job have in common, however one of them ends. */
const ALIKE = 0.25

const hashOf = (line: string): number => createHash('sha1').update(line).digest().readUInt32LE(0)

/** A log by the smallest hashes of its lines without numbers: two logs have in common what their sketches have. */
export function sketchOf(log: string): number[] {
  const hashes = new Set<number>()
  for (const line of log.split('\n', MAX_LINES)) {
    const plain = line
      .slice(0, MAX_LINE_CHARS)
      .replace(/[0-9a-f]{6,}/gi, '')
      .replace(/\d+/g, '')
      .trim()
    if (plain !== '') hashes.add(hashOf(plain))
  }
  return [...hashes].sort((a, b) => a - b).slice(0, SIZE)
}

/** Whether two logs are of the same CI job: a quarter of their different lines is in both. */
export function areAlike(a: readonly number[], b: readonly number[]): boolean {
  const smallest = [...new Set([...a, ...b])].sort((one, other) => one - other).slice(0, SIZE)
  const [inA, inB] = [new Set(a), new Set(b)]
  const common = smallest.filter(hash => inA.has(hash) && inB.has(hash)).length
  return smallest.length > 0 && common / smallest.length >= ALIKE
}
