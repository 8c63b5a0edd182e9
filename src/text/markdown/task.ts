import type { TaskAnswer, TaskLogAnswer, TaskRowAnswer } from '../../contract/task.ts'
import { milliseconds } from '../table.ts'
import { escapeLine, fenced, inlineCode } from './escape.ts'

/** The tasks in Markdown, a line each. */
export function tasksMarkdown(tasks: readonly TaskRowAnswer[]): string {
  if (tasks.length === 0) return 'No tasks.'
  return tasks
    .map(({ number, status, project_name: project, title }) =>
      [`- ${number}`, inlineCode(status), inlineCode(project), escapeLine(title)].join(' '),
    )
    .join('\n')
}

function logLine(log: TaskLogAnswer): string {
  const { agent, action, input_summary: input, output_summary: output, tokens_used: tokens, duration_ms: ms } = log
  const said = [input, output].filter(text => text !== null).map(escapeLine)
  const spent = [...(tokens === null ? [] : [`${tokens} tokens`]), ...(ms === null ? [] : [milliseconds(ms)])]
  return `- ${[log.created_at, inlineCode(`${agent}/${action}`), ...said, ...spent].join(' · ')}`
}

/** A task in Markdown: what was asked for, where it stands, and what its agents did. */
export function taskMarkdown(task: TaskAnswer): string {
  const { branch_name: branch, error_message: error, reviewer_feedback: feedback } = task
  const gone = task.status === 'failed' ? ' (deleted)' : ''
  const items = [
    `- status: ${inlineCode(task.status)}`,
    `- project: ${inlineCode(task.project_name)}`,
    ...(task.repo_path === null ? [] : [`- repository: ${inlineCode(task.repo_path)}`]),
    ...(branch === null ? [] : [`- branch: ${inlineCode(branch)}${gone}`]),
    `- attempt: ${task.attempt}/${task.max_attempts}`,
    `- created: ${task.created_at}`,
    `- job: ${inlineCode(task.job_id)}`,
    ...(error === null ? [] : [`- error: ${escapeLine(error)}`]),
  ]
  return [
    `## Task ${task.number}: ${escapeLine(task.title)}`,
    items.join('\n'),
    fenced(task.description),
    ...(feedback === null ? [] : ['Feedback:', fenced(feedback)]),
    ...(task.logs.length === 0 ? [] : [task.logs.map(logLine).join('\n')]),
  ].join('\n\n')
}
