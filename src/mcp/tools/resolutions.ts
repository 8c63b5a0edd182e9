import type { Static } from 'typebox'
import { ResolutionParams } from '../../contract/kept-resolution.ts'
import { Count, Nullable } from '../../contract/primitives.ts'
import { ResolutionSchema, ResolveBodySchema, type ResolutionAnswer } from '../../contract/resolution.ts'
import { Type } from '../../core/type.ts'
import { plain } from '../../text/paint.ts'
import { answerText, locatedText } from '../../text/resolution-text.ts'
import { pathOf, type Caller } from '../caller.ts'
import { fit } from '../fit.ts'
import { defineTool, READS, type ToolAnswer } from '../tool.ts'

const { project_name: projectName, stacktrace, ref, exception, detail } = ResolveBodySchema.properties

const MAX_TOKENS = 8_000
const MaxTokens = Type.Optional(
  Type.Integer({
    minimum: 200,
    maximum: 50_000,
    description: `The most tokens of the answer; default ${MAX_TOKENS}. What is cut says so`,
  }),
)

const Output = Type.Object({
  ...ResolutionSchema.properties,
  tokens: { ...Count, description: 'Tokens of this answer (o200k)' },
  cut: Nullable(Type.String({ description: 'What was cut, and how to have the rest; null: nothing' })),
})

async function shown(
  resolution: ResolutionAnswer,
  maxTokens: number,
  caller: Caller,
): Promise<ToolAnswer<Static<typeof Output>>> {
  const { value, tokens, isCut } = await fit(resolution, maxTokens, caller)
  const located = locatedText(resolution, plain, { fullBy: '"detail": "full"' })
  const isAsked = resolution.answer_status !== 'not_requested'
  const written = isAsked ? `${located}\n\n${answerText(resolution, plain)}` : located
  const text = await caller.cutToTokens(written, maxTokens)
  const isTextCut = text.text.length < written.length
  const cut = isCut || isTextCut ? `Cut to ${maxTokens} tokens; a larger max_tokens shows more.` : null
  return {
    data: { ...value, tokens, cut },
    said: {
      sentences: [
        `Resolution ${resolution.id}; get_resolution gives it again.`,
        resolution.suspects_status === 'pending' ? 'The suspect commits are not there yet: ask again in a moment.' : '',
        cut ?? '',
      ],
      quoted: { label: 'resolution', text: text.text },
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
  async run({ max_tokens: maxTokens = MAX_TOKENS, ...args }, caller) {
    const body = { ...args, mode: 'context', max_context_tokens: maxTokens }
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
  async run({ id, max_tokens: maxTokens = MAX_TOKENS }, caller) {
    const resolution = (await caller.ask({ method: 'GET', path: pathOf`/resolutions/${id}` })) as ResolutionAnswer
    return await shown(resolution, maxTokens, caller)
  },
})
