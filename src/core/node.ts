import type { Access } from './access.ts'

/** What a node does: it answers requests, runs jobs, or both. */
export const ROLES = ['http', 'worker'] as const
export type Role = (typeof ROLES)[number]

export const isRole = (value: string): value is Role => (ROLES as readonly string[]).includes(value)

/** What a process is among those that work on one database, as it is configured. */
export interface NodeSettings {
  roles: readonly Role[]
  /** Null: one that is made up once and kept in the DATA_DIR. */
  name: string | null
  /** Where the other nodes reach this one; null: where it listens. */
  url: string | null
  /** What nodes sign with what they forward to each other; null: nothing is forwarded. */
  secret: string | null
  /** How long a node that stops may take to end what is under way. */
  drainTimeoutMs: number
}

/** How much a node has to do. */
export interface NodeLoad {
  runningJobs: number
  /** Jobs that it runs at once at most; 0 where it runs none. */
  jobSlots: number
  /** Processor cores that its process used in the mean since the heartbeat before. */
  cpuCores: number
  /** Memory of its process. */
  memoryBytes: number
  /** Event streams that it serves. */
  openStreams: number
  /** Projects whose index lies on its disk. */
  projectsCached: number
  /** What copies of indexes, clones and kept files take on its disk; 0 for a process that works alone. */
  cacheBytes: number
  /** What they may take; 0: anything. */
  cacheLimitBytes: number
}

/** A process that works on the database, as its row says. */
export interface ClusterNode {
  name: string
  /** Where the other nodes reach it; null: they cannot. */
  url: string | null
  roles: readonly Role[]
  /** Of Faultline. */
  version: string
  schemaVersion: number
  /** When it started, by the clock of the database. */
  startedAt: string
  /** Time since its last heartbeat. */
  heartbeatAgeMs: number
  isDraining: boolean
  load: NodeLoad
}

/** Who asked a node that forwarded the request, as that node found out. */
export interface ForwardedCaller {
  keyName: string | null
  access: Access
  /** The address that the client connected from. */
  ip: string
  /** The id that the first node gave the request. */
  requestId: string
  /** Name of the first node. */
  from: string
  /** SHA-256 of the body, in hex. */
  bodySha256: string
}

/** The header that a node signs a request with which it forwards. */
export const FORWARD_HEADER = 'faultline-forward'
/** The header of an answer by a node that took a forwarded request; what comes without it is no answer of one. */
export const TAKEN_HEADER = 'faultline-taken'
/** The header that names the node that answered. */
export const NODE_HEADER = 'x-faultline-node'
