import type { Static } from 'typebox'
import { Type } from '../core/type.ts'
import { ListQuery, Nullable, ProjectName, Timestamp } from './primitives.ts'

const NullableText = (description: string) => Nullable(Type.String({ description }))

/** What somebody did, or was refused. */
export const AuditEntrySchema = Type.Object({
  at: Timestamp,
  key: NullableText(
    'Name of the key; `cli` for the command line, `webhook:ci` for CI, `telegram:` with the number of a person for a ' +
      'button that was pressed there, null where there was no key',
  ),
  action: Type.String({
    description:
      '`run.` with the type of the job; `reply.` with `approve`, `reject`, `answer`, `skip` or `budget`; ' +
      '`job.cancel`, `job.retry`, `job.delete`; `project.change`, `project.delete`, `project.purge`; ' +
      '`session.begin`, `session.end`; `refused`; `feature.` with an operation, as `commit` or `deploy`',
  }),
  project_name: NullableText('The project that it was about'),
  target: NullableText(
    'The id of a job, the names of changed settings, the route that was refused; of features branch or files, and job',
  ),
  outcome: Type.String({ description: '`done`, or what became of it: the code of a refusal, `refused`, `left`' }),
  request_id: NullableText('`x-request-id` of the request; null for the command line'),
})

/** A page of the audit log, newest first. */
export const AuditPageSchema = Type.Object({
  data: Type.Array(AuditEntrySchema),
  next_cursor: Type.Union([Type.String(), Type.Null()]),
})

/** The query of `GET /audit`. */
export const AuditQuery = Type.Object(
  {
    ...ListQuery,
    project_name: Type.Optional(ProjectName),
    key: Type.Optional(Type.String({ minLength: 1, maxLength: 64, description: 'Name of a key' })),
    action: Type.Optional(
      Type.String({
        pattern: '^[a-z_]{1,32}(?:\\.[a-z_]{1,32})?$',
        description: 'An action, or what it begins with before the full stop: `reply` finds `reply.approve`, too',
      }),
    ),
  },
  { additionalProperties: false },
)

/** An entry of the audit log in the names of JSON. */
export type AuditAnswer = Static<typeof AuditEntrySchema>
/** A page of the audit log. */
export type AuditPage = Static<typeof AuditPageSchema>
