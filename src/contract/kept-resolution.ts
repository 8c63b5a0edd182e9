import type { Static } from 'typebox'
import { Type } from '../core/type.ts'
import { ResolutionSchema } from './resolution.ts'
import { Color, ListQuery, Nullable, ProjectName, Timestamp } from './primitives.ts'

/** The path parameter of the routes of one resolution. */
export const ResolutionParams = Type.Object({
  id: Type.String({ pattern: '^res_[0-9a-f]{24}$', description: '`id` of an answer of POST /resolve' }),
})

/** The query of `GET /resolutions/{id}`. */
export const ResolutionQuery = Type.Object(
  {
    color: Color,
    with_trace: Type.Optional(
      Type.Enum(['true', 'false'], { description: '`true`: also what was asked about, in `stacktrace`' }),
    ),
  },
  { additionalProperties: false },
)

/** The answer of `GET /resolutions/{id}`. */
export const KeptResolutionSchema = Type.Object({
  ...ResolutionSchema.properties,
  stacktrace: Type.Optional(
    Nullable(Type.String({ description: 'Only with `with_trace`; null where it was too long to be kept' })),
  ),
})

/** The query of `GET /resolutions`. */
export const ResolutionsQuery = Type.Object(
  {
    project_name: Type.Optional(ProjectName),
    fingerprint: Type.Optional(
      Type.String({ pattern: '^[0-9a-f]{1,64}$', description: 'Of one of its exceptions: the same fault' }),
    ),
    with_feedback: Type.Optional(
      Type.Enum(['true', 'false'], { description: '`true`: only those that somebody has judged' }),
    ),
    ...ListQuery,
  },
  { additionalProperties: false },
)

/** The body of `POST /resolutions/{id}/feedback`. */
export const FeedbackBody = Type.Object(
  {
    helpful: Type.Boolean(),
    comment: Type.Optional(Type.String({ minLength: 1, maxLength: 4000 })),
    actual_path: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 1000,
        pattern: '^[^/].*$',
        description: 'The file that really had to change, relative to the repository',
      }),
    ),
  },
  { additionalProperties: false, examples: [{ helpful: false, actual_path: 'src/shop/prices.py' }] },
)

const FeedbackSchema = Type.Object({
  at: Timestamp,
  helpful: Type.Boolean(),
  comment: Nullable(Type.String()),
  actual_path: Nullable(Type.String()),
})

/** A kept resolution as a list shows it. */
export const ResolutionRowSchema = Type.Object({
  id: Type.String(),
  at: Timestamp,
  project_name: ProjectName,
  commit: Type.String(),
  /** The error that it is about, on one line. */
  title: Type.String(),
  fingerprints: Type.Array(Type.String()),
  answer_status: Type.String(),
  model: Nullable(Type.String()),
  feedback: Type.Array(FeedbackSchema),
})

/** The answer of `GET /resolutions`. */
export const ResolutionsSchema = Type.Object({
  data: Type.Array(ResolutionRowSchema),
  next_cursor: Nullable(Type.String()),
})

/** The answer of `GET /resolutions/{id}`. */
export type KeptResolutionAnswer = Static<typeof KeptResolutionSchema>
/** What somebody thinks of an answer. */
export type FeedbackInput = Static<typeof FeedbackBody>
/** A kept resolution as a list shows it. */
export type ResolutionRow = Static<typeof ResolutionRowSchema>
/** What a list of kept resolutions counts by. */
export type FeedbackCounts = Record<'helpful' | 'unhelpful', number>
