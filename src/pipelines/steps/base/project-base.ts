import type { CommitOfClone } from '../../../repos/objects/commit-reader.ts'
import type { JobContext } from '../../../jobs/job-context.ts'
import { isProtected } from '../../../edits/apply/protected-paths.ts'
import { committedFiles, type CommitAccess, type CommittedFiles } from './committed-files.ts'

/** What beginning with the files of a project needs. */
export interface ProjectBaseDeps {
  git: CommitAccess
  /**
   * The commit that is indexed of a project's repository. @throws {FaultlineError} PROJECT_NOT_FOUND,
   * VALIDATION_FAILED: it has several.
   */
  commitOf: (projectName: string, repository?: string) => Promise<CommitOfClone>
  /** @throws {FaultlineError} VALIDATION_FAILED */
  globTest: (globs: string[]) => (path: string) => boolean
}

/** The project, and which of its files may be changed. */
interface ProjectBaseRequest {
  projectName: string
  /** Needed where the project holds several. */
  repository?: string
  /** Globs of protected files that may be changed. */
  allowPaths?: readonly string[]
}

/** A commit of a project, its files, and which of them may be changed. */
export interface ProjectBase {
  at: CommitOfClone & { projectName: string }
  base: CommittedFiles
  /** Why a file of the project may not be changed; null for one that may. */
  refusal: (path: string) => Promise<string | null>
}

/** The same where there is no job. */
export function baseAt(
  { git, globTest }: Pick<ProjectBaseDeps, 'git' | 'globTest'>,
  { projectName, allowPaths = [] }: ProjectBaseRequest,
  at: CommitOfClone,
): ProjectBase {
  const isAllowed = globTest([...allowPaths])
  const base = committedFiles(git, at, { isAllowed })
  return {
    at: { ...at, projectName },
    base,
    refusal: async path =>
      isProtected(path) && !isAllowed(path)
        ? `${path} is protected in this project and may only be changed when the request names it in allow_paths.`
        : base.whyNot(path),
  }
}

/** What a job begins with on a project: one commit, whatever is cloned meanwhile. */
export async function projectBase(
  job: Pick<JobContext, 'step'>,
  deps: ProjectBaseDeps,
  request: ProjectBaseRequest,
): Promise<ProjectBase> {
  return baseAt(deps, request, await job.step('base', () => deps.commitOf(request.projectName, request.repository)))
}
