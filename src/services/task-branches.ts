import { isTerminal } from '../core/job.ts'
import type { JobStore, StoredJob } from '../jobs/store/job-store.ts'
import type { TaskStore } from '../jobs/store/task-store.ts'
import { tidyLeftBranches, tidyTaskBranches, type EndedTask, type TidyDeps } from '../pipelines/task/tidy-branches.ts'
import type { Log } from './log.ts'

/** For deleting the few branches of one task. */
const MAX_MS = 5000

/** What tidying is made of. */
interface TidyingDeps {
  tasks: Pick<TaskStore, 'find' | 'numberOf'>
  jobs: Pick<JobStore, 'find'>
  git: TidyDeps
  listProjects: () => Promise<string[]>
  log: Log
  /** Fires when the server stops; what is left then is found at the next start. */
  closing: AbortSignal
}

/**
 * What deletes the branches of tasks whose body had no chance to, as of cancelled ones. Both go on in the background.
 */
interface TaskTidying {
  /** To be told of each task job that has ended. */
  ended(job: Pick<StoredJob, 'seq'>): void
  /** Waits for what was begun for tasks that have ended: a command that was interrupted closes at once. */
  idle(): Promise<void>
  /** Looks through all projects for what a killed server left. */
  sweep(): void
}

/** Deletes what ended tasks leave in the clones. */
export function createTaskTidying({ tasks, jobs, git, listProjects, log, closing }: TidyingDeps): TaskTidying {
  async function byNumber(number: number | null): Promise<EndedTask | null> {
    const task = number === null ? null : await tasks.find(number)
    if (task === null || (task.status !== 'done' && task.status !== 'failed')) return null
    const { number: found, jobId, projectName, branchName, status } = task
    return { number: found, jobId, projectName, branch: status === 'done' ? branchName : null }
  }

  /** The task of a job; a job that is long gone, or was no task, can have left the branch of its base alone. */
  async function byJob(jobId: string): Promise<EndedTask | null> {
    const job = await jobs.find(jobId)
    if (job !== null && !isTerminal(job.status)) return null
    const number = job === null ? null : await tasks.numberOf(job.seq)
    return number === null ? { number: 0, jobId, projectName: '', branch: null } : byNumber(number)
  }

  const running = new Set<Promise<void>>()

  async function tidyEnded({ seq }: Pick<StoredJob, 'seq'>): Promise<void> {
    const task = await byNumber(await tasks.numberOf(seq))
    if (task !== null) await tidyTaskBranches(git, task, AbortSignal.timeout(MAX_MS))
  }

  async function sweepProjects(): Promise<void> {
    const projectNames = await listProjects()
    const endedTask = (of: { number: number } | { jobId: string }) =>
      'number' in of ? byNumber(of.number) : byJob(of.jobId)
    await tidyLeftBranches(git, { projectNames, endedTask }, closing)
  }

  const warn = (error: unknown): void => {
    if (!closing.aborted) log.warn({ err: error }, 'branches of an ended task could not be deleted')
  }

  return {
    ended(job) {
      const tidied = tidyEnded(job)
        .catch(warn)
        .finally(() => running.delete(tidied))
      running.add(tidied)
    },
    async idle() {
      await Promise.all(running)
    },
    sweep() {
      sweepProjects().catch(warn)
    },
  }
}
