import { TaskRowSchema, TaskSchema, type TaskAnswer, type TaskPage, type TasksQuestion } from '../contract/task.ts'
import { toWire } from '../contract/wire.ts'
import { seesWork, type Visibility } from '../core/access.ts'
import { decodeNumberCursor, encodeCursor } from '../core/cursor.ts'
import { taskNotFound } from '../core/not-found.ts'
import type { TaskStore } from '../jobs/store/task-store.ts'

/** The tasks of this data folder, for whoever asks about them; `JobContext` has what changes them. */
export interface Tasks {
  /** Newest first. @param visibleTo - Who asks; null for somebody who sees everything. */
  page(question: TasksQuestion, visibleTo: Visibility | null): Promise<TaskPage>
  /** A task with its logs. @throws {FaultlineError} TASK_NOT_FOUND, also where its project is not seen. */
  get(number: number, visibleTo: Visibility | null): Promise<TaskAnswer>
}

/** Tasks, over their table. */
export const createTasks = (store: TaskStore): Tasks => ({
  async page({ limit, cursor, status, project_name: projectName }, visibleTo) {
    const page = await store.list({ status, projectName, visibleTo }, limit + 1, decodeNumberCursor(cursor))
    const last = page[limit - 1]
    return {
      data: page.slice(0, limit).map(task => toWire(TaskRowSchema, task)),
      next_cursor: page.length > limit && last !== undefined ? encodeCursor(last.number) : null,
    }
  },
  async get(number, visibleTo) {
    const task = await store.find(number)
    const isSeen = task !== null && seesWork(visibleTo, { projectName: task.projectName, keyName: null })
    if (!isSeen) throw taskNotFound(number)
    return toWire(TaskSchema, { ...task, logs: await store.logs(number) })
  },
})
