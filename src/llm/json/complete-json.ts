import type { Static, TSchema } from 'typebox'
import { Value } from 'typebox/value'
import { ModelError } from '../../core/errors.ts'
import { sumUsage } from '../../core/job.ts'
import type { ChatMessage, Completion, CompletionRequest } from '../client/client.ts'
import type { JsonSchema } from './json-format.ts'
import { jsonValuesIn } from './json-text.ts'

/** A question whose answer must fit a schema. */
export interface JsonRequest<S extends TSchema> extends Omit<CompletionRequest, 'json'> {
  /** A schema of an object or an array. Fields that it does not name are dropped from the answer, not refused. */
  json: JsonSchema & { schema: S }
}

/** An answer that fits its schema, and what it cost. */
interface JsonCompletion<S extends TSchema> extends Completion {
  value: Static<S>
}

type Complete = (request: CompletionRequest) => Promise<Completion>
type RenderPrompt = (name: string, slots: Readonly<Record<string, string>>) => string

const MAX_PROBLEMS = 12
const MAX_PROBLEM_CHARS = 300
const MAX_SHOWN_REPLY_CHARS = 60_000

const shortened = (text: string): string =>
  text.length > MAX_PROBLEM_CHARS ? `${text.slice(0, MAX_PROBLEM_CHARS)}…` : text

function allowedBy(params: object): string {
  if ('allowedValue' in params) return ` ${JSON.stringify(params.allowedValue)}`
  return 'allowedValues' in params ? ` ${JSON.stringify(params.allowedValues)}` : ''
}

/** The schema's complaints, in words for a model. */
function problemsOf(schema: TSchema, value: unknown): string[] {
  const errors = Value.Errors(schema, value).map(({ instancePath, message, params }) => {
    const place = instancePath === '' ? 'The whole' : instancePath
    return shortened(`${place} ${message}${allowedBy(params)}.`)
  })
  return [...new Set(errors)].slice(0, MAX_PROBLEMS)
}

function readReply<S extends TSchema>({ text }: Completion, schema: S): { value: Static<S> } | { problems: string[] } {
  const { values, problem } = jsonValuesIn(text)
  const cleaned = values.map(value => Value.Clean(schema, value))
  const fitting = cleaned.findLast(value => Value.Check(schema, value))
  if (fitting !== undefined) return { value: fitting as Static<S> }
  const nearest = cleaned.reduce<string[] | null>((best, value) => {
    const problems = problemsOf(schema, value)
    return best === null || problems.length < best.length ? problems : best
  }, null)
  return { problems: nearest ?? [shortened(problem)] }
}

/**
 * The messages with more text at the end of the last one; some servers refuse several messages of one role in a row.
 */
function withText(messages: readonly ChatMessage[], text: string): ChatMessage[] {
  const last = messages.at(-1)
  if (last === undefined || last.role !== 'user') return [...messages, { role: 'user', content: text }]
  return [...messages.slice(0, -1), { role: 'user', content: `${last.content}\n\n${text}` }]
}

function unusable({ model, usage }: Completion, problem: string, fix: string): ModelError {
  return new ModelError('LLM_BAD_REPLY', `The reply of ${model} is not the JSON that was asked for: ${problem}`, {
    usage,
    fix,
  })
}

/**
 * Asks for an answer in JSON: with `response_format` where the server supports it, and in the prompt in any case. The
 * reply may stand in fences and prose. If it does not fit the schema the model is asked once more, with the problems;
 * not after a reply that was cut at the output limit, because the next one would be cut, too.
 *
 * @param complete - Called once or twice.
 * @returns The last answer that fits, where the reply contains several; usage and requests are those of both calls.
 * @throws {ModelError} LLM_BAD_REPLY with the problems of the second reply; and what `complete` throws.
 */
export async function completeJson<S extends TSchema>(
  complete: Complete,
  renderPrompt: RenderPrompt,
  request: JsonRequest<S>,
): Promise<JsonCompletion<S>> {
  const messages = withText(
    request.messages,
    renderPrompt('json-answer', { schema: JSON.stringify(request.json.schema) }),
  )
  const first = await complete({ ...request, messages })
  const read = readReply(first, request.json.schema)
  if ('value' in read) return { ...first, value: read.value }
  if (first.finishReason === 'length') {
    throw unusable(
      first,
      `it was cut at the output limit: ${read.problems[0] ?? ''}`,
      'Raise LLM_MAX_OUTPUT_TOKENS, or ask for less.',
    )
  }

  request.signal?.throwIfAborted()
  if (request.onToken !== undefined) request.onRestart?.()
  const again = renderPrompt('json-again', { problems: read.problems.map(problem => `- ${problem}`).join('\n') })
  const second = await complete({
    ...request,
    messages: [
      ...messages,
      { role: 'assistant', content: first.text.slice(0, MAX_SHOWN_REPLY_CHARS) },
      { role: 'user', content: again },
    ],
  })
  const both = {
    ...second,
    usage: sumUsage(first.usage, second.usage),
    attempts: first.attempts + second.attempts,
    redactions: first.redactions + second.redactions,
  }
  const reread = readReply(second, request.json.schema)
  if ('value' in reread) return { ...both, value: reread.value }
  throw unusable(
    both,
    `asked twice, its reply does not fit: ${reread.problems.slice(0, 3).join(' ')}`,
    'Name a model that can answer in JSON (LLM_MODEL).',
  )
}
