import type { FeatureBranch, FeatureBranchFields } from '../../core/feature.ts'
import type { RunKey } from './run-key.ts'

/**
 * The branches of features, one for each job of type `feature` that has claimed one. A row outlives its job, and goes
 * with its project; it stays `open` until whatever was made for it is delivered or deleted. What every implementation
 * has to do is `test/contracts/feature-store.ts`.
 */
export interface FeatureStore {
  /** The branch of a job; null where it has none. */
  find(jobId: string): Promise<FeatureBranch | null>
  /** The open ones in the order of their jobs: of a clone, whichever projects have it, of a project, or of all. */
  open(of?: { repository: string } | { projectName: string }): Promise<FeatureBranch[]>
  /**
   * Takes a branch for the job that runs, in place of the one that it had; one that it has stays as it is.
   *
   * @returns False where another open feature has the branch of the same clone.
   * @throws {Error} The job was claimed again.
   */
  claim(run: RunKey, branch: Omit<FeatureBranch, keyof FeatureBranchFields>): Promise<boolean>
  /** Changes what is given, as long as the job runs. @throws {Error} The job was claimed again, or has no branch. */
  update(run: RunKey, fields: FeatureBranchFields): Promise<void>
  /** Ends the branch of a job that has ended, whatever ended it; one that has ended stays as it is. */
  end(jobId: string, state: Exclude<FeatureBranch['state'], 'open'>): Promise<void>
  /** Forgets the branches of a project. */
  removeOfProject(projectName: string): Promise<void>
}
