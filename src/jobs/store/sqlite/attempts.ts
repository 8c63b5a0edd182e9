import type { RunKey } from '../run-key.ts'
import { claimedAgain } from '../status-changes.ts'

/**
 * Which run of a job is its latest. As long as the process lives: only it runs the jobs of its database, and what it
 * left when it died is claimed anew.
 */
export class Attempts {
  readonly #latest = new Map<number, number>()

  /** The key of a run that begins now. Runs before it are over. */
  begin(seq: number): RunKey {
    const attempt = (this.#latest.get(seq) ?? 0) + 1
    this.#latest.set(seq, attempt)
    return { seq, attempt }
  }

  isLatest({ seq, attempt }: RunKey): boolean {
    return this.#latest.get(seq) === attempt
  }

  /** @throws {Error} The job was claimed again: what the run still does is discarded. */
  check(run: RunKey): void {
    if (!this.isLatest(run)) throw claimedAgain()
  }

  forget(seq: number): void {
    this.#latest.delete(seq)
  }
}
