import type { Static } from 'typebox'
import { Type } from '../core/type.ts'
import { Count, ProjectName, Sha } from './primitives.ts'
import type { CamelCased } from './wire.ts'

const NODE_NAME = '^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$'

/** The body of an environment job, which other jobs make. */
export const EnvironmentBody = Type.Object(
  {
    project_name: ProjectName,
    repository: Type.String({ minLength: 1, maxLength: 64 }),
    commit: Sha,
    key: Type.String({ pattern: '^[0-9a-f]{64}$', description: 'What the environment was asked for by' }),
    node: Type.Optional(
      Type.String({ pattern: NODE_NAME, description: 'The node that needs it on its disk, where there are several' }),
    ),
  },
  { additionalProperties: false },
)

/** The result of an environment job. */
export const EnvironmentResultSchema = Type.Object({
  project_name: ProjectName,
  repository: Type.String(),
  commit: Sha,
  key: Type.String({ description: 'SHA-256 of all that the install depends on' }),
  install: Type.String({ description: 'The command' }),
  reused: Type.Boolean({ description: 'Whether it was there already' }),
  entries: Count,
  bytes: Count,
  node: Type.Optional(Type.String({ description: 'The node on whose disk it is, where there are several' })),
})

/** What an environment job is made from. */
export type EnvironmentInput = Static<typeof EnvironmentBody>
/** What the environment pipeline returns. */
export type EnvironmentResult = CamelCased<Static<typeof EnvironmentResultSchema>>
