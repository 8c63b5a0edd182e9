import type { FeatureConflict } from '../../contract/feature.ts'
import { FaultlineError } from '../../core/errors.ts'
import type { JobContext } from '../../jobs/job-context.ts'
import type { Repos } from '../../repos/repos.ts'
import type { ProjectBase } from '../steps/base/project-base.ts'

/** What looking for conflicts needs. */
export interface ConflictDeps {
  git: Pick<Repos, 'fetchBase' | 'findConflicts'>
}

/** A feature that is committed. */
interface ConflictRequest {
  at: ProjectBase['at']
  /** The default branch of the remote. */
  baseBranch: string
  commit: string
}

/** What a feature conflicts with, and what it could not be compared with, in sentences. */
type Conflicts = { conflicts: FeatureConflict[]; notes: string[] }

/**
 * Finds with what a feature conflicts, as a step: with the default branch as it is on the remote now, and with the
 * other open features of the repository.
 */
export function featureConflicts(
  job: JobContext,
  { git }: ConflictDeps,
  { at, baseBranch, commit }: ConflictRequest,
): Promise<Conflicts> {
  const { projectName, repository } = at
  return job.step('conflicts', async signal => {
    const notes: string[] = []
    const others = (await job.feature.others()).flatMap(other =>
      other.commit === null ? [] : [{ branch: other.branch, commit: other.commit, jobId: other.jobId }],
    )
    const base = await git
      .fetchBase({ repository, projectName, branch: baseBranch }, signal)
      .then(fetched => [{ branch: baseBranch, commit: fetched.commit, jobId: null }])
      .catch((error: unknown) => {
        signal.throwIfAborted()
        if (!(error instanceof FaultlineError)) throw error
        notes.push(`It was not compared with "${baseBranch}" as it is now. ${error.message}`)
        return []
      })
    const all = [...base, ...others]
    const found = await git.findConflicts({ repository, projectName, commit, with: all }, signal)
    const conflicts = found.conflicts.map(({ branch, paths }) => ({
      with: branch,
      jobId: all.find(one => one.branch === branch)?.jobId ?? null,
      paths,
    }))
    for (const { with: other, paths } of conflicts) job.log(`It conflicts with ${other} in ${paths.join(', ')}.`)
    return { conflicts, notes: [...notes, ...found.notCompared.map(branch => `It was not compared with "${branch}".`)] }
  })
}
