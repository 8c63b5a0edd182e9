import type { DatabaseSync } from 'node:sqlite'
import { MAX_LISTED_RUNS, toCiRun, type CiRuns } from './ci-runs.ts'

/** Keeps runs in a table of the server's database. */
export function createSqliteCiRuns(db: DatabaseSync, write: <T>(work: () => T) => T): CiRuns {
  const put = db.prepare(
    `INSERT INTO ci_runs (job_id, at, project_name, commit_id, fingerprints, sketch) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT (job_id) DO NOTHING`,
  )
  const list = db.prepare('SELECT * FROM ci_runs WHERE lower(project_name) = lower(?) ORDER BY seq DESC LIMIT ?')
  const removeBefore = db.prepare('DELETE FROM ci_runs WHERE at < ?')
  const removeOfProject = db.prepare('DELETE FROM ci_runs WHERE lower(project_name) = lower(?)')
  return {
    async record(projectName, { jobId, at, commit, fingerprints, sketch }) {
      write(() => put.run(jobId, at, projectName, commit, JSON.stringify(fingerprints), JSON.stringify(sketch)))
    },
    async list(projectName) {
      return list.all(projectName, MAX_LISTED_RUNS).map(toCiRun)
    },
    async removeBefore(at) {
      write(() => removeBefore.run(at))
    },
    async removeOfProject(projectName) {
      write(() => removeOfProject.run(projectName))
    },
  }
}
