import type { Static } from 'typebox'
import { ResolutionParams } from '../../contract/kept-resolution.ts'
import { Count, Nullable } from '../../contract/primitives.ts'
import { ResolutionSchema, ResolveBodySchema, type ResolutionAnswer } from '../../contract/resolution.ts'
import { Type } from '../../core/type.ts'
import { plain } from '../../text/paint.ts'
import { answerText, locatedText } from '../../text/resolution-text.ts'
import { pathOf, type Caller } from '../caller.ts'
import { DEFAULT_TOKENS, fitBoth, MaxTokens } from '../fit.ts'
import { defineTool, READS, type ToolAnswer } from '../tool.ts'

const { project_name: projectName, stacktrace, ref, exception, detail } = ResolveBodySchema.properties

/** The part of an answer that the context may take: data and text both show it, beside the frames and the suspects. */
const CONTEXT_PART = 0.4

const Output = Type.Object({
  ...ResolutionSchema.properties,
  tokens: { ...Count, description: 'Tokens of this answer, its data and its text together (o200k)' },
  cut: Nullable(Type.String({ description: 'What was cut, and how to have the rest; null: nothing' })),
})

async function shown(
  resolution: ResolutionAnswer,
  maxTokens: number,
  caller: Caller,
): Promise<ToolAnswer<Static<typeof Output>>> {
  const located = locatedText(resolution, plain, { fullBy: '"detail": "full"' })
  const isAsked = resolution.answer_status !== 'not_requested'
  const written = isAsked ? `${located}\n\n${answerText(resolution, plain)}` : located
  const more = 'a larger max_tokens shows more'
  const { value, text, tokens, cut } = await fitBoth({ value: resolution, written, maxTokens, more }, caller)
  return {
    data: { ...value, tokens, cut },
    said: {
      sentences: [
        `Resolution ${resolution.id}; get_resolution gives it again.`,
        resolution.suspects_status === 'pending' ? 'The suspect commits are not there yet: ask again in a moment.' : '',
        cut ?? '',
      ],
      quoted: { label: 'resolution', text },
    },
  }
}

export const resolveStackTrace = defineTool({
  name: 'resolve_stack_trace',
  title: 'Resolve a stack trace',
  description:
    'Finds the code behind a stack trace, a failed test or a whole log in an indexed project: the frames with their ' +
    'files and lines, the code around them within max_tokens, and the commits that may have caused it. Calls no model.',
  input: Type.Object(
    { project_name: projectName, stacktrace, ref, exception, detail, max_tokens: MaxTokens },
    { additionalProperties: false },
  ),
  output: Output,
  hints: READS,
  async run({ max_tokens: maxTokens = DEFAULT_TOKENS, ...args }, caller) {
    const body = { ...args, mode: 'context', max_context_tokens: Math.floor(maxTokens * CONTEXT_PART) }
    const resolution = (await caller.ask({ method: 'POST', path: '/resolve', body })) as ResolutionAnswer
    return await shown(resolution, maxTokens, caller)
  },
})

export const getResolution = defineTool({
  name: 'get_resolution',
  title: 'Get a resolution',
  description: 'An answer to a stack trace that was given before, by its id (`res_…`), with what came later.',
  input: Type.Object({ id: ResolutionParams.properties.id, max_tokens: MaxTokens }, { additionalProperties: false }),
  output: Output,
  hints: READS,
  async run({ id, max_tokens: maxTokens = DEFAULT_TOKENS }, caller) {
    const resolution = (await caller.ask({ method: 'GET', path: pathOf`/resolutions/${id}` })) as ResolutionAnswer
    return await shown(resolution, maxTokens, caller)
  },
})
