import { attemptBranch } from '../core/task.ts'
import { baseHold } from '../pipelines/task/fresh-base.ts'
import type { Git } from './git.ts'

/** A task whose job has ended. */
export interface EndedTask {
  number: number
  jobId: string
  projectName: string
  /** The branch of the attempt that passed; null where the task failed or was cancelled. */
  branch: string | null
}

/**
 * Deletes what a task that has ended leaves in the clones of its project: the branch that held its base, and those of
 * its attempts but for the one that passed. Their diffs stay with the job. Idempotent; call it when the job has ended,
 * and at start for what a kill left.
 */
export async function tidyTaskBranches(
  git: Pick<Git, 'ownBranches' | 'deleteBranch'>,
  { number, jobId, projectName, branch: kept }: EndedTask,
  signal: AbortSignal,
): Promise<void> {
  const attempts = attemptBranch(number, 0).slice(0, -1)
  for (const own of await git.ownBranches(projectName)) {
    const isOfTask = own.branch.startsWith(attempts) || own.branch === baseHold(jobId)
    if (isOfTask && own.branch !== kept) await git.deleteBranch(own, signal)
  }
}
