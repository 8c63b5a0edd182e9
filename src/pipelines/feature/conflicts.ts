import type { FeatureConflict } from '../../contract/feature.ts'
import type { FeatureBranch } from '../../core/feature.ts'
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

/** A feature of another project on the same clone. */
const ANOTHER = 'another feature of this repository'

/** What a feature conflicts with, and what it could not be compared with, in sentences. */
type Conflicts = { conflicts: FeatureConflict[]; notes: string[] }

/**
 * Finds with what a feature conflicts, as a step: with the default branch as it is on the remote now, and with the
 * other open features of the repository, whichever projects they are of.
 */
export function featureConflicts(
  job: JobContext,
  { git }: ConflictDeps,
  { at, baseBranch, commit }: ConflictRequest,
): Promise<Conflicts> {
  const { projectName, repository } = at
  return job.step('conflicts', async signal => {
    const notes: string[] = []
    const isOurs = (other: FeatureBranch): boolean => other.projectName.toLowerCase() === projectName.toLowerCase()
    const open = await job.feature.others()
    const others = open.flatMap(({ branch, commit: held }) => (held === null ? [] : [{ branch, commit: held }]))
    // whoever may see this project need not be let know what another one is working on
    const unnamed = new Set(open.filter(other => !isOurs(other)).map(({ branch }) => branch))
    const jobOf = new Map(open.filter(isOurs).map(({ branch, jobId }) => [branch, jobId]))
    const base = await git
      .fetchBase({ repository, projectName, branch: baseBranch }, signal)
      .then(fetched => [{ branch: baseBranch, commit: fetched.commit }])
      .catch((error: unknown) => {
        signal.throwIfAborted()
        if (!(error instanceof FaultlineError)) throw error
        notes.push(`It was not compared with "${baseBranch}" as it is now. ${error.message}`)
        return []
      })
    const all = [...base, ...others]
    const found = await git.findConflicts({ repository, projectName, commit, with: all }, signal)
    const conflicts = found.conflicts.map(({ branch, paths }) => ({
      with: unnamed.has(branch) ? ANOTHER : branch,
      jobId: jobOf.get(branch) ?? null,
      paths,
    }))
    for (const { with: other, paths } of conflicts) job.log(`It conflicts with ${other} in ${paths.join(', ')}.`)
    const uncompared = found.notCompared.map(branch => (unnamed.has(branch) ? ANOTHER : `"${branch}"`))
    return { conflicts, notes: [...notes, ...uncompared.map(name => `It was not compared with ${name}.`)] }
  })
}
