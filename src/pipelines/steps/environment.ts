import type { JobContext } from '../../jobs/job-context.ts'

/** A repository of a project at a commit. */
interface ProjectCommit {
  projectName: string
  repository: string
  commit: string
}

/** What is known of the dependencies of a commit. */
export type EnvironmentState =
  /** Nothing is to be installed. */
  | { status: 'none' }
  | { status: 'ready'; key: string; layer: unknown }
  | { status: 'failed'; reason: string; fix: string }

/** Makes what a commit depends on, within a job, or finds it made. */
export type NeedEnvironment = (job: JobContext, at: ProjectCommit) => Promise<EnvironmentState>

/** The commands that check a project at a commit. */
export type ChecksOf = (at: ProjectCommit) => Promise<{
  install?: string
  build?: string
  test?: string
  lint?: string
  typecheck?: string
}>
