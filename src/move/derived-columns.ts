import type { Queryable } from '../postgres/database.ts'

/** Jobs of one statement, which has to end well within the time limit of the database. */
const JOBS_AT_ONCE = 500

/**
 * What PostgreSQL keeps in the row of a job beside what a single machine does: the numbers of its last event, entry and
 * step, what it takes, and when it ended. Idempotent: the rows of what belongs to jobs have to be there.
 */
export async function setDerivedColumns(db: Queryable, signal: AbortSignal): Promise<void> {
  for (let after = 0; ;) {
    signal.throwIfAborted()
    const { rows } = await db.query(
      `WITH part AS (SELECT seq FROM jobs WHERE seq > $1 ORDER BY seq LIMIT ${JOBS_AT_ONCE}), changed AS (
         UPDATE jobs SET
           ended_at = CASE WHEN status IN ('succeeded', 'failed', 'cancelled') THEN updated_at END,
           last_event = coalesce((SELECT max(id) FROM job_events WHERE job_seq = jobs.seq), 0),
           last_entry = coalesce((SELECT max(id) FROM job_transcript WHERE job_seq = jobs.seq), 0),
           last_position = coalesce((SELECT max(position) FROM job_steps WHERE job_seq = jobs.seq), 0),
           stored_bytes = octet_length(input)
             + coalesce((SELECT octet_length(packed) FROM job_inputs WHERE job_seq = jobs.seq), 0)
             + coalesce((SELECT sum(octet_length(output)) FROM job_steps WHERE job_seq = jobs.seq), 0)
             + coalesce((SELECT sum(length(data)) FROM job_events WHERE job_seq = jobs.seq), 0)
             + coalesce((SELECT sum(octet_length(text)) FROM job_texts WHERE job_seq = jobs.seq), 0)
             + coalesce((SELECT sum(coalesce(octet_length(packed), octet_length(entry), 0)) FROM job_transcript
                 WHERE job_seq = jobs.seq), 0)
         FROM part WHERE jobs.seq = part.seq RETURNING jobs.seq)
       SELECT max(seq) AS last FROM changed`,
      [after],
    )
    const last = rows[0]?.last ?? null
    if (last === null) return
    after = Number(last)
  }
}
