import type { FeatureBranch, FeatureBranchFields } from '../../../core/feature.ts'
import type { Database } from '../../../postgres/database.ts'
import { CHANGING_OF_FEATURES, FEATURE_COLUMNS, toBranch } from '../feature-rows.ts'
import type { FeatureStore } from '../feature-store.ts'
import type { RunKey } from '../run-key.ts'
import type { RunWrites } from './run-writes.ts'

/** Another open feature took the branch at the same moment. */
const isTaken = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === '23505'

/** The branches of features, in one table. */
export class PostgresFeatures implements FeatureStore {
  readonly #db: Database
  readonly #runs: RunWrites

  constructor(db: Database, runs: RunWrites) {
    this.#db = db
    this.#runs = runs
  }

  async find(jobId: string): Promise<FeatureBranch | null> {
    const [found] = await this.#select('job_id = $1', [jobId])
    return found ?? null
  }

  async open(of?: { repository: string } | { projectName: string }): Promise<FeatureBranch[]> {
    if (of === undefined) return this.#select("state = 'open'", [])
    return 'repository' in of
      ? this.#select("state = 'open' AND lower(repository) = lower($1)", [of.repository])
      : this.#select("state = 'open' AND lower(project_name) = lower($1)", [of.projectName])
  }

  async claim(run: RunKey, wanted: Parameters<FeatureStore['claim']>[1]): Promise<boolean> {
    try {
      await this.#claim(run, wanted)
    } catch (error) {
      if (!isTaken(error)) throw error
    }
    const { rows } = await this.#db.query(
      'SELECT 1 FROM features WHERE job_seq = $1 AND lower(repository) = lower($2) AND branch = $3',
      [run.seq, wanted.repository, wanted.branch],
    )
    return rows.length > 0
  }

  async update(run: RunKey, fields: FeatureBranchFields): Promise<void> {
    const changed = Object.entries(CHANGING_OF_FEATURES).flatMap(([field, column]) => {
      const value = fields[field as keyof FeatureBranchFields]
      return value === undefined ? [] : [{ column, value }]
    })
    const row = await this.#runs.need(run, {
      parts: values => {
        if (changed.length === 0) return { select: 'id, true AS is_there' }
        const set = changed.map(({ column, value }) => `${column} = ${values.add(value)}`).join(', ')
        return {
          and: {
            changed: `UPDATE features SET ${set} FROM fence WHERE features.job_seq = fence.seq RETURNING job_id`,
          },
          select: 'id, EXISTS (SELECT 1 FROM changed) AS is_there',
        }
      },
    })
    if (row?.is_there === false) throw new Error('the job has no branch of a feature')
  }

  async end(jobId: string, state: Exclude<FeatureBranch['state'], 'open'>): Promise<void> {
    await this.#db.query("UPDATE features SET state = $1 WHERE job_id = $2 AND state = 'open'", [state, jobId])
  }

  async removeOfProject(projectName: string): Promise<void> {
    await this.#db.query('DELETE FROM features WHERE lower(project_name) = lower($1)', [projectName])
  }

  /** Takes the branch unless another open feature has it; the index of open ones decides between two at once. */
  async #claim(run: RunKey, wanted: Parameters<FeatureStore['claim']>[1]): Promise<void> {
    const { jobId, projectName, repository, branch, baseBranch, baseCommit } = wanted
    await this.#runs.need(run, {
      parts: values => {
        const [clone, name] = [values.add(repository, 'text'), values.add(branch, 'text')]
        const own = [jobId, projectName].map(text => values.add(text, 'text')).join(', ')
        const base = [baseBranch, baseCommit].map(text => values.add(text, 'text')).join(', ')
        return {
          and: {
            taken: `INSERT INTO features AS known (job_seq, job_id, project_name, repository, branch, base_branch,
                base_commit, is_pushed, state)
              SELECT seq, ${own}, ${clone}, ${name}, ${base}, false, 'open' FROM fence
              WHERE NOT EXISTS (
                SELECT 1 FROM features WHERE state = 'open' AND lower(repository) = lower(${clone})
                  AND branch = ${name} AND job_seq <> fence.seq)
              ON CONFLICT (job_seq) DO UPDATE SET repository = excluded.repository, branch = excluded.branch,
                base_branch = excluded.base_branch, base_commit = excluded.base_commit, commit_id = NULL,
                is_pushed = false, pushed_commit = NULL, request_number = NULL, state = 'open'
              WHERE known.branch <> excluded.branch OR lower(known.repository) <> lower(excluded.repository)`,
          },
          select: 'id',
        }
      },
    })
  }

  async #select(condition: string, values: readonly unknown[]): Promise<FeatureBranch[]> {
    const { rows } = await this.#db.query(
      `SELECT ${FEATURE_COLUMNS} FROM features WHERE ${condition} ORDER BY job_seq`,
      values,
    )
    return rows.map(toBranch)
  }
}
