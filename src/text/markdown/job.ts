import type { JobAnswer } from '../../contract/job.ts'
import type { ResolutionAnswer } from '../../contract/resolution.ts'
import { resultText } from '../generation-text.ts'
import { cloneText } from '../job-text.ts'
import { plain } from '../paint.ts'
import type { CloneAnswer } from '../../contract/project.ts'
import { requestText } from '../request-text.ts'
import { escapeLine, fenced, inlineCode } from './escape.ts'
import { resolutionMarkdown } from './resolution.ts'

function resultOf(job: JobAnswer): string[] {
  const { type, result } = job
  if (result === null) return []
  if (type === 'resolve') return (result as ResolutionAnswer[]).map(resolutionMarkdown)
  const text = type === 'clone' ? cloneText(result as CloneAnswer, plain) : resultText(job, plain)
  const { diff } = result as { diff?: unknown }
  return [
    ...(text === '' ? [] : [fenced(text)]),
    ...(typeof diff === 'string' && diff !== '' ? [fenced(diff, 'diff')] : []),
  ]
}

/** A job in Markdown: its state, what it asks, and what came of it. */
export function jobMarkdown(job: JobAnswer): string {
  const { id, type, status, project_name: project, progress, error, created_at: created } = job
  const items = [
    `- status: ${inlineCode(status)}`,
    ...(project === null ? [] : [`- project: ${inlineCode(project)}`]),
    `- created: ${created}`,
    ...(progress === null ? [] : [`- progress: ${inlineCode(progress.step)}: ${escapeLine(progress.message)}`]),
    ...(error === null ? [] : [`- error: ${inlineCode(error.code)}: ${escapeLine(error.message)}`]),
    ...(error?.fix === undefined ? [] : [`- to do: ${escapeLine(error.fix)}`]),
  ]
  const request = requestText(job, plain).trim()
  return [
    `## Job ${inlineCode(id)}: ${type}`,
    items.join('\n'),
    ...(request === '' ? [] : [fenced(request)]),
    ...resultOf(job),
  ].join('\n\n')
}
