import type { JobError, JobType } from '../../core/job.ts'
import { toWireResult } from '../../contract/job-answer.ts'
import type { JobContext } from '../../jobs/job-context.ts'
import type { JobDefinition } from '../../jobs/job-definition.ts'
import type { Callbacks } from '../../outbound/callbacks.ts'

interface Outcome {
  status: 'succeeded' | 'failed'
  result: unknown
  error: Omit<JobError, 'step'> | null
}

/**
 * A pipeline whose jobs post how they ended to the `callback_url` of their body, if there is one. A callback that fails
 * is noted in the events and does not fail the job, which keeps its result. A cancelled job posts nothing.
 */
export function withCallback(type: JobType, definition: JobDefinition, deliver: Callbacks['deliver']): JobDefinition {
  async function tell(context: JobContext, url: string, outcome: Outcome) {
    const body = JSON.stringify({
      id: context.id,
      type,
      project_name: definition.projectName(context.input),
      ...outcome,
    })
    const delivery = await deliver({ url, id: context.id, body, signal: context.signal })
    context.log(
      delivery.delivered
        ? `The result was delivered: ${delivery.status}.`
        : `The result could not be delivered to callback_url (${delivery.tries} tries): ${delivery.reason}.`,
    )
    return { ...delivery }
  }

  return {
    ...definition,
    async succeeding(context, result) {
      const { callback_url: url } = context.input
      if (typeof url === 'string') {
        await context.step('deliver', () =>
          tell(context, url, { status: 'succeeded', result: toWireResult(type, result), error: null }),
        )
      }
    },
    async failing(context, error) {
      await definition.failing?.(context, error)
      const { code, message, fix } = error
      const { callback_url: url } = context.input
      if (typeof url === 'string') {
        await tell(context, url, { status: 'failed', result: null, error: { code, message, fix } })
      }
    },
  }
}
