import type { FeedbackCounts, FeedbackInput, ResolutionRow } from '../contract/kept-resolution.ts'
import type { Database, Row } from '../postgres/database.ts'
import type { ResolutionFilter, ResolutionStore, StoredResolution } from './resolution-store.ts'

const LISTED = 'seq, id, at, project_name, commit_id, title, answer_status, model'
const FINGERPRINTS = `ARRAY(
  SELECT fingerprint FROM resolution_fingerprints WHERE resolution_seq = seq ORDER BY fingerprint) AS fingerprints`

const textOrNull = (value: unknown): string | null => (typeof value === 'string' ? value : null)

const described = (row: Row): Omit<ResolutionRow, 'feedback'> => ({
  id: String(row.id),
  at: String(row.at),
  project_name: String(row.project_name),
  commit: String(row.commit_id),
  title: String(row.title),
  fingerprints: row.fingerprints as string[],
  answer_status: String(row.answer_status),
  model: textOrNull(row.model),
})

function stored(row: Row | undefined): StoredResolution | null {
  if (row === undefined || !(row.packed instanceof Uint8Array)) return null
  const trace = row.trace instanceof Uint8Array ? new Uint8Array(row.trace) : null
  return { ...described(row), question: textOrNull(row.question), packed: new Uint8Array(row.packed), trace }
}

const toFeedback = (row: Row): ResolutionRow['feedback'][number] => ({
  at: String(row.at),
  helpful: row.helpful === true,
  comment: textOrNull(row.comment),
  actual_path: textOrNull(row.actual_path),
})

/** Types of what `put` is given of each resolution. */
const GIVEN = ['text', 'timestamptz', ...Array.from({ length: 6 }, () => 'text'), 'bytea', 'bytea', 'text[]']

const placeholders = (row: number): string =>
  `(${GIVEN.map((type, column) => `$${row * GIVEN.length + column + 1}::${type}`).join(', ')})`

/** Kept resolutions in tables of PostgreSQL. */
export class PostgresResolutionStore implements ResolutionStore {
  readonly #db: Database

  constructor(db: Database) {
    this.#db = db
  }

  /** One statement for all: between two turns of the event loop only one goes to the database and back. */
  async put(resolutions: readonly StoredResolution[]): Promise<void> {
    if (resolutions.length === 0) return
    const rows = resolutions.map(({ id, at, question, title, model, packed, trace, fingerprints, ...rest }) => {
      const own = [id, at, rest.project_name, rest.commit, question, title, rest.answer_status, model, packed, trace]
      return [...own, fingerprints]
    })
    await this.#db.query(
      `WITH given (id, at, project_name, commit_id, question, title, answer_status, model, packed, trace, fingerprints)
         AS (VALUES ${rows.map((_, row) => placeholders(row)).join(', ')}),
       put AS (
         INSERT INTO resolutions (id, at, project_name, commit_id, question, title, answer_status, model, packed, trace)
         SELECT id, at, project_name, commit_id, question, title, answer_status, model, packed, trace FROM given
         ON CONFLICT (id) DO UPDATE SET question = excluded.question, answer_status = excluded.answer_status,
           packed = excluded.packed
         RETURNING seq, id)
       INSERT INTO resolution_fingerprints (resolution_seq, fingerprint)
       SELECT DISTINCT put.seq, fingerprint FROM put JOIN given USING (id), unnest(fingerprints) AS fingerprint
       ON CONFLICT DO NOTHING`,
      rows.flat(),
    )
  }

  async get(id: string): Promise<StoredResolution | null> {
    const { rows } = await this.#db.query(`SELECT *, ${FINGERPRINTS} FROM resolutions WHERE id = $1`, [id])
    return stored(rows[0])
  }

  async answerTo(question: string): Promise<StoredResolution | null> {
    const { rows } = await this.#db.query(
      `SELECT *, ${FINGERPRINTS} FROM resolutions WHERE question = $1 ORDER BY seq DESC LIMIT 1`,
      [question],
    )
    return stored(rows[0])
  }

  async list(
    { projectNames, fingerprint, withFeedback = false }: ResolutionFilter,
    limit: number,
    before: number | null,
  ): Promise<Array<ResolutionRow & { seq: number }>> {
    const values: unknown[] = [limit]
    const add = (value: unknown) => `$${values.push(value)}`
    const conditions = ['true']
    if (before !== null) conditions.push(`seq < ${add(before)}`)
    if (projectNames !== null) {
      conditions.push(`lower(project_name) = ANY (${add(projectNames.map(name => name.toLowerCase()))}::text[])`)
    }
    if (fingerprint !== undefined) {
      conditions.push(`EXISTS (
        SELECT 1 FROM resolution_fingerprints WHERE resolution_seq = seq AND fingerprint = ${add(fingerprint)})`)
    }
    if (withFeedback) {
      conditions.push('EXISTS (SELECT 1 FROM resolution_feedback AS said WHERE said.resolution_seq = resolutions.seq)')
    }
    const { rows } = await this.#db.reads.query(
      `SELECT ${LISTED}, ${FINGERPRINTS} FROM resolutions WHERE ${conditions.join(' AND ')}
       ORDER BY seq DESC LIMIT $1`,
      values,
    )
    const feedback = await this.#feedbackOf(rows.map(({ seq }) => Number(seq)))
    return rows.map(row => {
      const seq = Number(row.seq)
      return { seq, ...described(row), feedback: feedback.get(seq) ?? [] }
    })
  }

  async addFeedback(
    id: string,
    { at, keyName, helpful, comment, actual_path: path }: FeedbackInput & { at: string; keyName: string | null },
  ): Promise<boolean> {
    const { count } = await this.#db.query(
      `INSERT INTO resolution_feedback (resolution_seq, at, key_name, helpful, comment, actual_path)
       SELECT seq, $2::timestamptz, $3::text, $4::boolean, $5::text, $6::text FROM resolutions WHERE id = $1`,
      [id, at, keyName, helpful, comment ?? null, path ?? null],
    )
    return count > 0
  }

  async feedbackCounts(): Promise<FeedbackCounts> {
    const { rows } = await this.#db.reads.query(
      `SELECT count(*) FILTER (WHERE helpful) AS helpful, count(*) FILTER (WHERE NOT helpful) AS unhelpful
       FROM resolution_feedback`,
    )
    return { helpful: Number(rows[0]?.helpful), unhelpful: Number(rows[0]?.unhelpful) }
  }

  async removeBefore(at: string, most: number): Promise<number> {
    const { count } = await this.#db.query(
      'DELETE FROM resolutions WHERE seq IN (SELECT seq FROM resolutions WHERE at < $1 ORDER BY seq LIMIT $2)',
      [at, most],
    )
    return count
  }

  async removeOfProject(projectName: string): Promise<void> {
    await this.#db.query('DELETE FROM resolutions WHERE lower(project_name) = lower($1)', [projectName])
  }

  async #feedbackOf(seqs: readonly number[]): Promise<Map<number, ResolutionRow['feedback']>> {
    const { rows } = await this.#db.reads.query(
      `SELECT resolution_seq, at, helpful, comment, actual_path FROM resolution_feedback
       WHERE resolution_seq = ANY ($1::bigint[]) ORDER BY seq`,
      [seqs],
    )
    const all = new Map<number, ResolutionRow['feedback']>()
    for (const row of rows) {
      const seq = Number(row.resolution_seq)
      all.set(seq, [...(all.get(seq) ?? []), toFeedback(row)])
    }
    return all
  }
}
