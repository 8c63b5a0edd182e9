import type { Visibility } from '../../core/access.ts'
import type { NewTaskLog, Task, TaskFields, TaskLog, TaskStatus } from '../../core/task.ts'
import type { RunKey } from './run-key.ts'

/** Which tasks a list shows: those that have all of it. */
export interface TaskFilter {
  status?: TaskStatus
  projectName?: string
  /** Null, as when left out: all of them. */
  visibleTo?: Visibility | null
}

/**
 * Tasks and what was done for them. `JobStore` writes the row of a task with its job, and its end with the end of the
 * job; a job that is put back into the queue leaves its task where it stands. A task outlives its job and goes with its
 * project. Numbers count up from 1; none is given twice. What every implementation has to do is
 * `test/contracts/task-store.ts`.
 */
export interface TaskStore {
  find(number: number): Promise<Task | null>
  /** Newest first; `before` is the number that the previous page ended with. */
  list(filter: TaskFilter, limit: number, before: number | null): Promise<Task[]>
  /** In the order in which they were first written; none of a task that is not there. */
  logs(number: number): Promise<TaskLog[]>
  /** The task that a job works on, by the `seq` of the job; null where it works on none. */
  numberOf(seq: number): Promise<number | null>
  /**
   * Changes what is given, as long as the job runs. May be lost in a power cut.
   *
   * @throws {Error} The job was claimed again, or works on no task; as `log`.
   */
  update(run: RunKey, fields: TaskFields): Promise<void>
  /**
   * Adds an entry, or puts it in place of the one of the same name, as long as the job runs. May be lost in a power
   * cut, but not once a step has finished after it.
   *
   * @returns Whether it says anything new. What a job that was begun again says once more keeps its time.
   */
  log(run: RunKey, name: string, entry: NewTaskLog): Promise<boolean>
  /** Forgets the tasks of a project, of which nothing is left on the disk. */
  removeOfProject(projectName: string): Promise<void>
}
