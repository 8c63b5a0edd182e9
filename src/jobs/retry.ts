import { FaultlineError } from '../core/errors.ts'
import type { JsonObject } from '../core/job.ts'
import type { FinishedStep } from './store/job-store.ts'

/** What a retry needs to know of the job before it. */
interface EarlierJob {
  /** In the order in which they finished, questions among them. */
  steps: readonly FinishedStep[]
  /** The one it ended in, which may have been cut off. */
  lastStep: string | null
  input: JsonObject
}

function stepsBefore(name: string, steps: readonly FinishedStep[], lastStep: string | null): FinishedStep[] {
  const at = steps.findIndex(step => step.name === name)
  if (at >= 0) return steps.slice(0, at)
  if (name === lastStep) return [...steps]
  const known = new Set([...steps.map(step => step.name), ...(lastStep === null ? [] : [lastStep])])
  throw new FaultlineError(
    'BAD_REQUEST',
    `The job never got to a step ${JSON.stringify(name)}.`,
    `Its steps are: ${[...known].join(', ') || 'none'}.`,
  )
}

function changedFields(before: JsonObject, after: JsonObject): Set<string> {
  const fields = new Set([...Object.keys(before), ...Object.keys(after)])
  return new Set([...fields].filter(field => JSON.stringify(before[field]) !== JSON.stringify(after[field])))
}

/**
 * The steps of an ended job that a retry from `fromStep` takes over: those before it. The step that the job ended in,
 * which has no output, can be named as well as a finished one or a question.
 *
 * @param consumes - By step, the fields of the body that its output was made from.
 * @throws {FaultlineError} BAD_REQUEST naming the steps when the job never got to that one, and when `input` changes
 * what a kept step was made from.
 */
export function stepsToKeep(
  { steps, lastStep, input: before }: EarlierJob,
  input: JsonObject,
  fromStep: string | undefined,
  consumes: Record<string, readonly string[]> = {},
): FinishedStep[] {
  if (fromStep === undefined) return []
  const kept = stepsBefore(fromStep, steps, lastStep)
  const changed = changedFields(before, input)
  for (const { name } of kept) {
    const late = consumes[name]?.filter(field => changed.has(field)) ?? []
    if (late.length > 0) {
      throw new FaultlineError(
        'BAD_REQUEST',
        `The step ${JSON.stringify(name)} is not run again, so ${late.join(', ')} cannot be overridden.`,
        'Leave from_step out.',
      )
    }
  }
  return kept
}
