import { hostname } from 'node:os'
import type { Cluster, ClusterOptions } from '../cluster/cluster.ts'
import type { Config } from '../config.ts'
import type { ClusterAnswer, DatabaseState, NodeAnswer } from '../contract/cluster.ts'
import type { Readiness } from '../contract/readiness.ts'
import type { ClusterNode, NodeLoad, Role } from '../core/node.ts'
import type { Jobs } from '../jobs/jobs.ts'
import type { Database } from '../postgres/database.ts'
import type { Listener } from '../postgres/listener.ts'
import type { Store } from '../vecstore/store.ts'
import type { Log } from './log.ts'

/** This process, alone or among others. */
export interface ThisNode {
  readonly name: string
  readonly roles: readonly Role[]
  /** Null for a process that works alone. */
  readonly cluster: Cluster | null
  /** Whether it is about to stop, and others do its work. */
  readonly isDraining: boolean
  /** Counts event streams, which are open where HTTP is. */
  countStreams(open: () => number): void
  /** The nodes, the database and the queue. */
  overview(): Promise<ClusterAnswer>
  /** What `GET /ready` says of it. */
  readiness(): Promise<Required<Pick<Readiness, 'role' | 'node' | 'database'>>>
}

/** The database of several nodes. */
export interface SharedDatabase {
  db: Database
  listener: Listener
  /** Of the schema. */
  version: number
}

/** What a node is made of. */
interface NodeDeps {
  jobs: Pick<Jobs, 'running' | 'counts' | 'queuedForMs'>
  store: Pick<Store, 'listProjects' | 'findProject' | 'readManifest'>
  /** Of this release. */
  version: string
  /** Null for a process that works alone. */
  shared: SharedDatabase | null
  /** What lies here of the projects of all nodes; null for a process that works alone, which has them all. */
  cached: (() => { projects: number; bytes: number; maxBytes: number | null }) | null
  onForwarded: ClusterOptions['onForwarded']
  log: Log
}

/** Balancers and supervisors that ask for readiness give up soon. */
const DATABASE_ANSWER_MS = 1_500

/** The cores that this process used since the call before. */
function createCpuMeter(): () => number {
  let last = { at: performance.now(), used: process.cpuUsage() }
  return () => {
    const now = { at: performance.now(), used: process.cpuUsage() }
    const micros = now.used.user + now.used.system - last.used.user - last.used.system
    const ms = now.at - last.at
    last = now
    return ms < 1 ? 0 : Math.round((micros / 1000 / ms) * 100) / 100
  }
}

const toWireNode = (
  { name, roles, version, schemaVersion, startedAt, heartbeatAgeMs, isDraining, load }: ClusterNode,
  more: Pick<NodeAnswer, 'alive' | 'self'>,
): NodeAnswer => ({
  name,
  roles: [...roles],
  version,
  schema_version: schemaVersion,
  since: startedAt,
  heartbeat_age_s: Math.round(heartbeatAgeMs / 100) / 10,
  draining: isDraining,
  load: {
    running_jobs: load.runningJobs,
    job_slots: load.jobSlots,
    cpu_cores: load.cpuCores,
    memory_bytes: load.memoryBytes,
    open_streams: load.openStreams,
    projects_cached: load.projectsCached,
    cache_bytes: load.cacheBytes,
    cache_limit_bytes: load.cacheLimitBytes,
  },
  ...more,
})

/** How many jobs are in which state, and how long the oldest one has been queued. */
async function queueState({ jobs }: Pick<NodeDeps, 'jobs'>): Promise<ClusterAnswer['queue']> {
  const counts = await jobs.counts()
  const sum = (state: string) =>
    counts.filter(({ status }) => status === state).reduce((total, { jobs: count }) => total + count, 0)
  const oldestMs = await jobs.queuedForMs()
  return {
    queued: sum('queued'),
    running: sum('running'),
    waiting: sum('waiting'),
    oldest_s: oldestMs === null ? null : Math.round(oldestMs / 100) / 10,
  }
}

