import type { JobContext } from '../../jobs/job-context.ts'

/** What running a commit of a project takes beside its files: what its dependencies were installed to. */
export type EnvironmentState =
  | { status: 'none' }
  | { status: 'ready'; key: string; layer: object }
  | { status: 'failed'; reason: string; fix: string }

/** Makes sure, within a job and between its steps, that the environment of a commit is there. */
export type NeedEnvironment = (
  job: JobContext,
  at: { projectName: string; repository: string; commit: string },
) => Promise<EnvironmentState>
