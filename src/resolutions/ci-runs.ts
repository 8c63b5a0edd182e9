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

/** Runs that are told; older ones say little of a new one. */
export const MAX_LISTED_RUNS = 500

const isNumber = (value: unknown): value is number => typeof value === 'number'
const isText = (value: unknown): value is string => typeof value === 'string'

function listIn<T>(json: unknown, isItem: (value: unknown) => value is T): T[] {
  const parsed: unknown = JSON.parse(String(json))
  return Array.isArray(parsed) ? parsed.filter(isItem) : []
}

/** The run that a row holds. */
export const toCiRun = (row: Record<string, unknown>): CiRun => ({
  jobId: String(row.job_id),
  at: String(row.at),
  commit: String(row.commit_id),
  fingerprints: listIn(row.fingerprints, isText),
  sketch: listIn(row.sketch, isNumber),
})
