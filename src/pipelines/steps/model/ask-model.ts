import type { Static, TSchema } from 'typebox'
import type { DryRunAnswer } from '../../../contract/dry-run.ts'
import { renderDialogue, type DialogueMessage } from '../../../core/dialogue.ts'
import { FaultlineError } from '../../../core/errors.ts'
import type { Usage } from '../../../core/job.ts'
import type { JobContext } from '../../../jobs/job-context.ts'
import type { Completion, CompletionRequest } from '../../../llm/client/client.ts'
import type { completeJson, JsonRequest } from '../../../llm/json/complete-json.ts'
import type { EstimateMessages } from '../../../llm/client/estimate.ts'
import type { Prompts } from '../../../llm/prompts.ts'
import { recordCalls, type RecordingJob } from './record-calls.ts'

/** What asking a model is made of. */
export interface AskModelDeps {
  /** Null when no model is configured. */
  complete: ((request: CompletionRequest) => Promise<Completion>) | null
  completeJson: typeof completeJson
  prompts: Prompts
  estimate: EstimateMessages
}

/** What asking a model needs of a job. */
export type AskingJob = RecordingJob & Pick<JobContext, 'step'>

/** Which model is asked, and how freely it answers. */
export interface ModelChoice {
  /** Asked instead of the configured one. */
  model?: string
  temperature?: number
}

/** A dialogue for a model. */
export interface Asked extends ModelChoice {
  messages: readonly DialogueMessage[]
}

interface AskedAsStep extends ModelChoice {
  /** The name of the step. */
  name: string
  /** A function is called within the step: what it reads is not read again by a replay. */
  messages: readonly DialogueMessage[] | (() => Promise<readonly DialogueMessage[]>)
}

/** A reply as a step keeps it. `finishReason` `length`: it was cut at the output limit. */
export type ModelReply = { text: string; model: string; finishReason: string; usage: Usage }

/** How pipelines ask a model. */
export interface AskModel {
  /**
   * For routes that cannot do anything without a model, before any work. @throws {FaultlineError} LLM_NOT_CONFIGURED
   */
  needModel(): void
  /** The answer to `dry_run`: what the first call of a pipeline would send. Calls nothing and needs no model. */
  estimate(asked: Asked): DryRunAnswer
  /**
   * Asks a model within a job, as a step: a replay gets the stored reply and costs nothing. Before each call the budget
   * is checked (the job may begin to wait there), what is sent, the reply and failures go to the transcript, tokens to
   * the job's events, costs and redactions are added up.
   *
   * @throws {FaultlineError} LLM_NOT_CONFIGURED
   * @throws {ModelError} As `Llm.complete`; what was spent has been added by then.
   */
  askModel(job: AskingJob, asked: AskedAsStep): Promise<ModelReply>
  /**
   * As `askModel`, for an answer in JSON that fits the schema; a reply that does not is asked for once more. `usage` is
   * that of both calls.
   */
  askModelForJson<S extends TSchema>(
    job: AskingJob,
    asked: AskedAsStep & { json: JsonRequest<S>['json'] },
  ): Promise<ModelReply & { value: Static<S> }>
}

/** Connects jobs with the configured model. */
export function createAskModel({ complete, completeJson, prompts, estimate }: AskModelDeps): AskModel {
  function needed(): NonNullable<AskModelDeps['complete']> {
    if (complete === null) {
      throw new FaultlineError(
        'LLM_NOT_CONFIGURED',
        'No model is configured, and this needs one.',
        'Set LLM_BASE_URL and LLM_MODEL, or the key of a provider; see .env.example.',
      )
    }
    return complete
  }

  return {
    needModel() {
      needed()
    },
    estimate: ({ messages, model }) => estimate(renderDialogue(prompts.render, messages).messages, model),
    async askModel(job, { name, messages: dialogue, ...choice }) {
      const complete = needed()
      return job.step(name, async signal => {
        const { messages, prompts: used } = renderDialogue(
          prompts.render,
          typeof dialogue === 'function' ? await dialogue() : dialogue,
        )
        const { text, model, finishReason, usage } = await recordCalls(
          job,
          prompts,
          used,
          complete,
        )({ messages, ...choice, signal })
        return { text, model, finishReason, usage }
      })
    },
    async askModelForJson(job, { name, messages: dialogue, ...choice }) {
      const complete = needed()
      return job.step(name, async signal => {
        const { messages, prompts: names } = renderDialogue(
          prompts.render,
          typeof dialogue === 'function' ? await dialogue() : dialogue,
        )
        const used = new Set(names)
        const render: Prompts['render'] = (prompt, slots) => {
          used.add(prompt)
          return prompts.render(prompt, slots)
        }
        const { text, model, finishReason, usage, value } = await completeJson(
          recordCalls(job, prompts, used, complete),
          render,
          { messages, ...choice, signal },
        )
        return { text, model, finishReason, usage, value }
      })
    },
  }
}
