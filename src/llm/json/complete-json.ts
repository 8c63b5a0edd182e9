import type { Static, TSchema } from 'typebox'
import type { Value as TypeBoxValue } from 'typebox/value'
import { ModelError } from '../../core/errors.ts'
import { replyEndOf } from '../../core/finish-reason.ts'
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
/** Asks for the rest of a reply that was cut; gives both in one, or as much as could be had. */
type GoOn = (cut: Completion, request: CompletionRequest) => Promise<Completion>
type RenderPrompt = (name: string, slots: Readonly<Record<string, string>>) => string

const MAX_PROBLEM_CHARS = 300
const MAX_SHOWN_REPLY_CHARS = 60_000

const shortened = (text: string): string =>
  text.length > MAX_PROBLEM_CHARS ? `${text.slice(0, MAX_PROBLEM_CHARS)}…` : text

function allowedBy(params: object): string {
  if ('allowedValue' in params) return ` ${JSON.stringify(params.allowedValue)}`
  return 'allowedValues' in params ? ` ${JSON.stringify(params.allowedValues)}` : ''
}

/** Loaded with the first reply: a start needs none of it. */
const loadTypeBox = async (): Promise<typeof TypeBoxValue> => (await import('typebox/value')).Value

/** The schema's complaints, in words for a model; TypeBox gives eight at most. */
function problemsOf(Value: typeof TypeBoxValue, schema: TSchema, value: unknown): string[] {
  const errors = Value.Errors(schema, value).map(({ instancePath, message, params }) => {
    const place = instancePath === '' ? 'The whole' : instancePath
    return shortened(`${place} ${message}${allowedBy(params)}.`)
  })
  return [...new Set(errors)]
}

async function readReply<S extends TSchema>(
  { text }: Completion,
  schema: S,
): Promise<{ value: Static<S> } | { problems: string[] }> {
  const Value = await loadTypeBox()
  const { values, problem } = jsonValuesIn(text)
  const cleaned = values.map(value => Value.Clean(schema, value))
  const fitting = cleaned.findLast(value => Value.Check(schema, value))
  if (fitting !== undefined) return { value: fitting as Static<S> }
  const nearest = cleaned.reduce<string[] | null>((best, value) => {
    const problems = problemsOf(Value, schema, value)
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

function unusable({ model, usage }: Completion, problem: string): ModelError {
  return new ModelError('LLM_BAD_REPLY', `The reply of ${model} is not the JSON that was asked for: ${problem}`, {
    usage,
    fix: 'Name a model that can answer in JSON (LLM_MODEL).',
  })
}

/** The error of a reply that ended before its JSON did; null for one that is complete. */
function cutError({ model, usage, finishReason }: Completion, problem: string): ModelError | null {
  const end = replyEndOf(finishReason)
  if (end === 'complete') return null
  if (end === 'filtered') {
    const message = `The model server held back the reply of ${model} (finish_reason ${JSON.stringify(finishReason)}).`
    return new ModelError('REPLY_FILTERED', message, { usage, fix: 'Ask in other words, or name another model.' })
  }
  const how = finishReason === 'length' ? 'at the output limit' : `(finish_reason ${JSON.stringify(finishReason)})`
  return new ModelError('REPLY_TRUNCATED', `The JSON of ${model} was cut ${how}: ${problem}`, {
    usage,
    fix: 'Raise LLM_MAX_OUTPUT_TOKENS, or ask for less.',
  })
}

const asItIs: GoOn = async cut => cut

/**
 * Asks for an answer in JSON: with `response_format` where the server supports it, and in the prompt in any case. The
 * reply may stand in fences and prose. If it does not fit the schema the model is asked once more, with the problems;
 * not after a reply that was cut, because the next one would be cut, too: `goOn` is asked for its rest.
 *
 * @param complete - Called once or twice.
 * @returns The last answer that fits, where the reply contains several; usage and requests are those of both calls.
 * @throws {ModelError} LLM_BAD_REPLY with the problems of the second reply; REPLY_TRUNCATED, REPLY_FILTERED; and what
 * `complete` throws.
 */
export async function completeJson<S extends TSchema>(
  complete: Complete,
  renderPrompt: RenderPrompt,
  request: JsonRequest<S>,
  goOn = asItIs,
): Promise<JsonCompletion<S>> {
  const { schema } = request.json
  async function answerTo(asked: CompletionRequest) {
    const reply = await complete(asked)
    const read = await readReply(reply, schema)
    if ('value' in read || replyEndOf(reply.finishReason) !== 'cut') return { reply, read }
    const whole = await goOn(reply, asked)
    return { reply: whole, read: await readReply(whole, schema) }
  }
  const messages = withText(request.messages, renderPrompt('json-answer', { schema: JSON.stringify(schema) }))
  const { reply: first, read } = await answerTo({ ...request, messages })
  if ('value' in read) return { ...first, value: read.value }
  const cut = cutError(first, read.problems[0] ?? '')
  if (cut !== null) throw cut

  request.signal?.throwIfAborted()
  if (request.onToken !== undefined) request.onRestart?.()
  const again = renderPrompt('json-again', { problems: read.problems.map(problem => `- ${problem}`).join('\n') })
  const { reply: second, read: reread } = await answerTo({
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
  if ('value' in reread) return { ...both, value: reread.value }
  const problems = reread.problems.slice(0, 3).join(' ')
  throw cutError(both, problems) ?? unusable(both, `asked twice, its reply does not fit: ${problems}`)
}
