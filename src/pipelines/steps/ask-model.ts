import type { Static, TSchema } from 'typebox'
import { ModelError } from '../../core/errors.ts'
import type { Usage } from '../../core/job.ts'
import { renderQuestion, type Question } from '../../core/question.ts'
import type { JobContext } from '../../jobs/job-context.ts'
import type { Completion, CompletionRequest, SentMessages } from '../../llm/client.ts'
import type { completeJson, JsonRequest } from '../../llm/complete-json.ts'
import type { Prompts } from '../../llm/prompts.ts'

/** What asking a model needs of a job. */
export type AskingJob = Pick<JobContext, 'step' | 'checkBudget' | 'addUsage' | 'record' | 'token' | 'log'>

export interface AskModelDeps {
  complete: (request: CompletionRequest) => Promise<Completion>
  completeJson: typeof completeJson
  prompts: Prompts
}

export interface ModelQuestion extends Question {
  /** Asked instead of the configured one. */
  model?: string
  temperature?: number
}

/** A reply as a step keeps it. `finishReason` `length`: it was cut at the output limit. */
export type ModelReply = { text: string, model: string, finishReason: string, usage: Usage }

/**
 * Asks a model within a job, as a step: a replay gets the stored reply and costs nothing. Before each call the budget is checked (the job may
 * begin to wait there), what is sent, the reply and failures go to the transcript, tokens to the job's events, costs and redactions are added up.
 *
 * @throws {ModelError} As `Llm.complete`; what was spent has been added by then.
 */
export async function askModel (job: AskingJob, deps: AskModelDeps, step: string, question: ModelQuestion): Promise<ModelReply> {
  return job.step(step, async signal => {
    const { messages, prompts } = renderQuestion(deps.prompts.render, question)
    const complete = recordCalls(job, deps.prompts, prompts, deps.complete)
    const { text, model, finishReason, usage } = await complete({ messages, model: question.model, temperature: question.temperature, signal })
    return { text, model, finishReason, usage }
  })
}

/** As `askModel`, for an answer in JSON that fits the schema; a reply that does not is asked for once more. `usage` is that of both calls. */
export async function askModelForJson<S extends TSchema> (job: AskingJob, deps: AskModelDeps, step: string, { json, ...question }: ModelQuestion & { json: JsonRequest<S>['json'] }): Promise<ModelReply & { value: Static<S> }> {
  return job.step(step, async signal => {
    const { messages, prompts } = renderQuestion(deps.prompts.render, question)
    const used = new Set(prompts)
    const render: Prompts['render'] = (name, slots) => {
      used.add(name)
      return deps.prompts.render(name, slots)
    }
    const complete = recordCalls(job, deps.prompts, used, deps.complete)
    const { text, model, finishReason, usage, value } = await deps.completeJson(complete, render, { messages, model: question.model, temperature: question.temperature, json, signal })
    return { text, model, finishReason, usage, value }
  })
}

interface Request {
  onSend?: (sent: SentMessages) => void
  onToken?: (text: string) => void
  onRestart?: () => void
}

/**
 * The same call with the job's book-keeping around it. Outside of a step its costs would be added again by each replay.
 *
 * @param prompts - Names of those that the messages are made of.
 */
export function recordCalls<R extends Request, C extends { text: string, model: string, finishReason: string, usage: Usage }> (
  job: Omit<AskingJob, 'step'>, { sha256 }: Pick<Prompts, 'sha256'>, prompts: Iterable<string>, complete: (request: R) => Promise<C>
): (request: R) => Promise<C> {
  return async request => {
    job.checkBudget()
    let sent: SentMessages | null = null
    try {
      const completion = await complete({
        ...request,
        onSend (messages: SentMessages) {
          sent = messages
          job.record({ kind: 'messages', ...messages, prompts: Array.from(prompts, name => ({ name, sha256: sha256(name) })) })
          request.onSend?.(messages)
        },
        onToken: request.onToken ?? job.token,
        onRestart: request.onRestart ?? (() => job.log('The model begins its answer again; the tokens so far are void.')),
      })
      const { text, model, finishReason, usage } = completion
      job.addUsage(usage, redactionsOf(sent))
      job.record({ kind: 'reply', model, text, finishReason, usage })
      return completion
    } catch (error) {
      if (error instanceof ModelError) {
        job.addUsage(error.usage, redactionsOf(sent))
        job.record({ kind: 'model_error', model: modelOf(sent), code: error.code, message: error.message, usage: error.usage })
      }
      throw error
    }
  }
}

// Set in a callback, which the compiler does not follow.
const redactionsOf = (sent: SentMessages | null): number => sent?.redactions ?? 0
const modelOf = (sent: SentMessages | null): string => sent?.model ?? 'none'
