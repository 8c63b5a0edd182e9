import type { Static } from 'typebox'
import { Type } from '../core/type.ts'
import { GuardSchema } from './guards.ts'
import { MODEL_JOB_FIELDS } from './model-job.ts'
import { Color, Count, ListQuery, Milliseconds, Nullable, ProjectName, Timestamp } from './primitives.ts'
import { TASK_STATUSES } from './task-names.ts'
import type { CamelCased } from './wire.ts'

const open = { additionalProperties: true }

const TaskStatusName = Type.Enum([...TASK_STATUSES])

/** One remark of the reviewer. */
const ReviewIssueSchema = Type.Object(
  {
    severity: Type.Enum(['critical', 'major', 'minor', 'nit'], { description: 'Only `critical` rejects' }),
    file: Nullable(Type.String()),
    line: Nullable(Type.Integer({ minimum: 1 })),
    message: Type.String(),
  },
  open,
)

const ReviewSchema = Type.Object(
  {
    decision: Type.Enum(['approve', 'reject']),
    issues: Type.Array(ReviewIssueSchema),
    summary: Type.String(),
  },
  open,
)

/** One command that was run over a change, or why it was not. */
const CheckRunSchema = Type.Object(
  {
    name: Type.Enum(['typecheck', 'lint', 'test'], { description: 'Of tasks `lint` and `test`' }),
    status: Type.Enum(['passed', 'failed', 'failed_before', 'skipped'], {
      description: '`failed_before`: it fails, and no more than it did without the change; that rejects nothing',
    }),
    command: Nullable(Type.String({ description: 'Null where there is none' })),
    exit_code: Nullable(Type.Integer({ description: 'After the change; null when it was not run, or was killed' })),
    before: Nullable(Type.Integer({ description: 'The exit code without the change' })),
    reason: Nullable(Type.String({ description: 'Why it was skipped, or what of the failure is new' })),
  },
  open,
)

const TaskTestsSchema = Type.Object(
  {
    passed: Type.Unsafe<boolean | null>({
      type: ['boolean', 'null'],
      description: 'Whether all that was run ended with exit code 0; null when nothing was run',
    }),
    lint_output: Type.String({ description: 'The ends of what the linter printed' }),
    test_output: Type.String({ description: 'The ends of what the tests printed' }),
    summary: Type.String({ description: '`All checks passed`, or what failed, or why nobody ran anything' }),
    checks: Type.Array(CheckRunSchema),
    broken: Type.Array(Type.String(), { description: 'Tests that passed before the change and fail after it' }),
    guards: Type.Array(GuardSchema, { description: 'Places of the change that hide a failure' }),
  },
  open,
)

const AttemptSchema = Type.Object(
  {
    number: Type.Integer({ minimum: 1 }),
    branch: Type.String({ description: 'Deleted where the attempt failed' }),
    base_branch: Type.String({ description: 'The default branch, from which it began' }),
    base_commit: Type.String({ description: 'What the diff is against' }),
    notes: Type.Array(Type.String(), { description: 'What could not be brought up to date before it began' }),
    commit: Nullable(Type.String({ description: 'Null when nothing was committed' })),
    commit_message: Nullable(Type.String()),
    diff: Type.String({ description: 'Empty when nothing could be applied' }),
    review: Nullable(ReviewSchema),
    tests: Nullable(TaskTestsSchema),
    failure: Nullable(
      Type.Object(
        {
          stage: Type.Enum(['coding', 'reviewing', 'testing', 'merging']),
          message: Type.String({ description: 'What the coder of the next attempt is told' }),
        },
        open,
      ),
    ),
  },
  open,
)

/** The result of a task job. */
export const TaskResultSchema = Type.Object(
  {
    task_number: Type.Integer({ minimum: 1 }),
    repository: Nullable(Type.String({ description: 'Null before the first attempt has begun' })),
    branch: Nullable(Type.String({ description: "In the server's clone; null where no attempt has passed" })),
    base_branch: Nullable(Type.String()),
    base_commit: Nullable(Type.String()),
    commit: Nullable(Type.String()),
    diff: Type.String({ description: 'Against `base_commit`; empty where no attempt has passed' }),
    merged: Type.Boolean({ description: 'Whether the default branch of the remote holds it' }),
    merge_commit: Nullable(Type.String()),
    tests_ran: Type.Boolean({ description: 'False where nobody ran a linter or tests over it' }),
    pull_request_url: Nullable(Type.String()),
    compare_url: Nullable(Type.String()),
    attempts: Type.Array(AttemptSchema),
  },
  open,
)

