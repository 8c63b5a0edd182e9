import type { Queryable, Row } from '../../../postgres/database.ts'
import type { QueueHead } from '../job-store.ts'
import { toHead } from '../rows.ts'
import type { Values } from './values.ts'

/** A job that became queued. */
export interface QueuedJob extends QueueHead {
  id: string
  /** The node that alone is to run it; null: any. */
  runsOn: string | null
}

/** The job that became queued, as its row has it. */
export const toQueued = (row: Row): QueuedJob => ({
  ...toHead(row),
  id: String(row.id),
  runsOn: row.runs_on as string | null,
})

/**
 * What hands queued jobs out to nodes. It hears of each change of the queue within the transaction that makes it, so
 * that both are written or neither; what it throws undoes the change.
 */
export interface HandOut {
  /** The job is queued now: it is new, was answered, was put back, or its process was lost. */
  added(tx: Queryable, job: QueuedJob): Promise<void>
  /** The job was cancelled or removed: it is not to be handed out any more. Its body may run on for a moment. */
  ended(tx: Queryable, seq: number): Promise<void>
  /** This process claims the job. @returns Whether it was handed out to it, and not to another one since. */
  claimed(tx: Queryable, seq: number): Promise<boolean>
  /**
   * The run of this process is over; before `added` for a job that is queued again.
   *
   * @returns SQL for a part of the statement that ends the run, over its `fence`; null: there is nothing to do.
   */
  finished(values: Values, seq: number): string | null
}
