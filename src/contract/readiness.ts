import type { Static } from 'typebox'
import { Type } from '../core/type.ts'
import { DatabaseStateSchema } from './cluster.ts'
import { Nullable } from './primitives.ts'

const NullableText = Nullable(Type.String())

/** What works on this machine. */
export const ReadinessSchema = Type.Object({
  ready: Type.Boolean({
    description: 'Whether repositories can be cloned and traces resolved; false while the disk is full',
  }),
  git: Type.Object({ available: Type.Boolean(), version: NullableText, warning: NullableText }),
  sandbox: Type.Object({
    available: Type.Boolean(),
    reason: NullableText,
    fix: NullableText,
    memory_limit: Type.Union([Type.Enum(['kernel', 'watched']), Type.Null()], {
      description:
        'Who holds a program to its limit of memory: the kernel, by a control group, or a sum taken ten times a ' +
        'second. Null where no program can run',
    }),
  }),
  llm: Type.Object({
    configured: Type.Boolean(),
    model: NullableText,
    reason: Type.Optional(NullableText),
    fix: Type.Optional(NullableText),
  }),
  disk: Type.Union([Type.Literal('ok'), Type.Literal('low'), Type.Literal('full')], {
    description:
      'full: less than DISK_RESERVE_MB is free on the disk of a data folder, and new work is refused with DISK_FULL; ' +
      'low: less than twice as much. full also where a disk does not answer',
  }),
  search: Type.Enum(['hnsw', 'exact'], {
    description:
      'How vectors of 5,000 chunks and more are searched: by HNSW, or exactly where hnswlib-node is not installed',
  }),
  embedding: Type.Object({ provider: Type.String(), model: Type.String() }),
  role: Type.Optional(
    Type.Enum(['http', 'worker', 'http,worker'], {
      description: 'http: answers requests; worker: runs jobs. A single process does both',
    }),
  ),
  node: Type.Optional(
    Type.Union([Type.Object({ name: Nullable(Type.String()), draining: Type.Boolean() }), Type.Null()], {
      description:
        'Null for a single process. A node is not ready while it is draining: it is about to stop. Its name is for ' +
        'those who have a key, where keys are needed',
    }),
  ),
  database: Type.Optional(DatabaseStateSchema),
})

/** What `GET /ready` answers and `faultline doctor` starts from; `ready` says nothing of sandbox and model. */
export type Readiness = Static<typeof ReadinessSchema>
