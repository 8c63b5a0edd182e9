import type { Static } from 'typebox'
import { Type } from '../core/type.ts'
import { Nullable } from './primitives.ts'
import type { CamelCased } from './wire.ts'

const open = { additionalProperties: true }
const names = (description: string) => Type.Array(Type.String(), { description })

/** What runs of tests before and after a change say of it. */
export const VerificationSchema = Type.Enum(['verified', 'partially_verified', 'unverified', 'could_not_run'], {
  description:
    '`verified`: failed before, passes now, and nothing broke. `partially_verified`: less than that, as ' +
    '`verification_reason` says. `unverified`: it does not pass, or nothing was run. `could_not_run`: the tests ' +
    'could not be run at all',
})

/** Tests that a change made pass or fail. */
export const ChangedTestsSchema = Type.Object(
  {
    fixed: names('Failed before, pass now'),
    broken: names('Passed before, fail now'),
    flaky: names('Failed now and then without the change; they count for nothing'),
  },
  open,
)

const exitCode = (description: string) => Nullable(Type.Integer({ description }))

/** Commands that were run before and after a change, with their exit codes. */
export const VerifiedRunsSchema = Type.Array(
  Type.Object(
    {
      kind: Type.Enum(['narrow', 'whole', 'old_tests'], {
        description: '`narrow`: the test of the trace alone; `old_tests`: with the changed tests as they were',
      }),
      command: Type.String(),
      before: exitCode('Null when it was killed, or not run'),
      after: exitCode('Null when it was killed, or not run'),
    },
    open,
  ),
)

/** The label of a change. */
export type Verification = Static<typeof VerificationSchema>
/** What became of tests, by their ids. */
export type ChangedTests = CamelCased<Static<typeof ChangedTestsSchema>>
/** A command that was run before and after a change. */
export type VerifiedRun = CamelCased<Static<typeof VerifiedRunsSchema>>[number]
