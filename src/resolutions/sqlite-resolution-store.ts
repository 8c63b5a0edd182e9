import type { DatabaseSync, SQLOutputValue } from 'node:sqlite'
import type { FeedbackCounts, FeedbackInput, ResolutionRow } from '../contract/kept-resolution.ts'
import type { ResolutionFilter, ResolutionStore, StoredResolution } from './resolution-store.ts'

type Row = Record<string, SQLOutputValue>

const prepare = (db: DatabaseSync) => ({
  put: db.prepare(
    `INSERT INTO resolutions (id, at, project_name, commit_id, question, title, answer_status, model, packed,
       trace)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (id) DO UPDATE SET
       question = excluded.question, answer_status = excluded.answer_status, packed = excluded.packed
     RETURNING seq`,
  ),
  fingerprint: db.prepare('INSERT OR IGNORE INTO resolution_fingerprints (resolution_seq, fingerprint) VALUES (?, ?)'),
  get: db.prepare('SELECT * FROM resolutions WHERE id = ?'),
  answerTo: db.prepare('SELECT * FROM resolutions WHERE question = ? ORDER BY seq DESC LIMIT 1'),
  fingerprints: db.prepare('SELECT fingerprint FROM resolution_fingerprints WHERE resolution_seq = ?'),
  feedback: db.prepare(
    'SELECT at, helpful, comment, actual_path FROM resolution_feedback WHERE resolution_seq = ? ORDER BY seq',
  ),
  list: db.prepare(
    `SELECT seq, id, at, project_name, commit_id, title, answer_status, model FROM resolutions AS r
     WHERE (:before IS NULL OR seq < :before)
       AND (:projects IS NULL OR lower(project_name) IN (SELECT lower(value) FROM json_each(:projects)))
       AND (:fingerprint IS NULL OR EXISTS (
         SELECT 1 FROM resolution_fingerprints WHERE resolution_seq = r.seq AND fingerprint = :fingerprint))
       AND (:withFeedback = 0 OR EXISTS (SELECT 1 FROM resolution_feedback WHERE resolution_seq = r.seq))
     ORDER BY seq DESC LIMIT :limit`,
  ),
  seqOf: db.prepare('SELECT seq FROM resolutions WHERE id = ?'),
  addFeedback: db.prepare(
    `INSERT INTO resolution_feedback (resolution_seq, at, key_name, helpful, comment, actual_path)
     VALUES (?, ?, ?, ?, ?, ?)`,
  ),
  counts: db.prepare('SELECT helpful, count(*) AS many FROM resolution_feedback GROUP BY helpful'),
  removeBefore: db.prepare(
    'DELETE FROM resolutions WHERE seq IN (SELECT seq FROM resolutions WHERE at < ? ORDER BY seq LIMIT ?)',
  ),
  removeOfProject: db.prepare('DELETE FROM resolutions WHERE lower(project_name) = lower(?)'),
})

/** Transactions of the database, all or nothing each; what was written by a quick one may be lost in a power cut. */
interface Writes {
  durable<T>(work: () => T): T
  quick<T>(work: () => T): T
}

const textOrNull = (value: SQLOutputValue | undefined): string | null => (value === null ? null : String(value))

/** Kept resolutions in tables of the server's database. */
export class SqliteResolutionStore implements ResolutionStore {
  readonly #statements: ReturnType<typeof prepare>
  readonly #writes: Writes

  constructor(db: DatabaseSync, writes: Writes) {
    this.#statements = prepare(db)
    this.#writes = writes
  }

  async put(resolutions: readonly StoredResolution[]): Promise<void> {
    const isPaid = resolutions.some(({ question }) => question !== null)
    this.#writes[isPaid ? 'durable' : 'quick'](() => {
      for (const resolution of resolutions) this.#putOne(resolution)
    })
  }

  #putOne({ id, at, question, title, model, packed, trace, fingerprints, ...rest }: StoredResolution): void {
    const { project_name: project, commit, answer_status: status } = rest
    const row = this.#statements.put.get(id, at, project, commit, question, title, status, model, packed, trace)
    for (const fingerprint of fingerprints) this.#statements.fingerprint.run(Number(row?.seq), fingerprint)
  }

  async get(id: string): Promise<StoredResolution | null> {
    return this.#stored(this.#statements.get.get(id))
  }

  async answerTo(question: string): Promise<StoredResolution | null> {
    return this.#stored(this.#statements.answerTo.get(question))
  }

  async list(
    { projectNames, fingerprint, withFeedback = false }: ResolutionFilter,
    limit: number,
    before: number | null,
  ): Promise<Array<ResolutionRow & { seq: number }>> {
    const rows = this.#statements.list.all({
      before,
      projects: projectNames === null ? null : JSON.stringify(projectNames),
      fingerprint: fingerprint ?? null,
      withFeedback: withFeedback ? 1 : 0,
      limit,
    })
    return rows.map(row => ({ seq: Number(row.seq), ...this.#described(row), feedback: this.#feedbackOf(row) }))
  }

  async addFeedback(
    id: string,
    { at, keyName, helpful, comment, actual_path: path }: FeedbackInput & { at: string; keyName: string | null },
  ): Promise<boolean> {
    return this.#writes.durable(() => {
      const row = this.#statements.seqOf.get(id)
      if (row === undefined) return false
      const seq = Number(row.seq)
      this.#statements.addFeedback.run(seq, at, keyName, helpful ? 1 : 0, comment ?? null, path ?? null)
      return true
    })
  }

  async feedbackCounts(): Promise<FeedbackCounts> {
    const many = new Map(this.#statements.counts.all().map(row => [Number(row.helpful), Number(row.many)]))
    return { helpful: many.get(1) ?? 0, unhelpful: many.get(0) ?? 0 }
  }

  async removeBefore(at: string, most: number): Promise<number> {
    return Number(this.#writes.durable(() => this.#statements.removeBefore.run(at, most)).changes)
  }

  async removeOfProject(projectName: string): Promise<void> {
    this.#writes.durable(() => this.#statements.removeOfProject.run(projectName))
  }

  #stored(row: Row | undefined): StoredResolution | null {
    if (row === undefined || !(row.packed instanceof Uint8Array)) return null
    const trace = row.trace instanceof Uint8Array ? row.trace : null
    return { ...this.#described(row), question: textOrNull(row.question), packed: row.packed, trace }
  }

  #described(row: Row): Omit<ResolutionRow, 'feedback'> {
    return {
      id: String(row.id),
      at: String(row.at),
      project_name: String(row.project_name),
      commit: String(row.commit_id),
      title: String(row.title),
      fingerprints: this.#statements.fingerprints.all(Number(row.seq)).map(({ fingerprint }) => String(fingerprint)),
      answer_status: String(row.answer_status),
      model: textOrNull(row.model),
    }
  }

  #feedbackOf({ seq }: Row): ResolutionRow['feedback'] {
    return this.#statements.feedback.all(Number(seq)).map(row => ({
      at: String(row.at),
      helpful: row.helpful === 1,
      comment: textOrNull(row.comment),
      actual_path: textOrNull(row.actual_path),
    }))
  }
}
