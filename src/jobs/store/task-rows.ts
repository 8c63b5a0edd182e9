import type { Task, TaskFields, TaskLog } from '../../core/task.ts'
import type { Row } from './rows.ts'

/** The columns of `tasks` that make a `Task`. */
export const TASK_COLUMNS = [
  ...['id', 'job_id', 'title', 'description', 'status', 'project_name', 'repository', 'repo_path', 'branch_name'],
  ...['attempt', 'max_attempts', 'reviewer_feedback', 'error_message', 'created_at', 'updated_at'],
].join(', ')

/** The column of each field that changes. */
export const CHANGING_OF_TASKS: Readonly<Record<keyof TaskFields, string>> = {
  status: 'status',
  attempt: 'attempt',
  branchName: 'branch_name',
  reviewerFeedback: 'reviewer_feedback',
  errorMessage: 'error_message',
}

/** The task that a row holds. */
export const toTask = (row: Row): Task => ({
  number: Number(row.id),
  jobId: String(row.job_id),
  title: String(row.title),
  description: String(row.description),
  status: row.status as Task['status'],
  projectName: String(row.project_name),
  repository: row.repository as string | null,
  repoPath: row.repo_path as string | null,
  branchName: row.branch_name as string | null,
  attempt: Number(row.attempt),
  maxAttempts: Number(row.max_attempts),
  reviewerFeedback: row.reviewer_feedback as string | null,
  errorMessage: row.error_message as string | null,
  createdAt: String(row.created_at),
  updatedAt: String(row.updated_at),
})

/** The entry that a row holds. */
export const toTaskLog = (row: Row): TaskLog => ({
  id: Number(row.id),
  agent: row.agent as TaskLog['agent'],
  action: row.action as TaskLog['action'],
  inputSummary: row.input_summary as string | null,
  outputSummary: row.output_summary as string | null,
  tokensUsed: row.tokens_used as number | null,
  durationMs: row.duration_ms as number | null,
  createdAt: String(row.created_at),
})

/** A number as it is stored. */
export const rounded = (value: number | null): number | null => (value === null ? null : Math.round(value))
