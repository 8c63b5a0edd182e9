import type { Static } from 'typebox'
import { Type } from '../core/type.ts'
import { DryRunFlag } from './dry-run.ts'
import { CallbackUrl, Count, NotifySchema, Nullable, ProjectName, Timestamp } from './primitives.ts'
import type { CamelCased } from './wire.ts'

const Ref = (description: string) => Type.String({ minLength: 1, maxLength: 255, description })

/** The body of `POST /bisect`. */
export const BisectBody = Type.Object(
  {
    project_name: ProjectName,
    repository: Type.Optional(
      Type.String({ minLength: 1, maxLength: 64, description: 'Of the project, where it holds several' }),
    ),
    command: Type.String({
      minLength: 1,
      maxLength: 10_000,
      pattern: '\\S',
      description:
        'Run by bash at the top of the repository, in the sandbox without a network. Exit code 0: good; 125: nothing ' +
        'can be said, skip it; any other below 128: bad',
    }),
    good: Ref('Commit, tag or branch at which the command succeeds'),
    bad: Type.Optional(Ref('The same at which it fails; default: the indexed commit')),
    timeout_s: Type.Optional(
      Type.Number({ exclusiveMinimum: 0, maximum: 86_400, description: 'Of each run; default SANDBOX_TIMEOUT_S' }),
    ),
    callback_url: Type.Optional(CallbackUrl),
    notify: Type.Optional(NotifySchema),
    dry_run: DryRunFlag,
  },
  {
    additionalProperties: false,
    examples: [{ project_name: 'flask', good: '3.1.0', command: 'python3 -m unittest tests.test_cart' }],
  },
)

const open = { additionalProperties: true }

const NamedCommitSchema = Type.Object(
  { commit: Type.String(), author: Type.String(), date: Timestamp, summary: Type.String() },
  open,
)

const ProbeSchema = Type.Object(
  {
    commit: Type.String(),
    outcome: Type.Enum(['good', 'bad', 'skipped']),
    exit_code: Nullable(Type.Integer({ description: 'Null where the command was not run' })),
    duration_ms: Type.Number(),
    reason: Type.Optional(Type.String({ description: 'Why it was skipped' })),
  },
  open,
)

/** The result of a bisect job. */
export const BisectResultSchema = Type.Object(
  {
    repository: Type.String(),
    good: Type.String({ description: 'The commit that was given as the good one' }),
    bad: Type.String(),
    commits: Type.Integer({ minimum: 0, description: 'Between the two, the bad one included' }),
    first_bad: Nullable(NamedCommitSchema),
    candidates: Type.Array(NamedCommitSchema, {
      description: 'Without `first_bad`: the commits of which one is the first bad one; only skipped ones are left',
    }),
    candidates_total: Count,
    probes: Type.Array(ProbeSchema, { description: 'In the order of the runs' }),
    skipped: Type.Array(Type.Object({ commit: Type.String(), reason: Type.String() }, open)),
  },
  open,
)

/** The body of `POST /bisect` as its job stores it. */
export type BisectInput = Omit<Static<typeof BisectBody>, 'dry_run'>
/** What the bisect pipeline returns; `firstBad` is null when only skipped commits are left. */
export type BisectResult = CamelCased<Static<typeof BisectResultSchema>>
/** One run of the command. */
export type Probe = BisectResult['probes'][number]
/** `BisectResult` in the names of JSON: `result` of a bisect job. */
export type BisectAnswer = Static<typeof BisectResultSchema>
