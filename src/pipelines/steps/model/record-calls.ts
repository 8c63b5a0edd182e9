import { ModelError } from '../../../core/errors.ts'
import type { Usage } from '../../../core/job.ts'
import type { JobContext } from '../../../jobs/job-context.ts'
import type { SentMessages } from '../../../llm/client/client.ts'
import type { Prompts } from '../../../llm/prompts.ts'

/** What keeping account of a call needs of a job. */
export type RecordingJob = Pick<JobContext, 'checkBudget' | 'waitForRoom' | 'addUsage' | 'record' | 'token' | 'log'>

interface Request {
  signal?: AbortSignal
  onSend?: (sent: SentMessages) => void
  onSpent?: (usage: Usage) => void
  onToken?: (text: string) => void
  onRestart?: () => void
}

/**
 * The same call with the job's book-keeping around it: budget and disk are looked at first; what is sent, the reply, a
 * failure or an abort go to the transcript, what it cost to the job's usage. Outside of a step its costs would be added
 * again by each replay.
 *
 * @param prompts - Names of those that the messages are made of.
 */
export function recordCalls<
  R extends Request,
  C extends {
    text: string
    model: string
    finishReason: string
    usage: Usage
    toolCalls?: Array<{ name: string; arguments: string }>
  },
>(
  job: RecordingJob,
  { sha256 }: Pick<Prompts, 'sha256'>,
  prompts: Iterable<string>,
  complete: (request: R) => Promise<C>,
): (request: R) => Promise<C> {
  return async request => {
    await job.checkBudget()
    await job.waitForRoom()
    const call: { sent: SentMessages | null; usage: Usage } = {
      sent: null,
      usage: { llmCalls: 0, promptTokens: 0, completionTokens: 0, usd: null },
    }
    const writes: Array<Promise<void>> = []
    /** Begins a write within a callback; that it failed is seen when the call is over. */
    const begin = (write: Promise<void>) => {
      write.catch(() => {})
      writes.push(write)
    }
    const failed = (code: string, message: string) =>
      job.record({ kind: 'model_error', model: call.sent?.model ?? 'none', code, message, usage: call.usage })
    try {
      const completion = await complete({
        ...request,
        onSend(sent: SentMessages) {
          call.sent = sent
          const used = Array.from(prompts, name => ({ name, sha256: sha256(name) }))
          begin(job.record({ kind: 'messages', ...sent, prompts: used }))
          request.onSend?.(sent)
        },
        onSpent(usage: Usage) {
          call.usage = usage
          begin(job.addUsage(usage, call.sent?.redactions ?? 0))
          request.onSpent?.(usage)
        },
        onToken: request.onToken ?? job.token,
        onRestart:
          request.onRestart ?? (() => job.log('The model begins its answer again; the tokens so far are void.')),
      })
      await Promise.all(writes)
      const { text, model, finishReason, usage, toolCalls } = completion
      await job.record({
        kind: 'reply',
        model,
        text,
        finishReason,
        usage,
        ...(toolCalls === undefined ? {} : { toolCalls }),
      })
      return completion
    } catch (error) {
      await Promise.allSettled(writes)
      if (error instanceof ModelError) await failed(error.code, error.message)
      else if (request.signal?.aborted === true && call.sent !== null) {
        await failed('CANCELLED', 'The call was ended before its answer was complete.')
      }
      throw error
    }
  }
}
