import { attemptBranch } from '../../core/task.ts'
import type { Repos } from '../../repos/repos.ts'
import { baseHold, heldJob } from '../steps/base/fresh-base.ts'

/** What deleting branches needs. */
export type TidyDeps = Pick<Repos, 'ownBranches' | 'deleteBranch'>

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
  git: TidyDeps,
  { number, jobId, projectName, branch: kept }: EndedTask,
  signal: AbortSignal,
): Promise<void> {
  const attempts = attemptBranch(number, 0).slice(0, -1)
  for (const own of await git.ownBranches(projectName)) {
    const isOfTask = own.branch.startsWith(attempts) || own.branch === baseHold(jobId)
    if (isOfTask && own.branch !== kept) await git.deleteBranch(own, signal)
  }
}

const ATTEMPT = /^ai\/task-([1-9][0-9]{0,14})-attempt-/

/** What is looked for of a task, by what a branch says of it. */
export type TaskOfBranch = { number: number } | { jobId: string }

function taskOfBranch(branch: string): TaskOfBranch | null {
  const number = ATTEMPT.exec(branch)?.[1]
  if (number !== undefined) return { number: Number(number) }
  const jobId = heldJob(branch)
  return jobId === null ? null : { jobId }
}

/**
 * Does the same for all tasks that have ended, of which a kill may have left branches. Call it once, at start.
 *
 * @param endedTask - Null for a task that has not ended, or that nobody knows: its branches are kept.
 */
export async function tidyLeftBranches(
  git: TidyDeps,
  {
    projectNames,
    endedTask,
  }: {
    projectNames: readonly string[]
    endedTask: (of: TaskOfBranch) => Promise<EndedTask | null>
  },
  signal: AbortSignal,
): Promise<void> {
  for (const projectName of projectNames) {
    const found = (await git.ownBranches(projectName)).map(({ branch }) => JSON.stringify(taskOfBranch(branch)))
    for (const text of new Set(found)) {
      const of = JSON.parse(text) as TaskOfBranch | null
      const task = of === null ? null : await endedTask(of)
      if (task !== null) await tidyTaskBranches(git, { ...task, projectName }, signal)
    }
  }
}
