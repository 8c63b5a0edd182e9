import type { QueueHead } from './job-store.ts'

/** Whose turn it is, by what runs and who had the last turns. */
export interface Turns {
  choose (heads: readonly QueueHead[], running: Iterable<QueueHead>): QueueHead | null
  /** The job of this project was started. */
  took (projectName: string | null): void
}

/** So many projects are remembered; one that is forgotten counts as one that has waited longest. */
const MAX_PROJECTS = 10_000

/**
 * Fair turns between projects: a free slot goes to the project that runs the fewest jobs, of these to the one whose last turn is longest
 * ago, and there to the oldest job that no running one excludes. A project with a thousand jobs holds up none with one.
 */
export function createTurns (): Turns {
  const lastTurn = new Map<string, number>()
  let turn = 0
  const nameOf = (projectName: string | null): string => projectName?.toLowerCase() ?? ''

  return {
    choose (heads, running) {
      const runs = new Map<string, number>()
      const busyKeys = new Set<string | null>()
      const busy = new Set<number>()
      for (const { seq, projectName, exclusiveKey } of running) {
        runs.set(nameOf(projectName), (runs.get(nameOf(projectName)) ?? 0) + 1)
        busy.add(seq)
        busyKeys.add(exclusiveKey)
      }
      busyKeys.delete(null)
      const rank = ({ seq, projectName }: QueueHead): [number, number, number] => [runs.get(nameOf(projectName)) ?? 0, lastTurn.get(nameOf(projectName)) ?? 0, seq]
      let best: QueueHead | null = null
      for (const head of heads) {
        if (busyKeys.has(head.exclusiveKey) || busy.has(head.seq)) continue
        if (best === null || isBefore(rank(head), rank(best))) best = head
      }
      return best
    },
    took (projectName) {
      const name = nameOf(projectName)
      lastTurn.delete(name) // the map is in the order of turns
      lastTurn.set(name, ++turn)
      const [oldest] = lastTurn.keys()
      if (lastTurn.size > MAX_PROJECTS && oldest !== undefined) lastTurn.delete(oldest)
    },
  }
}

function isBefore (a: readonly number[], b: readonly number[]): boolean {
  const at = a.findIndex((value, index) => value !== b[index])
  return at >= 0 && (a[at] ?? 0) < (b[at] ?? 0)
}
