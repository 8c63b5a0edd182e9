/** A table that both sides have. */
export interface MovedTable {
  name: string
  /** The columns of its primary key. */
  key: readonly string[]
  /** The column whose numbers the database gives out. */
  numbered?: string
  /** Columns that only PostgreSQL has, which follow from what is moved, or begin anew. */
  derived?: readonly string[]
  /** Columns of the file that stay behind: on the other side they begin anew. */
  left?: readonly string[]
  /** Rows that are held in memory at once: few where rows may have megabytes. */
  batch: number
}

/** Rows without large values. */
const SMALL = 1_000
/** Rows that may have some hundred kilobytes. */
const MIDDLE = 100
/** Rows that may have megabytes. */
const LARGE = 10

/** All tables whose rows are taken over, each after those that it refers to. */
export const MOVED_TABLES: readonly MovedTable[] = [
  {
    name: 'jobs',
    key: ['seq'],
    numbered: 'seq',
    derived: [
      ...['ended_at', 'attempt', 'claim_id', 'node', 'last_write'],
      ...['last_event', 'last_entry', 'last_position', 'stored_bytes'],
      ...['runs_on', 'has_begun', 'lost_attempts'],
    ],
    left: ['has_begun', 'losses'],
    batch: MIDDLE,
  },
  { name: 'job_inputs', key: ['job_seq'], batch: LARGE },
  { name: 'job_events', key: ['job_seq', 'id'], batch: SMALL },
  { name: 'job_steps', key: ['job_seq', 'name'], batch: MIDDLE },
  { name: 'job_files', key: ['job_seq', 'path', 'position'], batch: SMALL },
  { name: 'job_texts', key: ['job_seq', 'kind', 'position'], batch: LARGE },
  { name: 'job_transcript', key: ['job_seq', 'id'], batch: MIDDLE },
  { name: 'idempotency_keys', key: ['scope', 'key'], batch: SMALL },
  { name: 'audit', key: ['seq'], numbered: 'seq', batch: SMALL },
  { name: 'tasks', key: ['id'], numbered: 'id', batch: MIDDLE },
  { name: 'task_logs', key: ['id'], numbered: 'id', batch: MIDDLE },
  { name: 'features', key: ['job_seq'], batch: SMALL },
  { name: 'notifications', key: ['id'], numbered: 'id', batch: SMALL },
  { name: 'sessions', key: ['id'], batch: SMALL },
  { name: 'resolutions', key: ['seq'], numbered: 'seq', batch: MIDDLE },
  { name: 'resolution_fingerprints', key: ['fingerprint', 'resolution_seq'], batch: SMALL },
  { name: 'resolution_feedback', key: ['seq'], numbered: 'seq', batch: SMALL },
  { name: 'ci_runs', key: ['seq'], numbered: 'seq', batch: MIDDLE },
]

/** Tables that only a cluster has, and what becomes of them when a single machine is taken over, or a cluster back. */
export const CLUSTER_TABLES: Readonly<Record<string, string>> = {
  migrations: 'the schema itself',
  counters: 'the number of the next task, set with those of the tables',
  projects: 'from and to project.json',
  clones: 'the names of clones, from their folders',
  published_generations: 'written when an index is sent; read when it is put together again',
  kept_clones: 'written when a clone is sent; read when it is made again',
  kept_branches: 'written when a branch is sent; read when it is put back',
  kept_branch_commits: 'as kept_branches',
  objects: 'what is sent, where it is kept in the database',
  object_parts: 'what is sent, where it is kept in the database',
  blob_uses: 'who needs what is sent',
  doomed_blobs: 'nothing is deleted meanwhile',
  nodes: 'no node works meanwhile',
  commit_marks: 'what connections wrote last; there are others afterwards',
  moves: 'the record of moves',
  cluster_identity: 'tells this cluster from others',
}

/** Tables of a cluster alone that have to be empty before a single machine is taken over. */
export const FILLED_TABLES = ['projects', 'clones', 'published_generations', 'kept_clones', 'kept_branches'] as const
