/** How far a phase of indexing is. */
export interface IndexProgress {
  phase: 'files' | 'embedding' | 'storing'
  done: number
  total: number
}

const INTERVAL_MS = 100

/** Passes on at most ten reports a second; the first and the last of each phase always come through. */
export function throttled(
  report: (progress: IndexProgress) => void,
  now: () => number,
): (progress: IndexProgress) => void {
  let phase: IndexProgress['phase'] | null = null
  let lastAt = -Infinity
  return progress => {
    const at = now()
    if (progress.phase === phase && progress.done < progress.total && at - lastAt < INTERVAL_MS) return
    phase = progress.phase
    lastAt = at
    report(progress)
  }
}
