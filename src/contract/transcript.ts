import type { Static } from 'typebox'
import { Type } from '../core/type.ts'
import { JobRequestSchema, JobTypeName, UsageSchema } from './job.ts'
import { Count, Nullable, Timestamp } from './primitives.ts'
import { TaskLogFields } from './task.ts'

const KINDS = ['created', 'messages', 'reply', 'model_error', 'question', 'answer', 'command', 'task', 'tool'] as const

/** The answer of `GET /jobs/{id}/transcript`: entries that say further things by their kind. */
export const TranscriptSchema = Type.Object({
  data: Type.Array(
    Type.Object(
      { at: Timestamp, step: Nullable(Type.String()), kind: Type.Enum([...KINDS]) },
      { additionalProperties: true },
    ),
  ),
})

const ToolCalls = Type.Optional(
  Type.Array(Type.Object({ name: Type.String(), arguments: Type.String() }), {
    description: 'What the model asks for; arguments as it wrote them',
  }),
)

const moment = { at: Timestamp, step: Nullable(Type.String()) }

/** One entry of a transcript, by `kind`. */
export const TranscriptEntrySchema = Type.Union([
  Type.Object({
    ...moment,
    kind: Type.Literal('created'),
    type: JobTypeName,
    key_name: Nullable(Type.String()),
    trust: Type.Enum(['trusted', 'untrusted']),
    retry_of: Nullable(Type.String()),
    body: Type.Unknown({ description: 'As it was sent' }),
  }),
  Type.Object({
    ...moment,
    kind: Type.Literal('messages'),
    model: Type.String(),
    prompts: Type.Array(Type.Object({ name: Type.String(), sha256: Type.String() })),
    messages: Type.Array(Type.Object({ role: Type.String(), content: Type.String(), tool_calls: ToolCalls })),
    redactions: Count,
  }),
  Type.Object({
    ...moment,
    kind: Type.Literal('reply'),
    model: Type.String(),
    text: Type.String(),
    tool_calls: ToolCalls,
    finish_reason: Nullable(Type.String()),
    usage: UsageSchema,
  }),
  Type.Object({
    ...moment,
    kind: Type.Literal('model_error'),
    model: Type.String(),
    code: Type.String(),
    message: Type.String(),
    usage: UsageSchema,
  }),
  Type.Object({ ...moment, kind: Type.Literal('question'), name: Type.String(), request: JobRequestSchema }),
  Type.Object({
    ...moment,
    kind: Type.Literal('answer'),
    name: Type.String(),
    key_name: Nullable(Type.String()),
    reply: Type.Unknown({ description: 'As it was taken' }),
  }),
  Type.Object({
    ...moment,
    kind: Type.Literal('command'),
    argv: Type.Array(Type.String()),
    exit_code: Nullable(Type.Integer()),
    signal: Nullable(Type.String()),
    stdout: Type.String(),
    stderr: Type.String(),
    timed_out: Type.Boolean(),
    duration_ms: Type.Number(),
    sandboxed: Type.Boolean(),
  }),
  Type.Object({ ...moment, kind: Type.Literal('task'), ...TaskLogFields }),
  Type.Object({
    ...moment,
    kind: Type.Literal('tool'),
    number: Type.Integer({ minimum: 1, description: 'Of the step of the investigation' }),
    name: Type.String(),
    arguments: Type.String({ description: 'JSON as the model wrote it, long ones cut' }),
    result: Type.String({ description: 'As the model was shown it' }),
  }),
])

/** One entry of a transcript in the names of JSON; `kind` says which fields it has. */
export type TranscriptEntryAnswer = Static<typeof TranscriptEntrySchema>
