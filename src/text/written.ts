import type { JobAnswer } from '../contract/job.ts'
import type { SearchAnswer } from '../contract/project.ts'
import type { ResolutionAnswer } from '../contract/resolution.ts'
import type { TaskAnswer, TaskRowAnswer } from '../contract/task.ts'
import { jobText } from './job-text.ts'
import { jobMarkdown } from './markdown/job.ts'
import { resolutionMarkdown } from './markdown/resolution.ts'
import { hitsMarkdown } from './markdown/search.ts'
import { taskMarkdown, tasksMarkdown } from './markdown/task.ts'
import type { Paint } from './paint.ts'
import { hitsText } from './project-text.ts'
import { answerText, locatedText } from './resolution-text.ts'
import { taskText, tasksText } from './task-text.ts'

/** For a terminal, or in Markdown. */
type Written = 'text' | 'markdown'

/** What a client of the HTTP interface adds to its request to see everything. */
const FULL_BY = '"detail": "full"'

/** The answer to a stack trace for a person. */
export const resolutionAs = (type: Written, resolution: ResolutionAnswer, paint: Paint): string =>
  type === 'markdown'
    ? resolutionMarkdown(resolution)
    : [locatedText(resolution, paint, { fullBy: FULL_BY }), answerText(resolution, paint)].join('\n\n')

/** A job for a person; of one that resolves the answers, too. */
export function jobAs(type: Written, job: JobAnswer, paint: Paint): string {
  if (type === 'markdown') return jobMarkdown(job)
  const resolutions = job.type === 'resolve' && job.result !== null ? (job.result as ResolutionAnswer[]) : []
  return [jobText(job, paint), ...resolutions.map(one => resolutionAs('text', one, paint))].join('\n\n')
}

/** The hits of a search for a person. */
export const hitsAs = (type: Written, answer: SearchAnswer, paint: Paint): string =>
  type === 'markdown' ? hitsMarkdown(answer) : hitsText(answer, paint)

/** Tasks for a person. */
export const tasksAs = (type: Written, tasks: readonly TaskRowAnswer[], paint: Paint): string =>
  type === 'markdown' ? tasksMarkdown(tasks) : tasksText(tasks, paint)

/** A task with its logs for a person. */
export const taskAs = (type: Written, task: TaskAnswer, paint: Paint): string =>
  type === 'markdown' ? taskMarkdown(task) : taskText(task, paint)
