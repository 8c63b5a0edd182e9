import type { Static } from 'typebox'
import { MAX_REPLY_CHARS } from '../core/reply-limits.ts'
import { Type } from '../core/type.ts'
import { ConflictSchema, FeatureCheckSchema } from './feature-parts.ts'
import { GuardSchema } from './guards.ts'
import { JOB_STATUSES, JOB_TYPES } from './job-names.ts'
import { Count, ListQuery, Nullable, ProjectName, Timestamp } from './primitives.ts'
import { ChangedTestsSchema, VerifiedRunsSchema } from './verification.ts'

/** The path parameters of `/jobs/{id}` and of every route below it. */
export const JobParams = Type.Object({ id: Type.String({ minLength: 1, maxLength: 64 }) })

/** Types that a job may have, also those that no pipeline of this version makes. */
export const JobTypeName = Type.Enum([...JOB_TYPES])
const JobStatusName = Type.Enum([...JOB_STATUSES])

/** What calls of models cost. */
export const UsageSchema = Type.Object({
  llm_calls: Count,
  prompt_tokens: Count,
  completion_tokens: Count,
  usd: Nullable(Type.Number()),
})

/** What a job may take; a limit that is left out does not hold. */
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

/** One file that a job keeps. */
export const JobFileSchema = Type.Object({ path: Type.String(), bytes: Count, sha256: Type.String() })

const Spent = Type.Object({ tokens: Count, seconds: Type.Number(), usd: Nullable(Type.Number()) })

/** What a waiting job asks, by `kind`. */
export const JobRequestSchema = Type.Union([
  Type.Object({ kind: Type.Literal('clarification'), question: Type.String() }),
  Type.Object({
    kind: Type.Literal('confirm_run'),
    command: Type.String(),
    script: Type.Optional(Type.String({ description: 'What the command would run' })),
    files: Type.Array(JobFileSchema),
  }),
  Type.Object({
    kind: Type.Literal('review_changes'),
    explanation: Type.Optional(
      Type.String({
        description: 'What the model says of the changes beside its code; left out where it says nothing',
      }),
    ),
    diff: Type.String(),
    rejected_hunks: Type.Array(Type.Record(Type.String(), Type.Unknown())),
    verification: Type.Optional(Type.String({ description: 'What runs of a command before and after say' })),
    verification_reason: Type.Optional(Type.String({ description: 'Why it is no more than that' })),
    runs: Type.Optional(VerifiedRunsSchema),
    tests: Type.Optional(ChangedTestsSchema),
    guards: Type.Optional(
      Type.Array(GuardSchema, { description: 'Of a fix: places of the change that only hide the failure' }),
    ),
    refinements_left: Type.Optional(
      Type.Integer({ minimum: 0, description: 'How often the model can be asked again, of `max_refinements`' }),
    ),
  }),
  Type.Object({
    kind: Type.Literal('review_plan'),
    plan: Type.Unknown(),
    replans_left: Type.Optional(
      Type.Integer({ minimum: 0, description: 'How often a rejection with a comment has it planned again' }),
    ),
  }),
  Type.Object({
    kind: Type.Literal('approve_delivery'),
    branch: Type.String(),
    diff: Type.String(),
    pull_request_url: Nullable(Type.String()),
    compare_url: Type.Optional(Nullable(Type.String())),
    checks: Type.Optional(Type.Array(FeatureCheckSchema)),
    conflicts: Type.Optional(Type.Array(ConflictSchema)),
    problem: Type.Optional(
      Nullable(
        Type.String({ description: 'Why the last push, merge or deployment did not work; an approval tries it again' }),
      ),
    ),
    pushes: Type.Optional(
      Type.Boolean({ description: 'Whether an approval only tries to push it once more, and it is asked about again' }),
    ),
    merge: Type.Optional(Type.Boolean({ description: 'Whether an approval merges it' })),
    merged: Type.Optional(
      Type.Boolean({ description: 'Whether it is merged already: a rejection then leaves it merged' }),
    ),
    deploys_by: Type.Optional(
      Nullable(
        Type.Enum(['url', 'command', 'check'], { description: 'What an approval deploys it with; null: nothing' }),
      ),
    ),
    reworks_left: Type.Optional(
      Type.Integer({ minimum: 0, description: 'How often a rejection with a comment has it coded again' }),
    ),
  }),
  Type.Object({ kind: Type.Literal('budget'), spent: Spent, limit: BudgetSchema }),
])

