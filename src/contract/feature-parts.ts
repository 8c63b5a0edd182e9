// What both the result of a feature and the question whether it may be delivered hold.
import { Type } from '../core/type.ts'
import { Nullable } from './primitives.ts'

const open = { additionalProperties: true }

/** One command that was run over the feature, or why it was not. */
export const FeatureCheckSchema = Type.Object(
  {
    check: Type.Enum(['migrate', 'typecheck', 'lint', 'test']),
    passed: Nullable(Type.Boolean({ description: 'Null where it was not run' })),
    command: Nullable(Type.String()),
    exit_code: Nullable(Type.Integer()),
    output: Type.String({ description: 'The ends of what it printed, or why it was not run' }),
  },
  open,
)

/** With what a feature conflicts. */
export const ConflictSchema = Type.Object(
  {
    with: Type.String({
      description: 'A branch: the default one, or that of another feature; one of another project is not named',
    }),
    job_id: Nullable(Type.String({ description: 'Of the other feature of this project' })),
    paths: Type.Array(Type.String()),
  },
  open,
)
