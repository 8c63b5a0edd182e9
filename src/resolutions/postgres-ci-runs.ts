import type { Database } from '../postgres/database.ts'
import { MAX_LISTED_RUNS, toCiRun, type CiRuns } from './ci-runs.ts'

/** Keeps runs in a table of PostgreSQL. */
export function createPostgresCiRuns(db: Database): CiRuns {
  return {
    async record(projectName, { jobId, at, commit, fingerprints, sketch }) {
      await db.query(
        `INSERT INTO ci_runs (job_id, at, project_name, commit_id, fingerprints, sketch) VALUES ($1, $2, $3, $4, $5, $6)
         ON CONFLICT (job_id) DO NOTHING`,
        [jobId, at, projectName, commit, JSON.stringify(fingerprints), JSON.stringify(sketch)],
      )
    },
    async list(projectName) {
      const { rows } = await db.query(
        'SELECT * FROM ci_runs WHERE lower(project_name) = lower($1) ORDER BY seq DESC LIMIT $2',
        [projectName, MAX_LISTED_RUNS],
      )
      return rows.map(toCiRun)
    },
    async removeBefore(at) {
      await db.query('DELETE FROM ci_runs WHERE at < $1', [at])
    },
    async removeOfProject(projectName) {
      await db.query('DELETE FROM ci_runs WHERE lower(project_name) = lower($1)', [projectName])
    },
  }
}
