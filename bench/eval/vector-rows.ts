/** Vectors of one length, row after row. */
export interface VectorRows {
  values: Float32Array
  dimensions: number
}

/** The k rows whose inner product with a vector is highest, ties by row. */
export function nearest(
  { values, dimensions }: VectorRows,
  query: Float32Array,
  k: number,
): Array<{ row: number; score: number }> {
  const scores = new Float32Array(dimensions === 0 ? 0 : values.length / dimensions)
  for (let row = 0, at = 0; row < scores.length; row++) {
    let sum = 0
    for (let i = 0; i < dimensions; i++) sum += (values[at++] ?? 0) * (query[i] ?? 0)
    scores[row] = sum
  }
  return Array.from(scores.keys())
    .sort((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0) || a - b)
    .slice(0, k)
    .map(row => ({ row, score: scores[row] ?? 0 }))
}
