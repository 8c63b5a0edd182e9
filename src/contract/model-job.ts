import { Type } from '../core/type.ts'
import { DryRunFlag } from './dry-run.ts'
import { BudgetSchema } from './job.ts'
import { CallbackUrl, NotifySchema } from './primitives.ts'

/** Fields of every body that makes a job which asks a model. */
export const MODEL_JOB_FIELDS = {
  model: Type.Optional(
    Type.String({ minLength: 1, maxLength: 200, description: 'Asked instead of the configured one' }),
  ),
  temperature: Type.Optional(Type.Number({ minimum: 0, maximum: 2 })),
  budget: Type.Optional(BudgetSchema),
  callback_url: Type.Optional(CallbackUrl),
  notify: Type.Optional(NotifySchema),
  dry_run: DryRunFlag,
}
