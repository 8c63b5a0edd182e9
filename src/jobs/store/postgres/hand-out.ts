import type { Queryable } from '../../../postgres/database.ts'
import type { QueueHead } from '../job-store.ts'

/** A job that became queued. */
export interface QueuedJob extends QueueHead {
  id: string
}

/**
 * What hands queued jobs out to nodes. It hears of each change of the queue within the transaction that makes it, so
 * that both are written or neither; what it throws undoes the change.
 */
export interface HandOut {
  /** The job is queued now: it is new, was answered, was put back, or its process was lost. */
  added(tx: Queryable, job: QueuedJob): Promise<void>
  /** The job was cancelled or removed: it is not to be handed out any more. */
  ended(tx: Queryable, seq: number): Promise<void>
}
