import type { DatabaseSync } from 'node:sqlite'

/** What a post of CI's log came to. */
export interface CiRun {
  jobId: string
  at: string
  /** The commit that CI ran, by its full id. */
  commit: string
  /** The faults of its log. */
  fingerprints: string[]
  /** `sketchOf` its log. */
  sketch: number[]
}

/** What posts of CI's logs came to, newest first. */
export interface CiRuns {
  /** Idempotent by the job. */
  record(projectName: string, run: CiRun): Promise<void>
  list(projectName: string): Promise<CiRun[]>
  removeBefore(at: string): Promise<void>
  removeOfProject(projectName: string): Promise<void>
}

/** Older runs say little of a new one. */
const MAX_LISTED = 500

const isNumber = (value: unknown): value is number => typeof value === 'number'
const isText = (value: unknown): value is string => typeof value === 'string'

function listIn<T>(json: unknown, isItem: (value: unknown) => value is T): T[] {
  const parsed: unknown = JSON.parse(String(json))
  return Array.isArray(parsed) ? parsed.filter(isItem) : []
}

/** Keeps runs in a table of the server's database. */
export function createCiRuns(db: DatabaseSync, write: <T>(work: () => T) => T): CiRuns {
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
      return list.all(projectName, MAX_LISTED).map(row => ({
        jobId: String(row.job_id),
        at: String(row.at),
        commit: String(row.commit_id),
        fingerprints: listIn(row.fingerprints, isText),
        sketch: listIn(row.sketch, isNumber),
      }))
    },
    async removeBefore(at) {
      write(() => removeBefore.run(at))
    },
    async removeOfProject(projectName) {
      write(() => removeOfProject.run(projectName))
    },
  }
}
