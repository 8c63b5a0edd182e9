import { closeSync, fstatSync, openSync, readSync } from 'node:fs'

// What hnswlib writes, in little-endian words of 32 bits: a header; a record of each point; then of each point the size
// of its upper levels, and these.
//
//   record: a list with room for `maxLinks` points, the vector, the label in two words
//   upper level: a list with room for half as many points
//   list: how many points follow that count (its upper half holds flags), then the room for them

const HEADER_WORDS = 24
const RECORDS_PER_READ = 1_000

interface Shape {
  dimensions: number
  elements: number
  maxLinks: number
}

/** Length of a record in 32-bit words, and where the vector and the label begin in it. */
function recordOf({ dimensions, maxLinks }: Shape): { words: number; vector: number; label: number } {
  const vector = 1 + maxLinks
  return { words: vector + dimensions + 2, vector, label: vector + dimensions }
}

/**
 * What is left out (M, the factor for levels, efConstruction) matters only to points that are added, which an index
 * that was read never gets.
 */
function hasShape(header: Uint32Array, shape: Shape): boolean {
  const { words, vector, label } = recordOf(shape)
  const { elements, maxLinks } = shape
  const long = (at: number) => (header[at] ?? 0) + (header[at + 1] ?? 0) * 2 ** 32
  return (
    long(0) === 0 &&
    long(2) === elements &&
    long(4) === elements &&
    long(6) === words * 4 &&
    long(8) === label * 4 &&
    long(10) === vector * 4 &&
    (header[12] ?? 0) < elements &&
    (header[13] ?? 0) < elements &&
    long(14) === maxLinks / 2 &&
    long(16) === maxLinks
  )
}

/** A count, whose upper half holds flags that a written file does not have, and so many points. */
function isSoundList(list: Uint32Array, elements: number): boolean {
  const count = list[0] ?? NaN
  if (!(count < list.length)) return false
  for (let i = 1; i <= count; i++) if ((list[i] ?? NaN) >= elements) return false
  return true
}

/**
 * The highest level of each point; null where the lists of links do not fill the rest of the file, or one leads to a
 * point that is not on its level.
 */
function levelsOf(words: Uint32Array, { elements, maxLinks }: Shape): Uint8Array | null {
  const wordsPerLevel = 1 + maxLinks / 2
  const starts = new Uint32Array(elements)
  const levels = new Uint8Array(elements)
  let at = 0
  for (let point = 0; point < elements; point++) {
    const size = words[at++] ?? NaN
    const level = size / 4 / wordsPerLevel
    if (!Number.isInteger(level) || level > 255) return null
    starts[point] = at
    levels[point] = level
    at += level * wordsPerLevel
  }
  if (at !== words.length) return null
  for (let point = 0; point < elements; point++) {
    for (let level = 1; level <= (levels[point] ?? 0); level++) {
      const list = words.subarray(
        (starts[point] ?? 0) + (level - 1) * wordsPerLevel,
        (starts[point] ?? 0) + level * wordsPerLevel,
      )
      if (
        !isSoundList(list, elements) ||
        list.subarray(1, 1 + (list[0] ?? 0)).some(other => (levels[other] ?? 0) < level)
      ) {
        return null
      }
    }
  }
  return levels
}

function areSoundRecords(words: Uint32Array, shape: Shape, labels: Set<number>): boolean {
  const record = recordOf(shape)
  const values = new Float32Array(words.buffer)
  for (let at = 0; at < words.length; at += record.words) {
    if (!isSoundList(words.subarray(at, at + record.vector), shape.elements)) return false
    for (let i = at + record.vector; i < at + record.label; i++) if (!Number.isFinite(values[i])) return false
    if (words[at + record.label + 1] !== 0) return false
    labels.add(words[at + record.label] ?? 0)
  }
  return true
}

/** @throws {RangeError} Never for a file of the size that was asked for before. */
function wordsAt(file: number, position: number, count: number): Uint32Array {
  const words = new Uint32Array(count)
  const bytes = new Uint8Array(words.buffer)
  for (let done = 0; done < bytes.length;) {
    const read = readSync(file, bytes, done, bytes.length - done, position + done)
    if (read === 0) return words // cut off meanwhile: zeros are not sound
    done += read
  }
  return words
}

function isSound(file: number, bytes: number, shape: Shape): boolean {
  const { elements } = shape
  const record = recordOf(shape)
  const upperAt = HEADER_WORDS * 4 + elements * record.words * 4
  if (elements < 1 || bytes % 4 !== 0 || bytes < upperAt + elements * 4) return false
  const header = wordsAt(file, 0, HEADER_WORDS)
  if (!hasShape(header, shape)) return false
  const levels = levelsOf(wordsAt(file, upperAt, (bytes - upperAt) / 4), shape)
  if (levels === null || levels[header[13] ?? 0] !== header[12] || levels.some(level => level > (header[12] ?? 0))) {
    return false
  }
  const labels = new Set<number>()
  for (let first = 0; first < elements; first += RECORDS_PER_READ) {
    const count = Math.min(RECORDS_PER_READ, elements - first)
    const words = wordsAt(file, (HEADER_WORDS + first * record.words) * 4, count * record.words)
    if (!areSoundRecords(words, shape, labels)) return false
  }
  return labels.size === elements
}

/**
 * Whether hnswlib can read and search a file without leaving it: it follows each number in it without looking, and
 * takes the process with it when one is wrong. A checksum tells that a file is as it was written, this that it was
 * written as this release would. About 1 ms a megabyte, in blocks.
 *
 * @param shape.maxLinks - Of a point on the lowest level.
 */
export function isSoundHnswFile(path: string, shape: Shape): boolean {
  const file = openSync(path, 'r')
  try {
    return isSound(file, fstatSync(file).size, shape)
  } finally {
    closeSync(file)
  }
}
