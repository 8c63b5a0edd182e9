import { applyMutant, type Mutant } from './mutants.ts'
import { TreeCopy } from './tree-copy.ts'

/** The outcome of a mutant: the test that noticed it, or null when none did. */
export interface MutantResult {
  mutant: Mutant
  noticedBy: string | null
  /** Whether that test only ran out of time: the mutant may never end, or the machine is busy. */
  ranOut: boolean
  /** The tests that were run for it. */
  tests: string[]
}

/** How mutants are run. */
interface RunOptions {
  /** The working tree; it is copied, never changed. */
  folder: string
  testsFor: (path: string) => readonly string[]
  /** How many mutants are tried at once. */
  atOnce: number
  /** Time limit of a test without a mutant. With one it may take a little more than three times what it took. */
  timeoutMs: number
  onResult: (result: MutantResult) => void
  /** Called for a test that cannot be used, since it fails or takes too long by itself. */
  onUnusable: (test: string, why: string) => void
}

const PATIENCE_MS = 5_000

/** Tries each mutant against the tests near it, one test after the other until one of them fails. */
export async function runMutants(mutants: readonly Mutant[], options: RunOptions): Promise<MutantResult[]> {
  const { folder, testsFor, atOnce, timeoutMs, onResult, onUnusable } = options
  using copies = new DisposableStack()
  const clean = copies.use(new TreeCopy(folder))
  const durations = new Map<string, Promise<number | null>>()

  /** How long a test takes without a mutant; null when it cannot be used. */
  async function measure(test: string): Promise<number | null> {
    const startedAt = performance.now()
    const outcome = await clean.run(test, timeoutMs)
    if (outcome === 'passed') return performance.now() - startedAt
    onUnusable(test, outcome)
    return null
  }

  function durationOf(test: string): Promise<number | null> {
    const known = durations.get(test) ?? measure(test)
    durations.set(test, known)
    return known
  }

  async function tryMutant(mutant: Mutant, copy: TreeCopy): Promise<MutantResult> {
    const tests: string[] = []
    copy.change(mutant.path, text => applyMutant(text, mutant))
    try {
      for (const test of testsFor(mutant.path)) {
        const duration = await durationOf(test)
        if (duration === null) continue
        tests.push(test)
        const outcome = await copy.run(test, 3 * duration + PATIENCE_MS)
        if (outcome !== 'passed') return { mutant, tests, noticedBy: test, ranOut: outcome === 'timed out' }
      }
      return { mutant, tests, noticedBy: null, ranOut: false }
    } finally {
      copy.restore(mutant.path)
    }
  }

  const results: MutantResult[] = []
  const waiting = mutants.values()
  async function work(copy: TreeCopy): Promise<void> {
    for (const mutant of waiting) {
      const result = await tryMutant(mutant, copy)
      results.push(result)
      onResult(result)
    }
  }

  const workers = Array.from({ length: Math.min(atOnce, mutants.length) }, () => copies.use(new TreeCopy(folder)))
  await Promise.all(workers.map(work))
  return results
}