/** Whether the database answers, in time. */
async function databaseState(shared: SharedDatabase | null): Promise<DatabaseState> {
  if (shared === null) return { kind: 'sqlite', status: 'ok', schema_version: null }
  const late = Promise.withResolvers<'unavailable'>()
  const timer = setTimeout(() => late.resolve('unavailable'), DATABASE_ANSWER_MS)
  const asked = shared.db.query('SELECT 1').then(
    () => 'ok' as const,
    () => 'unavailable' as const,
  )
  try {
    return { kind: 'postgresql', status: await Promise.race([asked, late.promise]), schema_version: shared.version }
  } finally {
    clearTimeout(timer)
  }
}

/** Whether there is an index to answer from; one that another node published is brought here by that. */
async function hasIndex(store: Pick<Store, 'findProject' | 'readManifest'>, name: string): Promise<boolean> {
  try {
    const project = await store.findProject(name)
    return project !== null && (await store.readManifest(project)) !== null
  } catch {
    return false // the node that was asked first says what is wrong
  }
}

/** The part of this process that knows the others; only where there are any is it loaded. */
async function openParts(
  config: Config,
  { store, version, shared, onForwarded, log }: NodeDeps,
  load: () => Promise<NodeLoad>,
): Promise<Cluster | null> {
  if (shared === null) return null
  const [{ openCluster }, { nodeNameOf }] = await Promise.all([
    import('../cluster/cluster.ts'),
    import('./node-name.ts'),
  ])
  return openCluster({
    db: shared.db,
    listener: shared.listener,
    own: {
      name: nodeNameOf(config),
      roles: config.node.roles,
      version,
      schemaVersion: shared.version,
    },
    secret: config.node.secret,
    load,
    hasIndex: project => hasIndex(store, project),
    onForwarded,
    onError: error => log.warn({ err: error }, 'the other nodes could not be told of this one, or not be seen'),
  })
}

type CacheLoad = Pick<NodeLoad, 'projectsCached' | 'cacheBytes' | 'cacheLimitBytes'>

const loadOf = ({ projects, bytes, maxBytes }: ReturnType<NonNullable<NodeDeps['cached']>>): CacheLoad => ({
  projectsCached: projects,
  cacheBytes: bytes,
  cacheLimitBytes: maxBytes ?? 0,
})

/** A process that works alone has all projects, and no copies. */
const everything = async (store: Pick<Store, 'listProjects'>): Promise<CacheLoad> => ({
  projectsCached: (await store.listProjects()).length,
  cacheBytes: 0,
  cacheLimitBytes: 0,
})

/** This process, as the others and its operator see it. Nothing is written before `cluster.registry.join`. */
export async function createNode(config: Config, deps: NodeDeps): Promise<ThisNode> {
  const { jobs, store, version, shared, cached } = deps
  const { roles } = config.node
  const startedAt = new Date()
  const cpuCores = createCpuMeter()
  let openStreams = () => 0
  const load = async (): Promise<NodeLoad> => ({
    runningJobs: jobs.running(),
    jobSlots: roles.includes('worker') ? config.jobsConcurrency : 0,
    cpuCores: cpuCores(),
    memoryBytes: process.memoryUsage.rss(),
    openStreams: openStreams(),
    ...(cached === null ? await everything(store) : loadOf(cached())),
  })
  const cluster = await openParts(config, deps, load)
  const name = cluster?.registry.own.name ?? config.node.name ?? hostname()
  const isDraining = () => cluster?.registry.isDraining ?? false

  async function nodes(): Promise<NodeAnswer[]> {
    if (cluster !== null) {
      const all = await cluster.registry.list()
      return all.map(({ isAlive, ...node }) => toWireNode(node, { alive: isAlive, self: node.name === name }))
    }
    const own = { name, url: null, roles, version, schemaVersion: 0, startedAt: startedAt.toISOString() }
    const node = toWireNode(
      { ...own, heartbeatAgeMs: 0, isDraining: false, load: await load() },
      { alive: true, self: true },
    )
    return [{ ...node, schema_version: null }]
  }

  return {
    name,
    roles,
    cluster,
    get isDraining() {
      return isDraining()
    },
    countStreams(open) {
      openStreams = open
    },
    async overview() {
      const [all, database, queue] = await Promise.all([nodes(), databaseState(shared), queueState(deps)])
      return { nodes: all, database, queue }
    },
    async readiness() {
      return {
        role: roles.join(',') as 'http' | 'worker' | 'http,worker',
        node: cluster === null ? null : { name, draining: isDraining() },
        database: await databaseState(shared),
      }
    },
  }
}
