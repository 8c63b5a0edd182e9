import { Type } from '@fastify/type-provider-typebox'
import { Count, Nullable, Timestamp } from './primitives.ts'

export const JobParams = Type.Object({ id: Type.String({ minLength: 1, maxLength: 64 }) })
export const JobTypeName = Type.Enum(['clone', 'resolve', 'generate', 'improve', 'self_heal', 'fix', 'task', 'feature'])
export const JobStatusName = Type.Enum(['queued', 'running', 'waiting', 'succeeded', 'failed', 'cancelled'])

export const UsageSchema = Type.Object({
  llm_calls: Count,
  prompt_tokens: Count,
  completion_tokens: Count,
  usd: Nullable(Type.Number()),
})

export const BudgetSchema = Type.Object(
  {
    tokens: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 1_000_000_000, description: 'Of prompts and completions together' }),
    ),
    seconds: Type.Optional(
      Type.Number({
        exclusiveMinimum: 0,
        maximum: 31_536_000,
        description: 'Of running; being queued and waiting do not count',
      }),
    ),
    usd: Type.Optional(Type.Number({ exclusiveMinimum: 0, maximum: 1_000_000, description: 'Needs MODEL_PRICES' })),
  },
  { additionalProperties: false, minProperties: 1 },
)

export const JobSchema = Type.Object(
  {
    id: Type.String(),
    type: JobTypeName,
    status: JobStatusName,
    project_name: Nullable(Type.String()),
    created_at: Timestamp,
    updated_at: Timestamp,
    retry_of: Nullable(Type.String()),
    trust: Type.Enum(['trusted', 'untrusted']),
    progress: Nullable(
      Type.Object({ step: Type.String(), done: Count, total: Nullable(Type.Integer()), message: Type.String() }),
    ),
    queue_position: Nullable(
      Type.Integer({
        description: 'Jobs that start before it, by fair turns between projects; null unless it is queued',
      }),
    ),
    request: Type.Unknown({ description: 'What a waiting job asks, else null; `kind` says how to reply' }),
    result: Type.Unknown({ description: 'By the type of the job; null until it succeeded' }),
    error: Nullable(
      Type.Object({
        code: Type.String(),
        message: Type.String(),
        step: Nullable(Type.String()),
        fix: Type.Optional(Type.String()),
      }),
    ),
    usage: UsageSchema,
    redactions: Type.Integer({ minimum: 0, description: 'Secrets replaced in what models were sent' }),
    budget: Nullable(BudgetSchema),
  },
  { $id: 'Job' },
)

export const JobEventSchema = Type.Object({
  id: Type.Integer({ minimum: 1, description: 'Grows by one within a job' }),
  at: Timestamp,
  event: Type.Enum(['status', 'step', 'log', 'token', 'request', 'done']),
  data: Type.Unknown(),
})
