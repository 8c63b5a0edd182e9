import type { DatabaseSync } from 'node:sqlite'
import type { FeatureBranch, FeatureBranchFields } from '../../../core/feature.ts'
import { CHANGING_OF_FEATURES, FEATURE_COLUMNS, toBranch } from '../feature-rows.ts'
import type { FeatureStore } from '../feature-store.ts'
import type { RunKey } from '../run-key.ts'
import type { Attempts } from './attempts.ts'
import { overwriting } from './database.ts'
import type { Transactions } from './transactions.ts'

const prepare = (db: DatabaseSync) => ({
  find: db.prepare(`SELECT ${FEATURE_COLUMNS} FROM features WHERE job_id = ?`),
  open: db.prepare(`SELECT ${FEATURE_COLUMNS} FROM features WHERE state = 'open' ORDER BY job_seq`),
  openIn: db.prepare(
    `SELECT ${FEATURE_COLUMNS} FROM features WHERE state = 'open' AND lower(repository) = lower(?) ORDER BY job_seq`,
  ),
  openOf: db.prepare(
    `SELECT ${FEATURE_COLUMNS} FROM features WHERE state = 'open' AND lower(project_name) = lower(?) ORDER BY job_seq`,
  ),
  holder: db.prepare(
    `SELECT job_seq FROM features WHERE state = 'open' AND lower(repository) = lower(?) AND branch = ?`,
  ),
  claim: db.prepare(
    `INSERT INTO features
       (job_seq, job_id, project_name, repository, branch, base_branch, base_commit, is_pushed, state)
     VALUES (?, ?, ?, ?, ?, ?, ?, 0, 'open')
     ON CONFLICT (job_seq) DO UPDATE SET repository = excluded.repository, branch = excluded.branch,
       base_branch = excluded.base_branch, base_commit = excluded.base_commit, commit_id = NULL, is_pushed = 0,
       pushed_commit = NULL, request_number = NULL, state = 'open'
     WHERE branch <> excluded.branch OR lower(repository) <> lower(excluded.repository)`,
  ),
  end: db.prepare(`UPDATE features SET state = ? WHERE job_id = ? AND state = 'open'`),
  removeOfProject: db.prepare('DELETE FROM features WHERE lower(project_name) = lower(?)'),
})

type Value = string | number | null

const asValue = (value: string | number | boolean | null): Value => (typeof value === 'boolean' ? Number(value) : value)

/** The branches of features, in one table. */
export class SqliteFeatures implements FeatureStore {
  readonly #db: DatabaseSync
  readonly #writes: Transactions
  readonly #attempts: Attempts
  readonly #statements: ReturnType<typeof prepare>

  constructor(db: DatabaseSync, writes: Transactions, attempts: Attempts) {
    this.#db = db
    this.#writes = writes
    this.#attempts = attempts
    this.#statements = prepare(db)
  }

  async find(jobId: string): Promise<FeatureBranch | null> {
    const row = this.#statements.find.get(jobId)
    return row === undefined ? null : toBranch(row)
  }

  async open(of?: { repository: string } | { projectName: string }): Promise<FeatureBranch[]> {
    const { open, openIn, openOf } = this.#statements
    if (of === undefined) return open.all().map(toBranch)
    return ('repository' in of ? openIn.all(of.repository) : openOf.all(of.projectName)).map(toBranch)
  }

  async claim(run: RunKey, wanted: Parameters<FeatureStore['claim']>[1]): Promise<boolean> {
    this.#attempts.check(run)
    const { jobId, projectName, repository, branch, baseBranch, baseCommit } = wanted
    return this.#writes.durable(() => {
      const holder = this.#statements.holder.get(repository, branch)?.job_seq
      if (holder !== undefined && holder !== run.seq) return false
      this.#statements.claim.run(run.seq, jobId, projectName, repository, branch, baseBranch, baseCommit)
      return true
    })
  }

  async update(run: RunKey, fields: FeatureBranchFields): Promise<void> {
    this.#attempts.check(run)
    const changed = Object.entries(CHANGING_OF_FEATURES).flatMap(([field, column]) => {
      const value = fields[field as keyof FeatureBranchFields]
      return value === undefined ? [] : [{ column, value: asValue(value) }]
    })
    if (changed.length === 0) return
    const set = changed.map(({ column }) => `${column} = ?`).join(', ')
    const values = changed.map(({ value }) => value)
    const { changes } = this.#writes.durable(() =>
      this.#db.prepare(`UPDATE features SET ${set} WHERE job_seq = ?`).run(...values, run.seq),
    )
    if (Number(changes) === 0) throw new Error('the job has no branch of a feature')
  }

  async end(jobId: string, state: Exclude<FeatureBranch['state'], 'open'>): Promise<void> {
    this.#writes.durable(() => this.#statements.end.run(state, jobId))
  }

  async removeOfProject(projectName: string): Promise<void> {
    overwriting(this.#db, () => this.#writes.vital(() => this.#statements.removeOfProject.run(projectName)))
  }
}
