import type { Static } from 'typebox'
import { Type } from '../core/type.ts'
import { GuardSchema } from './guards.ts'
import { JobFileSchema } from './job.ts'
import { Nullable } from './primitives.ts'
import { FrameSchema } from './resolution.ts'
import { ChangedTestsSchema, VerificationSchema, VerifiedRunsSchema } from './verification.ts'
import type { CamelCased } from './wire.ts'

/**
 * Results of the jobs that write code. They are open: another release has fewer or further fields, and a client of one
 * may read the jobs of another.
 */
const open = { additionalProperties: true }

const run = {
  exit_code: Nullable(Type.Integer({ description: 'Null when it was killed' })),
  stdout: Type.String({ description: 'The ends of the output' }),
  stderr: Type.String(),
  timed_out: Type.Boolean(),
  duration_ms: Type.Number(),
  killed_by: Nullable(
    Type.Enum(['time', 'memory', 'output', 'disk', 'cancelled'], {
      description: 'What ended it, when it did not end by itself',
    }),
  ),
  ready: Type.Boolean({ description: 'Whether it met `ready_when`; it was ended then' }),
  sandboxed: Type.Boolean({ description: 'False with SANDBOX=unsafe-host' }),
}

const ProgramRunSchema = Type.Object(run, open)

const HealAttemptSchema = Type.Object(
  {
    ...run,
    error_signature: Nullable(Type.String({ description: 'Equal for equal faults; null for a success' })),
  },
  open,
)

const changed = {
  files: Type.Array(JobFileSchema, { description: 'Made or changed' }),
  deleted: Type.Array(Type.String()),
  diff: Type.String({ description: 'Against the files that were given' }),
}

const healing = {
  ...changed,
  healed: Type.Boolean({
    description: 'Whether a run ended with an exit code among those of success, or the program got ready',
  }),
  stopped_because: Type.Enum(['healed', 'max_attempts', 'same_error', 'no_change', 'budget']),
  attempts: Type.Array(HealAttemptSchema),
}

const HealSchema = Type.Object(healing, open)

/** All null where there is no project. */
const delivery = {
  base_commit: Nullable(Type.String({ description: 'What the diff is against' })),
  branch: Nullable(Type.String({ description: "In the server's clone; null when nothing was committed" })),
  commit: Nullable(Type.String()),
}

/** The result of a self_heal job. */
export const SelfHealResultSchema = Type.Object({ ...healing, ...delivery }, open)

/** The result of a generate job. */
export const GenerateResultSchema = Type.Object(
  {
    files: Type.Array(JobFileSchema, { description: 'All of the program' }),
    entrypoint: Type.String({ description: 'Name of the script that installs and runs it' }),
    run: Nullable(ProgramRunSchema),
    heal: Nullable(HealSchema),
  },
  open,
)

const RejectedHunkSchema = Type.Object(
  {
    path: Nullable(Type.String()),
    hunk: Nullable(Type.Integer()),
    reason: Type.String(),
    detail: Type.String(),
  },
  open,
)

const improvement = {
  ...delivery,
  ...changed,
  complete: Type.Boolean({ description: 'Whether nothing of the replies was left out' }),
  rejected_hunks: Type.Array(RejectedHunkSchema),
  refinements: Type.Integer({ minimum: 0, description: 'Tries after the first reply' }),
  pull_request_url: Type.Optional(
    Nullable(Type.String({ description: 'The open pull or merge request; null where none was asked for or possible' })),
  ),
  compare_url: Type.Optional(
    Nullable(
      Type.String({ description: 'The page that shows the pushed branch; null without a push or a known forge' }),
    ),
  ),
  decision: Nullable(
    Type.Enum(['approve', 'reject'], { description: 'What the person who was asked decided; null when nobody was' }),
  ),
}

/** The result of an improve job. */
export const ImproveResultSchema = Type.Object(improvement, open)

/** As in a resolution, and with the source text that the runtime printed. */
const FixedFrameSchema = Type.Object(FrameSchema.properties, open)

const ReproductionSchema = Type.Object(
  {
    reproduced: Type.Boolean({ description: 'Whether it failed before the fix as the trace says, twice' }),
    paths: Type.Array(Type.String(), {
      description: 'Its files, in a commit of their own before the fix; none where there is none',
    }),
    attempts: Type.Integer({ minimum: 0, description: 'How often the model was asked for one' }),
    reason: Nullable(Type.String({ description: 'Why there is none' })),
  },
  { ...open, description: 'The test of `reproduce`; null where none was asked for' },
)

