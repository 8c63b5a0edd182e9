import type { Static } from 'typebox'
import { Type } from '../core/type.ts'
import { FEATURE_OUTCOMES } from './feature-names.ts'
import { ConflictSchema, FeatureCheckSchema } from './feature-parts.ts'
import { MODEL_JOB_FIELDS } from './model-job.ts'
import { Nullable, ProjectName } from './primitives.ts'
import type { CamelCased } from './wire.ts'

const open = { additionalProperties: true }

/** A column of an entity. */
const FieldSchema = Type.Object(
  {
    name: Type.String(),
    type: Type.String({ description: 'As `varchar`, `text`, `integer`, `real`, `boolean`, `timestamp`, `json`' }),
    length: Nullable(Type.Integer({ minimum: 1 })),
    nullable: Type.Boolean(),
  },
  open,
)

const EntitySchema = Type.Object(
  {
    name: Type.String({ description: 'In the singular, as `Character`' }),
    table_name: Type.String({ description: 'In the plural, as `characters`' }),
    fields: Type.Array(FieldSchema),
  },
  open,
)

const ToolSchema = Type.Object(
  {
    name: Type.String({ description: 'As `add_character`' }),
    description: Type.String(),
    input_schema: Type.String({ description: 'As `{ name: string, role?: string, age?: number }`' }),
    entity: Nullable(Type.String({ description: '`name` of the entity that it works on' })),
  },
  open,
)

/** What the planner makes of a request. */
export const PlanSchema = Type.Object(
  {
    understood: Type.String({ description: 'What the person wants, in a sentence or two' }),
    entities: Type.Array(EntitySchema),
    tools: Type.Array(ToolSchema),
    files: Type.Array(Type.Object({ path: Type.String(), purpose: Type.String() }, open), {
      description: 'Further files that are made or changed, within the allowed paths',
    }),
    branch_name: Type.String({ description: 'As it was made: with `-v2`, `-v3` where the name was taken' }),
    steps: Type.Array(Type.String()),
  },
  open,
)

/** One round of coding and checking. */
const FeatureAttemptSchema = Type.Object(
  {
    number: Type.Integer({ minimum: 1 }),
    tasks: Type.Array(
      Type.Object(
        {
          instruction: Type.String(),
          files: Type.Array(Type.String(), { description: 'That it was to change' }),
          success: Type.Boolean(),
          files_changed: Type.Array(Type.String()),
          errors: Type.Array(Type.String()),
        },
        open,
      ),
    ),
    checks: Type.Array(FeatureCheckSchema),
    error: Nullable(Type.String({ description: 'What the coder of the next round is told; null when it passed' })),
  },
  open,
)

const DeploymentSchema = Type.Object(
  {
    by: Type.Enum(['url', 'command', 'check'], {
      description: '`deploy_url`, a command of DEPLOY_COMMANDS, or `checks.deploy` in the sandbox',
    }),
    ok: Type.Boolean(),
    status: Nullable(Type.Integer({ description: 'HTTP status or exit code' })),
    output: Type.String({ description: 'What the receiver answered, or the command printed' }),
  },
  open,
)

/** The result of a feature job; a failed or cancelled one has as much of it as there was. */
export const FeatureResultSchema = Type.Object(
  {
    outcome: Nullable(
      Type.Enum([...FEATURE_OUTCOMES], {
        description: '`delivered`: approved, and nothing deploys it. Null where it has not ended',
      }),
    ),
    plan: Nullable(PlanSchema),
    repository: Nullable(Type.String()),
    branch: Nullable(Type.String({ description: "In the server's clone, and on the remote when it was pushed" })),
    base_branch: Nullable(Type.String()),
    base_commit: Nullable(Type.String({ description: 'What the diff is against' })),
    commit: Nullable(Type.String()),
    diff: Type.String(),
    pushed: Type.Boolean(),
    pull_request_url: Nullable(Type.String()),
    compare_url: Nullable(Type.String()),
    scaffolded: Type.Array(Type.String(), { description: 'Files that were made from templates' }),
    migrations: Type.Array(Type.String(), { description: 'Files that the migration command made' }),
    attempts: Type.Array(FeatureAttemptSchema),
    conflicts: Type.Array(ConflictSchema),
    merged: Type.Boolean(),
    merge_commit: Nullable(Type.String()),
    deployment: Nullable(DeploymentSchema),
    notes: Type.Array(Type.String(), { description: 'What could not be brought up to date, checked or deleted' }),
  },
  open,
)

/** The body of `POST /features`. */
export const FeatureBody = Type.Object(
  {
    request: Type.String({
      minLength: 1,
      maxLength: 100_000,
      pattern: '\\S',
      description: 'What is wanted, in words of any language',
    }),
    project_name: ProjectName,
    repository: Type.Optional(
      Type.String({ minLength: 1, maxLength: 64, description: 'Of the project, where it holds several' }),
    ),
    review: Type.Optional(
      Type.Enum(['delivery', 'plan'], {
        description: '`plan`: the job also waits for a person to approve the plan. Default `delivery`',
      }),
    ),
    max_retries: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 10,
        description: 'How often the coder is told what failed and asked again; default 3',
      }),
    ),
    push: Type.Optional(
      Type.Boolean({
        description:
          'Push the branch, and open a pull request where GIT_TOKENS has a token for the forge; default false',
      }),
    ),
    merge: Type.Optional(
      Type.Boolean({ description: 'Whether an approval merges it into the default branch; needs `push`' }),
    ),
    draft: Type.Optional(Type.Boolean({ description: 'Whether the pull request is opened as a draft; default false' })),
    coder: Type.Optional(
      Type.Enum(['own', 'aider'], { description: 'Who writes the code; `aider` needs AIDER_BIN. Default `own`' }),
    ),
    ...MODEL_JOB_FIELDS,
  },
  {
    additionalProperties: false,
    examples: [{ request: 'Store characters: name, role, age', project_name: 'shop' }],
  },
)

/** What the planner makes of a request, in our names. */
export type FeaturePlan = CamelCased<Static<typeof PlanSchema>>
/** An entity of a plan. */
export type PlannedEntity = FeaturePlan['entities'][number]
/** A tool of a plan. */
export type PlannedTool = FeaturePlan['tools'][number]
/** The body of `POST /features` as its job stores it. */
export type FeatureInput = Omit<Static<typeof FeatureBody>, 'dry_run'>
/** What the feature pipeline returns. */
export type FeatureResult = CamelCased<Static<typeof FeatureResultSchema>>
/** One round of coding and checking. */
export type FeatureAttempt = FeatureResult['attempts'][number]
/** One command that was run over the feature. */
export type FeatureCheck = FeatureAttempt['checks'][number]
/** With what a feature conflicts. */
export type FeatureConflict = FeatureResult['conflicts'][number]
/** How a feature was deployed. */
export type Deployment = NonNullable<FeatureResult['deployment']>
/** `FeatureResult` in the names of JSON: `result` of a feature job. */
export type FeatureResultAnswer = Static<typeof FeatureResultSchema>
