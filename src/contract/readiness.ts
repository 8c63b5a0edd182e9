import { Type, type Static } from 'typebox'
import { Nullable } from './primitives.ts'

const NullableText = Nullable(Type.String())

/** What works on this machine. */
export const ReadinessSchema = Type.Object({
  ready: Type.Boolean({ description: 'Whether repositories can be cloned and traces resolved' }),
  git: Type.Object({ available: Type.Boolean(), version: NullableText, warning: NullableText }),
  sandbox: Type.Object({ available: Type.Boolean(), reason: NullableText, fix: NullableText }),
  llm: Type.Object({ configured: Type.Boolean(), model: NullableText }),
  embedding: Type.Object({ provider: Type.String(), model: Type.String() }),
})

/** What `GET /ready` answers and `faultline doctor` starts from; `ready` says nothing of sandbox and model. */
export type Readiness = Static<typeof ReadinessSchema>