const CandidatesSchema = Type.Array(
  Type.Object(
    {
      number: Type.Integer({ minimum: 1 }),
      chosen: Type.Boolean(),
      votes: Type.Integer({ minimum: 0, description: 'How many came to the same diff, itself among them' }),
      diff: Type.String(),
      verification: Nullable(VerificationSchema),
      verification_reason: Nullable(Type.String()),
      tests: Nullable(ChangedTestsSchema),
      runs: VerifiedRunsSchema,
      guards: Type.Array(GuardSchema),
      warnings: Nullable(
        Type.Integer({ minimum: 0, description: 'Guards, and warnings that the last run after the change printed' }),
      ),
      note: Nullable(
        Type.String({ description: 'Why it could not be applied, or which one it equals; it was not checked then' }),
      ),
    },
    open,
  ),
  { description: 'What the model answered each time where `candidates` asked for several; else empty' },
)

/** The result of a fix job. */
export const FixResultSchema = Type.Object(
  {
    ...improvement,
    resolution: Type.Object({ id: Type.String(), frames: Type.Array(FixedFrameSchema) }, open),
    verification: VerificationSchema,
    verification_reason: Nullable(
      Type.String({ description: 'Why it is no more than that, and what to set; null for `verified`' }),
    ),
    tests: ChangedTestsSchema,
    runs: VerifiedRunsSchema,
    reproduction: Nullable(ReproductionSchema),
    candidates: CandidatesSchema,
    guards: Type.Array(GuardSchema, {
      description:
        'Places of the change that look like a fix of the symptom; `verification` is at most `partially_verified` ' +
        'while there is one',
    }),
    baseline: Nullable(ProgramRunSchema),
    after: Nullable(ProgramRunSchema),
  },
  open,
)

/** How a program ended in the sandbox. Of each output stream both ends are kept, 100,000 characters in all. */
export type ProgramRun = CamelCased<Static<typeof ProgramRunSchema>>
/** One run of a program that is being healed, with the signature that shows when an error comes a second time. */
export type HealAttempt = CamelCased<Static<typeof HealAttemptSchema>>
/** Runs and changes of healing, before anything is committed: the field `heal` of a generate job. */
export type HealResult = CamelCased<Static<typeof HealSchema>>
/** Why healing ended; `same_error`: a signature came a second time; `budget`: the budget or the time was used up. */
export type StopReason = HealResult['stoppedBecause']
/** What the self_heal pipeline returns: healing, and the commit that it led to in a project. */
export type SelfHealResult = CamelCased<Static<typeof SelfHealResultSchema>>
/** What the generate pipeline returns; `run` and `heal` are null when the program was not run, or not to be healed. */
export type GenerateResult = CamelCased<Static<typeof GenerateResultSchema>>
/** An edit of the model that was not applied. `hunk` is null when it is about no single hunk, `path` without a file. */
export type RejectedHunk = CamelCased<Static<typeof RejectedHunkSchema>>
/** What the improve pipeline returns; after the decision `reject` it lists no files, but still has the diff. */
export type ImproveResult = CamelCased<Static<typeof ImproveResultSchema>>
/** What the fix pipeline returns; `baseline` and `after` are null without a command to verify with. */
export type FixResult = CamelCased<Static<typeof FixResultSchema>>
/** One of several answers of the model. */
export type FixCandidate = FixResult['candidates'][number]
/** The test that a model wrote to show a fault. */
export type Reproduction = NonNullable<FixResult['reproduction']>

/** `ProgramRun` in the names of JSON, as the CLI reads it from a result. */
export type ProgramRunAnswer = Static<typeof ProgramRunSchema>
/** `HealResult` in the names of JSON, alone or as a part of other results. */
export type HealAnswer = Static<typeof HealSchema>
/** `SelfHealResult` in the names of JSON: `result` of a self_heal job. */
export type SelfHealAnswer = Static<typeof SelfHealResultSchema>
/** `GenerateResult` in the names of JSON: `result` of a generate job. */
export type GenerateAnswer = Static<typeof GenerateResultSchema>
/** `ImproveResult` in the names of JSON: `result` of an improve job. */
export type ImproveAnswer = Static<typeof ImproveResultSchema>
/** `FixResult` in the names of JSON: `result` of a fix job. */
export type FixAnswer = Static<typeof FixResultSchema>

/** Whether a job made, changed or deleted any file. */
export const hasChanges = ({ files, deleted }: Pick<HealAnswer, 'files' | 'deleted'>): boolean =>
  files.length + deleted.length > 0
