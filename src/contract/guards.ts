import type { Static } from 'typebox'
import { Type } from '../core/type.ts'

/** One place of a change that hides a failure instead of mending it; open, as results of jobs are. */
export const GuardSchema = Type.Object(
  {
    path: Type.String(),
    line: Type.Integer({
      minimum: 1,
      description: 'In the file after the change; in the file before where something was deleted',
    }),
    kind: Type.Enum(
      [
        'swallowed_error',
        'null_check',
        'skipped_test',
        'weakened_test',
        'deleted_test',
        'raised_timeout',
        'suppressed_check',
        'lock_file',
        'ci_file',
      ],
      { description: 'docs/fixes-of-the-symptom.md says what each is' },
    ),
    detail: Type.String({ description: 'A sentence for a person' }),
  },
  { additionalProperties: true },
)

/** One place of a change that hides a failure instead of mending it. */
export type Guard = Static<typeof GuardSchema>
