import { FaultlineError } from '../../../core/errors.ts'
import type { IndexedRepository } from '../../../core/project.ts'
import type { JobContext } from '../../../jobs/job-context.ts'
import type { Repos } from '../../../repos/repos.ts'
import type { CloneDeps } from '../../clone/run.ts'
import type { ProjectBase } from './project-base.ts'

/** What beginning with the newest commit of a project needs. */
export interface FreshBaseDeps extends Pick<
  CloneDeps,
  'cloneRepository' | 'indexRepository' | 'indexed' | 'exclusively'
> {
  git: Pick<Repos, 'fetchBase'>
  /**
   * What is indexed of a project's repository. @throws {FaultlineError} PROJECT_NOT_FOUND, INDEX_NOT_READY,
   * VALIDATION_FAILED
   */
  sourceOf: (projectName: string, repository?: string) => Promise<IndexedRepository>
}

/** The commit that the work on a task or a feature begins from. */
export interface FreshBase {
  at: ProjectBase['at']
  /** The default branch. */
  branch: string
  /** What could not be brought up to date, in sentences. */
  notes: string[]
}

/** The project, and which of its repositories. */
interface FreshBaseRequest {
  projectName: string
  repository?: string
}

/** The branch of the clone that holds the base of such work while its job runs. */
export const baseHold = (jobId: string): string => `faultline/${jobId}-base`

/** The job whose base such a branch holds; null for any other branch. */
export const heldJob = (branch: string): string | null => /^faultline\/(.+)-base$/.exec(branch)?.[1] ?? null

const short = (commit: string): string => commit.slice(0, 12)

/** Why the index of a project is not to be touched; null where it follows the branch. */
function whyKept({ branch, uncommitted }: IndexedRepository, base: FreshBase): string | null {
  const beside = `The work begins from ${short(base.at.commit)} of "${base.branch}"; the index stays as it is: it holds`
  if (uncommitted !== undefined) return `${beside} files that are not committed.`
  if (branch === base.branch) return null
  return branch === null ? `${beside} a commit that was named.` : `${beside} the branch "${branch}".`
}

/** Which run has the index follow, and what. */
interface FollowRequest extends Pick<JobContext, 'run'> {
  base: FreshBase
  signal: AbortSignal
}

/** Indexes the newest commit of the branch, unless another job did so meanwhile. */
async function update(
  deps: FreshBaseDeps,
  { source, base, signal, run }: FollowRequest & { source: IndexedRepository },
): Promise<void> {
  const { projectName } = base.at
  const { url, include, exclude } = source
  const hooks = { signal, onProgress: () => {} }
  const repository = await deps.cloneRepository({ url, branch: base.branch, projectName }, hooks)
  await deps.indexRepository({ projectName, repository, include, exclude }, { ...hooks, run })
  deps.indexed({ repository: repository.repository, projectName, history: repository.history })
}

/**
 * Brings the index up to date where the project follows the default branch. One job after the other does so, and each
 * takes what the remote has by then, so that no index goes back.
 *
 * @returns What is not up to date.
 */
async function updateIndex(deps: FreshBaseDeps, request: FollowRequest): Promise<string[]> {
  const { base, signal } = request
  const { projectName, repository, commit } = base.at
  const lookAt = () => deps.sourceOf(projectName, repository)
  async function look(): Promise<string[]> {
    const source = await lookAt()
    const why = whyKept(source, base)
    if (why !== null) return source.commit === commit && source.uncommitted === undefined ? [] : [why]
    if (source.commit === commit) return []
    await update(deps, { ...request, source })
    const now = await lookAt()
    return now.commit === commit ? [] : [`The index holds ${short(now.commit)}, the work begins from ${short(commit)}.`]
  }
  try {
    return await deps.exclusively(projectName, look, signal)
  } catch (error) {
    signal.throwIfAborted()
    if (!(error instanceof FaultlineError)) throw error
    return [`The index could not be brought up to date. ${error.message}`]
  }
}

/**
 * The newest commit of the default branch of a project's repository, as steps: it is fetched and held for the job, and
 * the project's index is brought up to it where it follows that branch. Without a remote that answers, what the clone
 * has.
 *
 * @throws {FaultlineError} PROJECT_NOT_FOUND, INDEX_NOT_READY, VALIDATION_FAILED: which repository is meant is not
 * known. EMPTY_REPOSITORY, BRANCH_NOT_FOUND, DISK_FULL and the like.
 */
export async function freshBase(
  job: Pick<JobContext, 'id' | 'run' | 'step' | 'log'>,
  deps: FreshBaseDeps,
  { projectName, repository }: FreshBaseRequest,
): Promise<FreshBase> {
  const base = await job.step('base', async (signal): Promise<FreshBase> => {
    const { repository: named } = await deps.sourceOf(projectName, repository)
    const request = { repository: named, projectName, hold: baseHold(job.id) }
    const { commit, branch, notes } = await deps.git.fetchBase(request, signal)
    for (const note of notes) job.log(note)
    return { at: { repository: named, commit, projectName }, branch, notes }
  })
  const notes = await job.step('base.index', async signal => {
    const found = await updateIndex(deps, { base, signal, run: job.run })
    for (const note of found) job.log(note)
    return found
  })
  return { ...base, notes: [...base.notes, ...notes] }
}
