import type { Static } from 'typebox'
import { Type } from '../core/type.ts'
import { Count, Nullable } from './primitives.ts'

/** The field of every body that may lead to calls of a model. */
export const DryRunFlag = Type.Optional(
  Type.Boolean({
    description:
      'Answer 200 at once with what a model would be sent, its tokens and their price; no model is called and none ' +
      'needs to be configured',
  }),
)

/** The answer to `dry_run: true`. */
export const DryRunSchema = Type.Object(
  {
    messages: Type.Array(Type.Object({ role: Type.Enum(['system', 'user', 'assistant']), content: Type.String() }), {
      description: 'As they would be sent, with secrets replaced',
    }),
    tokens: Count,
    usd: Nullable(
      Type.Number({
        description: 'Of the messages; the reply comes on top. Null without a price for the model (MODEL_PRICES)',
      }),
    ),
  },
  { description: 'The answer to `dry_run: true`' },
)

/** First messages of a job, with their tokens and price in US dollars; its names are the same inside and in JSON. */
export type DryRunAnswer = Static<typeof DryRunSchema>
