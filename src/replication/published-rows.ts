import type { BlobRef } from '../object-store/blobs/blob-store.ts'
import type { Database, Row } from '../postgres/database.ts'

/** Who publishes: a run of a job, on a node. */
export interface Publisher {
  seq: number
  attempt: number
  node: string
}

/** What is published of a project, for all nodes. */
export interface PublishedGeneration {
  project: string
  generation: number
  description: BlobRef
  /** What the publisher said of it, for lists. */
  summary: unknown
  node: string
  publishedAt: string
}

/** What a row is to point at. */
interface NewRow {
  project: string
  generation: number
  description: BlobRef
  summary: unknown
  /** The node alone where no run made it, as when the folders of a single machine are taken over. */
  publisher: Publisher | Pick<Publisher, 'node'>
}

const NEWER = `
  INSERT INTO published_generations AS p
    (project, generation, description_sha256, description_bytes, summary, node, job_seq, attempt)
  SELECT $1, $2, $3, $4, $5::jsonb, $6, $7, $8 FROM run
  ON CONFLICT (project) DO UPDATE SET
    generation = EXCLUDED.generation, description_sha256 = EXCLUDED.description_sha256,
    description_bytes = EXCLUDED.description_bytes, summary = EXCLUDED.summary, node = EXCLUDED.node,
    job_seq = EXCLUDED.job_seq, attempt = EXCLUDED.attempt, published_at = EXCLUDED.published_at
  WHERE p.generation < EXCLUDED.generation
    OR (p.generation = EXCLUDED.generation AND p.description_sha256 = EXCLUDED.description_sha256)`
/** The row of the run is held, so that no other node claims the job between the test and the end of the statement. */
const POINT = `
  WITH run AS (SELECT FROM jobs WHERE seq = $7 AND attempt = $8 AND status = 'running' FOR SHARE) ${NEWER}`
const POINT_WITHOUT_RUN = `WITH run AS (SELECT) ${NEWER}`
/** Stands for the run of what no run made. */
const NO_RUN = { seq: 0, attempt: 0 }

const toPublished = (row: Row): PublishedGeneration => ({
  project: String(row.project),
  generation: Number(row.generation),
  description: { sha256: String(row.description_sha256), bytes: Number(row.description_bytes) },
  summary: row.summary,
  node: String(row.node),
  publishedAt: String(row.published_at),
})

/** What all nodes are to answer from; null: nothing is published. */
export async function findPublished(db: Pick<Database, 'query'>, project: string): Promise<PublishedGeneration | null> {
  const { rows } = await db.query('SELECT * FROM published_generations WHERE lower(project) = lower($1)', [project])
  return rows[0] === undefined ? null : toPublished(rows[0])
}

/** Projects whose published index may hold a repository: those whose publisher said so, and that said nothing. */
export async function projectsWith(db: Pick<Database, 'query'>, repository: string): Promise<string[]> {
  const { rows } = await db.query(
    `SELECT project FROM published_generations
     WHERE summary IS NULL OR summary->'manifest'->'repositories' @> $1::jsonb ORDER BY project`,
    [JSON.stringify([{ repository }])],
  )
  return rows.map(({ project }) => String(project))
}

/** Whether a run is the present one of its job. */
export async function isRunning(
  db: Pick<Database, 'query'>,
  { seq, attempt }: Pick<Publisher, 'seq' | 'attempt'>,
): Promise<boolean> {
  const { count } = await db.query("SELECT FROM jobs WHERE seq = $1 AND attempt = $2 AND status = 'running'", [
    seq,
    attempt,
  ])
  return count > 0
}

/** Points a project at a generation. @returns False: the run is over, or something newer is published. */
export async function pointAt(
  db: Pick<Database, 'query'>,
  { project, generation, description, summary, publisher }: NewRow,
): Promise<boolean> {
  const { seq, attempt } = 'seq' in publisher ? publisher : NO_RUN
  const { count } = await db.query('seq' in publisher ? POINT : POINT_WITHOUT_RUN, [
    project,
    generation,
    description.sha256,
    description.bytes,
    JSON.stringify(summary),
    publisher.node,
    seq,
    attempt,
  ])
  return count > 0
}

/** Points a project at nothing. */
export async function removePublished(db: Pick<Database, 'query'>, project: string): Promise<void> {
  await db.query('DELETE FROM published_generations WHERE lower(project) = lower($1)', [project])
}
