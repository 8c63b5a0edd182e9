import type { QueueHead } from '../store/job-store.ts'

/** A job that runs. */
export interface BegunRun {
  /** Resolves when nothing of the run runs any more; never rejects. */
  readonly over: Promise<unknown>
  /** Whether all is written that the run has to write; false where its end could not be. */
  readonly isEnded: boolean
}

/**
 * Claims a job and starts its body; null when it is not to run any more, or this process stops.
 *
 * @param lost - Fires when the job may be given to another worker: the run is ended and writes nothing any more.
 * @throws What the store threw: whether the job was claimed is not known.
 */
export type Begin = (head: QueueHead, lost?: AbortSignal) => Promise<BegunRun | null>

/**
 * Gives queued jobs to the runner of this process, as many at once as there are permits. The rows of the store say what
 * is queued; who hands it out, and how fairly, is the implementation's.
 */
export interface HandOut {
  /** Whether it gives the jobs of a process that ended to another one, so that nobody has to look for them. */
  readonly redelivers: boolean
  /** Begins to give out jobs; resolves when those that may run now were started. */
  start(begin: Begin): Promise<void>
  /** Starts what may run now. Never fails: a job that could not be started stays queued. */
  wake(): Promise<void>
  /** Gives out no more; what runs goes on. */
  stop(): void
  /** How many of the queued jobs will start before this one; 0 for one that has just been started. */
  positionOf(seq: number): Promise<number>
  /** Seconds until a place in a full queue is free, by how long jobs took lately. */
  retryAfterS(): number
}

/** What every implementation is made of. */
export interface HandOutOptions {
  /** How many jobs may run at once in this process. */
  concurrency: number
  /** Whether jobs of a type run beside those that `concurrency` counts, since these wait for them. */
  isBeside?: (type: QueueHead['type']) => boolean
  /** Whether a queued job may begin now; asked again a second later when not. */
  mayBegin?: () => Promise<boolean>
  /** Reports what broke. */
  onError: (error: unknown) => void
}

/** Jobs beside the others that run at once: an install may take long, and two would leave no place to run a program. */
export const MAX_BESIDE = 1
/** Time after which what could not begin is tried again. */
export const RETRY_MS = 1_000
export const MAX_RETRY_AFTER_S = 600
