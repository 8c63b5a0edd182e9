import type { Backend } from './backend/backend.ts'
import { usageError } from './cli-error.ts'
import { needRepository, projectFor } from './files/repository-here.ts'
import { followJob, jobFailure, type Session } from './session.ts'

/** Whose code is meant, and which state of it. */
export interface RepoOptions {
  project?: string
  repo?: string
  /** The last commit alone, without what is changed on the disk since. */
  committed?: boolean
}

/**
 * The repository that `--repo` names; null where it is not given.
 *
 * @throws {CliError} USAGE: it is none, or the options exclude each other.
 */
export function namedRepository({ cwd }: Session, { project, repo, committed }: RepoOptions): string | null {
  if (project !== undefined && repo !== undefined) {
    throw usageError('--project and --repo exclude each other.', 'Name an indexed project, or a repository to index.')
  }
  if (project !== undefined && committed === true) {
    throw usageError(
      '--committed is for repositories on this machine.',
      'A project is read as it was indexed; "faultline resolve --repo PATH --committed" reads the last commit.',
    )
  }
  return repo === undefined ? null : needRepository(repo, cwd)
}

/**
 * Updates the index of a repository on this machine to what is on the disk, or to its last commit; quick when it is up
 * to date.
 *
 * @returns The name of its project.
 */
export async function indexHere(
  session: Session,
  backend: Backend,
  repository: string,
  { isCommitted }: { isCommitted: boolean },
): Promise<string> {
  const body = { url: repository, project_name: projectFor(repository) }
  const job = await followJob(
    session,
    backend,
    await backend.clone(isCommitted ? body : { ...body, uncommitted: true }),
  )
  const failure = jobFailure(job)
  if (failure !== null) throw failure
  return (job.result as { project_name: string }).project_name
}
