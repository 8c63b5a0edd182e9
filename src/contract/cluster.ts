import type { Static } from 'typebox'
import { Type } from '../core/type.ts'
import { ROLES } from '../core/node.ts'
import { Nullable } from './primitives.ts'

const Count = (description: string) => Type.Integer({ minimum: 0, description })

/** How much a node has to do. */
const NodeLoadSchema = Type.Object({
  running_jobs: Count('Jobs that run on it'),
  job_slots: Count('Jobs that it runs at once at most; 0 where it runs none'),
  cpu_cores: Type.Number({
    description:
      'Processor cores that its process used in the mean since its heartbeat before; programs it started come on top',
  }),
  memory_bytes: Count('Memory of its process'),
  open_streams: Count('Event streams that it serves'),
  projects_cached: Count('Projects whose index lies on its disk'),
  cache_bytes: Count('What copies of indexes, clones and kept files take on its disk; 0 for one that works alone'),
  cache_limit_bytes: Count('What they may take there, by CACHE_GB; 0: anything'),
})

/** A process that works on the database. */
export const NodeSchema = Type.Object({
  name: Type.String(),
  roles: Type.Array(Type.Enum([...ROLES]), { description: 'http: answers requests; worker: runs jobs' }),
  version: Type.String({ description: 'The release that runs there' }),
  schema_version: Nullable(Type.Integer({ description: 'The version of the database that this release brings' })),
  since: Type.String({ format: 'date-time', description: 'When it started' }),
  heartbeat_age_s: Type.Number({ description: 'Seconds since it last showed that it is alive; it does every 2 s' }),
  alive: Type.Boolean({ description: 'False after 8 s without a heartbeat; such nodes are listed for a day' }),
  draining: Type.Boolean({ description: 'Whether it is about to stop: it ends what is under way and takes no jobs' }),
  load: NodeLoadSchema,
  self: Type.Boolean({ description: 'Whether it is the node that answers' }),
})

/** Where the tables of jobs and answers are. */
export const DatabaseStateSchema = Type.Object({
  kind: Type.Enum(['sqlite', 'postgresql']),
  status: Type.Enum(['ok', 'unavailable']),
  schema_version: Nullable(Type.Integer({ description: 'Of the database; null for SQLite' })),
})

/** What works together, and what there is to do. */
export const ClusterSchema = Type.Object({
  nodes: Type.Array(NodeSchema, { description: 'By name; a single process is alone' }),
  database: DatabaseStateSchema,
  queue: Type.Object({
    queued: Count('Jobs that wait for a slot'),
    running: Count('Jobs that run'),
    waiting: Count('Jobs that wait for a person'),
    oldest_s: Nullable(
      Type.Number({ description: 'Seconds since the oldest queued job was made; null where none is' }),
    ),
  }),
})

/** What `GET /cluster` answers. */
export type ClusterAnswer = Static<typeof ClusterSchema>
/** One node of it. */
export type NodeAnswer = Static<typeof NodeSchema>
/** State of the database in it, and in `GET /ready`. */
export type DatabaseState = Static<typeof DatabaseStateSchema>
