import { MAX_LOSSES } from '../job-store.ts'

/*
 * Which attempts at a job ended with their process, as assignments to its row. They are named, so that a process that
 * was taken for lost can take its own back.
 */

/** The job came on, or ended. */
export const NO_LOSSES = "lost_attempts = '{}'"
/** The process of the present attempt is lost. */
export const ONE_LOSS = [
  'lost_attempts = CASE WHEN has_begun THEN lost_attempts || attempt ELSE lost_attempts END',
  'has_begun = false',
]
/** A run begins; one that may be the last waits before its body does. */
export const BEGUN = `has_begun = cardinality(lost_attempts) < ${MAX_LOSSES - 1}`
/** The run of $2 was not lost. */
export const NOT_LOST = `UPDATE jobs SET lost_attempts = array_remove(lost_attempts, $2::int),
  has_begun = has_begun AND attempt <> $2 WHERE seq = $1`

/** How many attempts a column `lost_attempts` names. */
export const lossesIn = (column: unknown): number => (Array.isArray(column) ? column.length : 0)
