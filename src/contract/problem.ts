import { Type } from '../core/type.ts'

/**
 * RFC 9457, with our stable `code`. Registered once under the id `Problem`; its codes are filled in by the problems
 * plugin.
 */
export const problemSchema = (codes: readonly string[]) =>
  Type.Object(
    {
      type: Type.String(),
      title: Type.String(),
      status: Type.Integer(),
      detail: Type.String({ description: 'What happened, for a person' }),
      instance: Type.String({ description: 'The request id, also in `x-request-id`' }),
      code: Type.Enum([...codes], { description: 'Stable; switch on this' }),
      fix: Type.Optional(Type.String({ description: 'The next call or setting that would help' })),
      queue_position: Type.Optional(
        Type.Integer({ minimum: 1, description: 'Of QUEUE_FULL: the place that the job would have had' }),
      ),
      errors: Type.Optional(Type.Array(Type.Object({ path: Type.String(), message: Type.String() }))),
    },
    { $id: 'Problem' },
  )

const RETRY_AFTER = {
  'retry-after': Type.Integer({ minimum: 0, description: 'Seconds until it is worth to ask again' }),
}
const HEADERS: Record<number, object> = {
  401: { 'www-authenticate': Type.String() },
  429: RETRY_AFTER,
  503: RETRY_AFTER,
}

const DESCRIPTIONS: Record<number, string> = {
  400: 'The request is malformed; `errors` names the fields',
  401: 'An API key is missing or wrong',
  403: 'The key may not do this, or the address, host or origin is not allowed',
  404: 'There is no such thing',
  409: 'The state does not allow it; `fix` says what does',
  413: 'The body is too large',
  415: 'The content type is not one this route takes',
  422: 'Understood, but there is nothing to work with',
  429: 'Too many requests or queued jobs; see Retry-After',
  503: 'Not available right now; `fix` says why',
}

/** Response entries for the statuses that a route may answer with besides its success. */
export function problems(...statuses: number[]) {
  const content = { 'application/problem+json': { schema: { $ref: 'Problem#' } } }
  return Object.fromEntries(
    statuses.map(status => [
      status,
      { description: DESCRIPTIONS[status] ?? 'Problem', content, headers: HEADERS[status] },
    ]),
  )
}
