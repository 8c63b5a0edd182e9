/** Part of the format of a segment: another hash is another format. */
export function termHash(term: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < term.length; i++) hash = Math.imul(hash ^ term.charCodeAt(i), 0x01000193)
  return (hash ^ (hash >>> 15)) >>> 0
}

/** Stable; in time proportional to the number of values. @param keyOf - 16 bits. */
function sortedBy(values: Uint32Array, keyOf: (value: number) => number): Uint32Array {
  const starts = new Uint32Array(65_537)
  for (const value of values) {
    const next = keyOf(value) + 1
    starts[next] = (starts[next] ?? 0) + 1
  }
  for (let i = 1; i < starts.length; i++) starts[i] = (starts[i] ?? 0) + (starts[i - 1] ?? 0)
  const sorted = new Uint32Array(values.length)
  for (const value of values) {
    const key = keyOf(value)
    const at = starts[key] ?? 0
    starts[key] = at + 1
    sorted[at] = value
  }
  return sorted
}

/**
 * The numbers of the terms in the order of a segment: by hash, which is ten times quicker to sort and to search by than
 * the strings; equal ones by UTF-16 units.
 */
export function orderOfTerms(terms: readonly string[]): { order: Uint32Array; hashes: Uint32Array } {
  const hashes = Uint32Array.from(terms, termHash)
  const byLow = sortedBy(
    Uint32Array.from(terms, (_, i) => i),
    term => (hashes[term] ?? 0) & 0xffff,
  )
  const order = sortedBy(byLow, term => (hashes[term] ?? 0) >>> 16)
  const hashAt = (place: number) => hashes[order[place] ?? 0]
  const textAt = (term: number) => terms[term] ?? ''
  for (let start = 0; start < order.length;) {
    let end = start + 1
    while (end < order.length && hashAt(end) === hashAt(start)) end++
    if (end - start > 1) {
      const collided = [...order.subarray(start, end)]
      order.set(
        collided.sort((a, b) => (textAt(a) < textAt(b) ? -1 : 1)),
        start,
      )
    }
    start = end
  }
  return { order, hashes }
}
