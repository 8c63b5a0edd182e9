import type { TaskAnswer, TaskLogAnswer } from '../contract/task.ts'
import type { CamelCased } from '../contract/wire.ts'

/** Where a task stands; `done` and `failed` are final. */
export type TaskStatus = TaskAnswer['status']

/** A task, as it is kept beside its job. */
export type Task = CamelCased<Omit<TaskAnswer, 'logs'>>

/** What one of the agents of a task did. */
export type TaskLog = CamelCased<TaskLogAnswer>

/** What changes of a task while it is worked on; what is left out stays as it is. */
export type TaskFields = Partial<Pick<Task, 'status' | 'attempt' | 'branchName' | 'reviewerFeedback' | 'errorMessage'>>

/** What a task begins with. */
export type NewTask = Pick<Task, 'description' | 'projectName' | 'repository' | 'repoPath' | 'maxAttempts'>

/** What one of its agents did, before it has a number and a time. */
export type NewTaskLog = Omit<TaskLog, 'id' | 'createdAt'>

/** Characters of a description that are its title. */
const TITLE_CHARS = 100

/** The first 100 characters of a description (code points), in one line. */
export const taskTitle = (description: string): string =>
  Array.from(description.trim().replace(/\s+/g, ' ')).slice(0, TITLE_CHARS).join('').trimEnd()

/** The branch of one attempt at a task; both numbers begin with 1. */
export const attemptBranch = (task: number, attempt: number): string => `ai/task-${task}-attempt-${attempt}`
