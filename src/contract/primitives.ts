import type { Static, TSchema } from 'typebox'
import { Type } from '../core/type.ts'

/** The contract's rule for project names; `core/project.ts` refuses a few reserved ones on top. */
export const ProjectName = Type.String({
  pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$',
  description: 'Name of a project; unique ignoring case',
  examples: ['flask'],
})

const callbackDescription =
  'where the result of the job is posted, signed as docs/ci.md says; default: that of the project'
/** An address for the result of a job, for routes that always make one; `CallbackChoice` checks what it may be. */
export const CallbackUrl = Type.String({ minLength: 1, maxLength: 2048, description: callbackDescription })
/** `CallbackUrl` in the body of a route that makes a job only when it is asked to. */
export const JobCallbackUrl = Type.String({
  minLength: 1,
  maxLength: 2048,
  description: `With \`Prefer: respond-async\`: ${callbackDescription}`,
})

/** When a job can notify. */
export const NOTIFY_EVENTS = ['waiting', 'done'] as const
/** What `notify` of a body means. */
export const NOTIFY_DESCRIPTION =
  '`waiting`: whenever the job begins to wait for a person, `callback_url` and the Telegram chat of the server get ' +
  'what it asks. `done`: the chat hears how the job ended; `callback_url` gets that in any case. Default: that of ' +
  'the project, else neither'
/** When a job notifies, in its body and in the settings of its project. */
export const NotifySchema = Type.Array(Type.Enum([...NOTIFY_EVENTS]), {
  maxItems: 2,
  uniqueItems: true,
  description: NOTIFY_DESCRIPTION,
  examples: [['waiting', 'done']],
})
/** `NotifySchema` in a query: the words are separated by commas. */
export const NotifyQuery = Type.String({
  pattern: '^(?:waiting|done|waiting,done|done,waiting)?$',
  description: '`waiting`, `done` or both, separated by a comma; an empty one stands for neither',
  examples: ['waiting,done'],
})
/** One of the occasions. */
export type NotifyEvent = (typeof NOTIFY_EVENTS)[number]

/** The words of `NotifyQuery`. */
export const notifyIn = (list: string): NotifyEvent[] => list.split(',').filter(word => word !== '') as NotifyEvent[]

/** An instant as text, e.g. `2026-01-31T12:00:00.000Z`. */
export const Timestamp = Type.String({ format: 'date-time', description: 'RFC 3339, UTC' })
/** Forty lower-case hexadecimal digits. */
export const Sha = Type.String({ pattern: '^[0-9a-f]{40}$', description: 'A full commit id' })
/** A duration; fractions are allowed. */
export const Milliseconds = Type.Number({ minimum: 0 })
/** A whole number that is not negative: also bytes, tokens, lines and indexes. */
export const Count = Type.Integer({ minimum: 0 })
/** How much more than a commit was read. */
export const UncommittedFiles = Type.Optional(
  Type.Integer({
    minimum: 1,
    description:
      'Files that are read as they are in the work tree and differ from the commit; left out where none does',
  }),
)

/** The schema of a value that may be null, in the form that OpenAPI 3.1 and the serializer handle best. */
export function Nullable<T extends TSchema>(schema: T) {
  return Type.Unsafe<Static<T> | null>({ ...schema, type: [(schema as { type?: string }).type, 'null'] })
}

/** How far a project can be searched: `lexical_ready` by words alone, as chunks wait for their vectors. */
export const IndexStateName = Type.Enum(['cloning', 'lexical_ready', 'ready', 'degraded', 'failed'])

/** Counts by a name that is data, such as a language or the reason why files were left out. */
export const Counts = Type.Record(Type.String(), Count)

/** The query of every route that answers a list in pages. */
export const ListQuery = {
  limit: Type.Integer({ minimum: 1, maximum: 200, default: 50, description: 'How many to give back' }),
  cursor: Type.Optional(
    Type.String({ pattern: '^[A-Za-z0-9_-]{1,128}$', description: '`next_cursor` of the page before' }),
  ),
}

/** The query parameter of a route that answers with text for people, too. */
export const Color = Type.Optional(
  Type.Enum(['0', '1'], { description: '`1` colours a `text/plain` answer for a terminal' }),
)

/** The query of every route that answers with a job. */
export const WaitQuery = Type.Object(
  {
    wait: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 60,
        description: 'Seconds to hold the answer until the job has ended; `Prefer: wait=SECONDS` does the same',
      }),
    ),
  },
  { additionalProperties: false },
)

/** The query of the route of one job. */
export const JobQuery = Type.Object({ ...WaitQuery.properties, color: Color }, { additionalProperties: false })

/** The headers of every route that makes a job. */
export const JobHeaders = Type.Object({
  'idempotency-key': Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      description: 'Kept for 24 hours: the same key and body give the same job',
    }),
  ),
  prefer: Type.Optional(Type.String({ maxLength: 255, description: '`wait=SECONDS`, as ?wait=' })),
})