/** A job. */
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
    request: Type.Unsafe<Static<typeof JobRequestSchema> | null>(
      Type.Unknown({
        description:
          'What a waiting job asks, else null; `kind` says how to reply. `review_changes` has `explanation` (the ' +
          "model's own words), `diff`, `rejected_hunks`, `guards` (places of a fix that only hide the failure) and " +
          '`refinements_left`',
      }),
    ),
    asked: Type.Optional(
      Nullable(
        Type.String({
          description: 'Name of what a waiting job asks, else null; a reply that has it answers nothing later',
        }),
      ),
    ),
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

/** One thing that happened in a job. */
export const JobEventSchema = Type.Object({
  id: Type.Integer({ minimum: 1, description: 'Grows by one within a job' }),
  at: Timestamp,
  event: Type.Enum(['status', 'step', 'log', 'token', 'suspects', 'request', 'done']),
  data: Type.Unsafe<Record<string, unknown>>(Type.Unknown()),
})

/** The body of `POST /jobs/{id}/reply`. */
export const ReplyBodySchema = Type.Object(
  {
    answer: Type.Optional(Type.String({ maxLength: MAX_REPLY_CHARS.answer })),
    skip: Type.Optional(Type.Literal(true)),
    decision: Type.Optional(Type.Enum(['approve', 'reject'])),
    comment: Type.Optional(
      Type.String({
        maxLength: MAX_REPLY_CHARS.comment,
        description:
          'With the decision `reject` about `review_changes`, `review_plan` or `approve_delivery`: what should be ' +
          'different. The model is asked again with it, as often as the request says (`refinements_left`, ' +
          '`replans_left`, `reworks_left`); a blank one counts as none',
      }),
    ),
    budget: Type.Optional(BudgetSchema),
    asked: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description:
          '`asked` of the job whose request was read: where it asks something else by now, the reply is refused with ' +
          '409. Without it whatever is asked now is answered',
      }),
    ),
  },
  { additionalProperties: false, examples: [{ decision: 'approve' }] },
)

/** May override fields of the first body. */
export const RetryBody = Nullable(
  Type.Object(
    { from_step: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })) },
    { additionalProperties: true, examples: [{}] },
  ),
)

/** The query of `GET /jobs`. */
export const JobsQuery = Type.Object(
  {
    ...ListQuery,
    type: Type.Optional(JobTypeName),
    status: Type.Optional(JobStatusName),
    project_name: Type.Optional(ProjectName),
  },
  { additionalProperties: false },
)

/** A job in the names of JSON; `Job` in `core/` is the same in camelCase. */
export type JobAnswer = Static<typeof JobSchema>
/** What a waiting job asks, in the names of JSON; `kind` says which fields it has. */
export type JobRequestAnswer = Static<typeof JobRequestSchema>
/** An event of a job. `id` counts from 1 within the job; what `data` holds depends on `event`. */
export type JobEventAnswer = Static<typeof JobEventSchema>
/**
 * Path, size in bytes and SHA-256 (hexadecimal) of a file that a job keeps; its names are the same inside and in JSON.
 */
export type JobFileAnswer = Static<typeof JobFileSchema>
/** What calls of models cost, in the names of JSON; `usd` is null where no price is known. */
export type UsageAnswer = Static<typeof UsageSchema>
/** Limits of a job: tokens, seconds of running, US dollars; its names are the same inside and in JSON. */
export type BudgetAnswer = Static<typeof BudgetSchema>
/** What a job has used of its budget, in the units of the budget. */
export type SpentAnswer = Static<typeof Spent>
/** The body of `POST /jobs/{id}/retry`: the fields beside `from_step` replace those of the first body. */
export type RetryOverrides = NonNullable<Static<typeof RetryBody>>
/** A reply to what a job asks; which field is needed follows from the `kind` of the request. */
export type ReplyBody = Omit<Static<typeof ReplyBodySchema>, 'asked'>
