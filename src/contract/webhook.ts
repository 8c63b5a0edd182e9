import type { Static } from 'typebox'
import { Type } from '../core/type.ts'
import { CallbackUrl, NotifySchema, ProjectName } from './primitives.ts'

/** The body of `POST /webhooks/ci`. */
export const CiLogBody = Type.Object(
  {
    project_name: ProjectName,
    log: Type.String({ minLength: 1, maxLength: 10_485_760, description: 'What the failed run printed, up to 10 MiB' }),
    commit: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 255,
        description:
          'The commit that CI ran: the code is read there, and fetched when the clone lacks it; `notice` says why ' +
          'where it cannot be had',
      }),
    ),
    base: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 255,
        description:
          'The commit that the change is compared with, as the tip of the branch that it is to be merged into: ' +
          '`origin` of each resolution says what that tells',
      }),
    ),
    pull_request: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 2_147_483_647,
        description:
          'The number of the pull or merge request that CI ran for: what is found is one comment there, where ' +
          'GIT_TOKENS has a token for the forge and the project has `ci_comments`',
      }),
    ),
    callback_url: Type.Optional(CallbackUrl),
    notify: Type.Optional(NotifySchema),
  },
  { additionalProperties: false },
)

/** The headers of a signed webhook. */
export const WebhookHeadersSchema = Type.Object({
  'webhook-id': Type.String({ description: 'Names the delivery: the same again gives the first job, for 24 hours' }),
  'webhook-timestamp': Type.String({ description: 'Seconds since 1970, less than 5 minutes from now' }),
  'webhook-signature': Type.String({
    description: '`v1,` and the base64 of HMAC-SHA256(secret, `id.timestamp.body`); several are separated by spaces',
  }),
})

/** The answer to a push webhook that nothing follows from. */
export const PushIgnoredSchema = Type.Object({ ignored: Type.String({ description: 'Why no job was made' }) })

/** The body of `POST /webhooks/ci`, as its job keeps it. */
export type CiLogInput = Static<typeof CiLogBody>
