import type { Static, TSchema } from 'typebox'
import type { DryRunAnswer } from '../../../contract/dry-run.ts'
import { renderDialogue, type DialogueMessage } from '../../../core/dialogue.ts'
import { ERROR_HELP } from '../../../core/error-help.ts'
import { FaultlineError, type ErrorCode } from '../../../core/errors.ts'
import { sumUsage, type Usage } from '../../../core/job.ts'
import type { JobContext } from '../../../jobs/job-context.ts'
import type { Completion, CompletionRequest } from '../../../llm/client/client.ts'
import type { completeJson, JsonRequest } from '../../../llm/json/complete-json.ts'
import type { jsonValuesIn } from '../../../llm/json/json-text.ts'
import type { EstimateMessages } from '../../../llm/client/estimate.ts'
import type { Prompts } from '../../../llm/prompts.ts'
import { continueReply, MAX_CONTINUATIONS, type Failure, type ReplyPiece, type WholeReply } from './continue-reply.ts'
import { replied, says } from './dialogues.ts'
import { recordCalls, type RecordingJob } from './record-calls.ts'

/** What asking a model is made of. */
export interface AskModelDeps {
  /** Null when no model is configured. */
  complete: ((request: CompletionRequest) => Promise<Completion>) | null
  completeJson: typeof completeJson
  /** The values in JSON of a reply that the caller checks. */
  jsonValuesIn: typeof jsonValuesIn
  prompts: Prompts
  estimate: EstimateMessages
  /** A text without its secrets, as the client of the model sends it. */
  redact: (text: string) => string
  /** Tokens of request and reply together that a model takes; null where nobody said. Default: of none. */
  contextOf?: (model?: string) => number | null
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

/** Failures of asking for the rest of a reply that leave what there is of it. */
const ENDS_REPLY: ReadonlySet<string> = new Set<ErrorCode>([
  'LLM_UNAVAILABLE',
  'LLM_BAD_REPLY',
  'LLM_REJECTED',
  'LLM_REQUEST_TOO_LARGE',
  'BUDGET_EXHAUSTED',
  'REPLY_TIMED_OUT',
])

interface AskedAsStep extends ModelChoice {
  /** Caps the answer where the configured limit is higher. */
  maxOutputTokens?: number
  /** The name of the step. */
  name: string
  /** A function is called within the step: what it reads is not read again by a replay. */
  messages: readonly DialogueMessage[] | (() => Promise<readonly DialogueMessage[]>)
}

/** A reply as a step keeps it. */
type KeptReply = ReplyPiece & {
  usage: Usage
  /** How long the calls took, with what they waited for. */
  durationMs: number
}

/** A reply with what all of its pieces cost. One that was cut off is as far as it goes. */
export type ModelReply = WholeReply<KeptReply>

/** How pipelines ask a model. */
export interface AskModel
  extends Pick<AskModelDeps, 'redact' | 'jsonValuesIn'>, Required<Pick<AskModelDeps, 'contextOf'>> {
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
   * A reply that was cut off is gone on with, up to three times, each as a step `NAME.continue` of its own. Where that
   * does not help, `cut` says so: the caller keeps what is whole and throws it.
   *
   * @param asked - With `json` the server holds the reply to a schema, where it can; the caller checks the reply.
   * @throws {FaultlineError} LLM_NOT_CONFIGURED
   * @throws {ModelError} As `Llm.complete`; what was spent has been added by then.
   */
  askModel(job: AskingJob, asked: AskedAsStep & Pick<CompletionRequest, 'json'>): Promise<ModelReply>
  /**
   * Asks within a step of the caller, who renders the dialogue and reads what the model asks for. Budget, transcript
   * and costs as with `askModel`.
   *
   * @param prompts - Names of those that the messages are made of.
   * @throws {FaultlineError} LLM_NOT_CONFIGURED
   * @throws {ModelError} As `Llm.complete`; what was spent has been added by then.
   */
  askInStep(job: RecordingJob, prompts: Iterable<string>, request: CompletionRequest): Promise<Completion>
  render: Prompts['render']
  /**
   * As `askModel`, for an answer in JSON that fits the schema; a reply that does not is asked for once more. `usage` is
   * that of all calls, which are one step.
   *
   * @throws {ModelError} REPLY_TRUNCATED, REPLY_FILTERED.
   */
  askModelForJson<S extends TSchema>(
    job: AskingJob,
    asked: AskedAsStep & { json: JsonRequest<S>['json'] },
  ): Promise<KeptReply & { value: Static<S> }>
}

type Complete = (request: CompletionRequest) => Promise<Completion>

const since = (started: number): number => Math.round(performance.now() - started)

/** A dialogue that a step may have to read first. */
const resolved = async (messages: AskedAsStep['messages']): Promise<readonly DialogueMessage[]> =>
  typeof messages === 'function' ? await messages() : messages

/** A reply in JSON with its rest, as far as that could be had. */
async function continueJson(
  cut: Completion,
  request: CompletionRequest,
  { complete, render }: { complete: Complete; render: Prompts['render'] },
): Promise<Completion> {
  const pieces = [cut]
  const { text, finishReason } = await continueReply(cut, async ({ text, model }) => {
    const piece = await complete({
      ...request,
      model,
      messages: [
        ...request.messages,
        { role: 'assistant', content: text },
        { role: 'user', content: render('continue', {}) },
      ],
    })
    pieces.push(piece)
    return piece
  })
  const total = (count: (piece: Completion) => number): number => pieces.reduce((sum, piece) => sum + count(piece), 0)
  return {
    ...cut,
    text,
    finishReason,
    usage: pieces.map(({ usage }) => usage).reduce(sumUsage),
    attempts: total(({ attempts }) => attempts),
    redactions: total(({ redactions }) => redactions),
  }
}

/** Connects jobs with the configured model. */
export function createAskModel({
  complete,
  completeJson,
  jsonValuesIn,
  prompts,
  estimate,
  redact,
  contextOf = () => null,
}: AskModelDeps): AskModel {
  function needed(): NonNullable<AskModelDeps['complete']> {
    if (complete === null) {
      throw new FaultlineError(
        'LLM_NOT_CONFIGURED',
        'No model is configured, and this needs one.',
        ERROR_HELP.LLM_NOT_CONFIGURED.cure,
      )
    }
    return complete
  }

  async function call(
    job: AskingJob,
    { messages: dialogue, ...choice }: Omit<AskedAsStep, 'name'> & Pick<CompletionRequest, 'json'>,
    signal: AbortSignal,
  ): Promise<KeptReply> {
    const started = performance.now()
    const { messages, prompts: used } = renderDialogue(prompts.render, await resolved(dialogue))
    const complete = recordCalls(job, prompts, used, needed())
    const { text, model, finishReason, usage } = await complete({ messages, ...choice, takesCut: true, signal })
    return { text, model, finishReason, usage, durationMs: since(started) }
  }

  function ask(job: AskingJob, { name, ...asked }: AskedAsStep & Pick<CompletionRequest, 'json'>): Promise<KeptReply> {
    needed()
    return job.step(name, signal => call(job, asked, signal))
  }

  /** The rest of a reply, or why it could not be had: a replay must not try again what the job has gone on from. */
  function continued(job: AskingJob, { name, ...asked }: AskedAsStep): Promise<KeptReply | Failure> {
    return job.step(name, async signal => {
      try {
        return await call(job, asked, signal)
      } catch (error) {
        if (signal.aborted || !(error instanceof FaultlineError) || !ENDS_REPLY.has(error.code)) throw error
        const { code, message, fix } = error
        return { failure: { code, message, fix } }
      }
    })
  }

  return {
    redact,
    jsonValuesIn,
    contextOf,
    needModel() {
      needed()
    },
    estimate: ({ messages, model }) => estimate(renderDialogue(prompts.render, messages).messages, model),
    render: prompts.render,
    askInStep: (job, used, request) => recordCalls(job, prompts, used, needed())(request),
    async askModel(job, asked) {
      // Held to the schema, the rest would have to be a value of its own.
      const { name, messages: dialogue, json: _json, ...choice } = asked
      const { usage, durationMs, ...first } = await ask(job, asked)
      const spent = [usage]
      let spentMs = durationMs
      const reply = await continueReply(first, async ({ text, model, finishReason }, tries) => {
        job.log(
          `The reply was cut off (${finishReason}); the model is asked to go on, ${tries} of ${MAX_CONTINUATIONS}.`,
        )
        const more = await continued(job, {
          ...choice,
          name: `${name}.continue`,
          model,
          messages: async () => [...(await resolved(dialogue)), replied(text), says({ prompt: 'continue' })],
        })
        if ('usage' in more) {
          spent.push(more.usage)
          spentMs += more.durationMs
        }
        return more
      })
      return { ...reply, usage: spent.reduce(sumUsage), durationMs: spentMs }
    },
    async askModelForJson(job, { name, messages: dialogue, json, ...choice }) {
      const complete = needed()
      return job.step(name, async signal => {
        const started = performance.now()
        const { messages, prompts: names } = renderDialogue(prompts.render, await resolved(dialogue))
        const used = new Set(names)
        const render: Prompts['render'] = (prompt, slots) => {
          used.add(prompt)
          return prompts.render(prompt, slots)
        }
        const recorded = recordCalls(job, prompts, used, complete)
        const { text, model, finishReason, usage, value } = await completeJson(
          recorded,
          render,
          { messages, json, ...choice, takesCut: true, signal },
          // Held to the schema, the rest would have to be a value of its own.
          (cut, { json: _json, ...request }) => continueJson(cut, request, { complete: recorded, render }),
        )
        return { text, model, finishReason, usage, value, durationMs: since(started) }
      })
    },
  }
}