/** The body of `POST /tasks`. */
export const TaskBody = Type.Object(
  {
    description: Type.String({
      minLength: 1,
      maxLength: 100_000,
      pattern: '\\S',
      description: 'What is to be done, in words of any language',
    }),
    project_name: ProjectName,
    repository: Type.Optional(
      Type.String({ minLength: 1, maxLength: 64, description: 'Of the project, where it holds several' }),
    ),
    max_attempts: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 10, description: 'Attempts at most; default MAX_ATTEMPTS, 3' }),
    ),
    auto_merge: Type.Optional(
      Type.Boolean({
        description:
          'Merge what passes into the default branch of the remote; needs `push`, or `merge_by: client`. Default ' +
          'AUTO_MERGE, false',
      }),
    ),
    merge_by: Type.Optional(
      Type.Enum(['server', 'client'], {
        description:
          'Who merges with `auto_merge`. `client`: the server tries the merge, so that a conflict begins the next ' +
          'attempt, and leaves it to whoever asked, as the CLI in the work tree of its user. Default `server`',
      }),
    ),
    push: Type.Optional(
      Type.Boolean({
        description:
          'Push the branch, and open a pull request where GIT_TOKENS has a token for the forge; default false',
      }),
    ),
    draft: Type.Optional(Type.Boolean({ description: 'Whether the pull request is opened as a draft; default true' })),
    allow_paths: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 500 }), {
        maxItems: 200,
        description: 'Globs of protected files that may be changed: workflows, lock files, CI configuration, `.npmrc`',
      }),
    ),
    ...MODEL_JOB_FIELDS,
  },
  {
    additionalProperties: false,
    examples: [{ description: 'Refuse an empty e-mail address in the sign-up form', project_name: 'shop' }],
  },
)

/** What an agent of a task did; the transcript has it, too. */
export const TaskLogFields = {
  agent: Type.Enum(['coder', 'reviewer', 'tester', 'pipeline']),
  action: Type.Enum(['generate', 'review', 'test', 'merge', 'complete']),
  input_summary: Nullable(Type.String()),
  output_summary: Nullable(Type.String()),
  tokens_used: Nullable(Type.Integer({ minimum: 0, description: 'Of prompt and answer together' })),
  duration_ms: Nullable(Milliseconds),
}

/** One entry of what the agents of a task did. */
const TaskLogSchema = Type.Object({ id: Type.Integer({ minimum: 1 }), ...TaskLogFields, created_at: Timestamp }, open)

const task = {
  number: Type.Integer({ minimum: 1, description: 'Counts up from 1 in this data folder' }),
  job_id: Type.String(),
  title: Type.String({ description: 'The first 100 characters of the description' }),
  description: Type.String(),
  status: TaskStatusName,
  project_name: Type.String(),
  repository: Nullable(Type.String({ description: 'Its name in the project; null where nothing was indexed' })),
  repo_path: Nullable(Type.String({ description: 'The repository on this machine, or the address of the remote' })),
  branch_name: Nullable(Type.String({ description: 'Of the present or latest attempt' })),
  attempt: Count,
  max_attempts: Type.Integer({ minimum: 1 }),
  reviewer_feedback: Nullable(Type.String({ description: 'What the latest attempt was sent back with' })),
  error_message: Nullable(Type.String()),
  created_at: Timestamp,
  updated_at: Timestamp,
}

/** A row of `GET /tasks`. */
export const TaskRowSchema = Type.Object(task, open)

/** `GET /tasks/{number}`. */
export const TaskSchema = Type.Object({ ...task, logs: Type.Array(TaskLogSchema) }, open)

/** A page of tasks, newest first. */
export const TaskPageSchema = Type.Object({
  data: Type.Array(TaskRowSchema),
  next_cursor: Nullable(Type.String()),
})

/** The path parameter of the routes of one task. */
export const TaskParams = Type.Object({
  number: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description: '`number` of a task' }),
})

/** The query of `GET /tasks/{number}`. */
export const TaskQuery = Type.Object({ color: Color }, { additionalProperties: false })

/** The query of `GET /tasks`. */
export const TasksQuery = Type.Object(
  {
    ...ListQuery,
    color: Color,
    status: Type.Optional(TaskStatusName),
    project_name: Type.Optional(ProjectName),
  },
  { additionalProperties: false },
)

/** Which tasks are asked for. */
export type TasksQuestion = Omit<Static<typeof TasksQuery>, 'limit' | 'color'> & { limit: number }
/** The body of `POST /tasks` as its job stores it. */
export type TaskInput = Omit<Static<typeof TaskBody>, 'dry_run'>
/** What the task pipeline returns. */
export type TaskResult = CamelCased<Static<typeof TaskResultSchema>>
/** One attempt at a task. */
export type TaskAttempt = TaskResult['attempts'][number]
/** What the reviewer says of a diff. */
export type Review = NonNullable<TaskAttempt['review']>
/** What the linter and the tests say of a change. */
export type TaskTests = NonNullable<TaskAttempt['tests']>
/** `TaskResult` in the names of JSON: `result` of a task job. */
export type TaskResultAnswer = Static<typeof TaskResultSchema>
/** A task with what was done for it, in the names of JSON. */
export type TaskAnswer = Static<typeof TaskSchema>
/** A task in a list. */
export type TaskRowAnswer = Static<typeof TaskRowSchema>
/** A page of tasks. */
export type TaskPage = Static<typeof TaskPageSchema>
/** One entry of the logs, in the names of JSON. */
export type TaskLogAnswer = Static<typeof TaskLogSchema>
