/**
 * One run of a job; `attempt` rises with each claim. What a run writes is refused once the job was claimed again: a
 * worker that was taken for dead changes nothing any more.
 */
export interface RunKey {
  seq: number
  attempt: number
}

/** What a run wrote was refused: the job was claimed by another one. */
export class StaleRunError extends Error {
  constructor() {
    super('the job was claimed by another run; what this one still does is discarded')
    this.name = 'StaleRunError'
  }
}

export const isStale = (error: unknown): boolean => error instanceof StaleRunError
