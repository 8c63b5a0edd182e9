import type { Config } from '../config.ts'
import type { Projects } from '../indexer/projects.ts'
import type { Jobs } from '../jobs/jobs.ts'
import type { Store } from '../vecstore/store.ts'
import type { ThisNode } from './nodes.ts'
import type { MetricSources } from './prometheus.ts'
import type { Replicas } from './replicas.ts'
import type { Resolutions } from './resolutions.ts'

/** The figures of a node among others; null for a process that works alone. */
function nodeSources({ name, roles, cluster }: ThisNode): MetricSources['node'] {
  if (cluster === null) return null
  const { registry } = cluster
  return {
    name,
    role: roles.join(','),
    alive: () => registry.alive(),
    heartbeatFailures: () => registry.failures,
  }
}

const indexesOf = async ({ store, projects }: { store: Store; projects: Projects }) =>
  Promise.all(
    (await store.listProjects()).map(async project => ({
      project,
      bytes: await store.storeBytes(project),
      // damaged or just deleted; GET /projects says so
      chunks: await projects.chunksOf(project).catch(() => null),
    })),
  )

/** What is read when somebody asks for the metrics. */
export const metricSources = (
  { jobsConcurrency: concurrency, queueLimit }: Config,
  {
    jobs,
    store,
    projects,
    resolutions,
    node,
    replicas,
  }: {
    jobs: Jobs
    store: Store
    projects: Projects
    resolutions: Resolutions
    node: ThisNode
    replicas: Replicas | null
  },
): MetricSources => ({
  jobs: visibleTo => jobs.counts(visibleTo),
  limits: () => ({ running: jobs.running(), concurrency, queueLimit }),
  // of those that lie here: nothing is brought for a figure
  indexes: () => replicas?.cache.indexes() ?? indexesOf({ store, projects }),
  cache: replicas === null ? null : () => replicas.cache.size(),
  jobBytes: () => jobs.usedBytes(),
  feedback: () => resolutions.feedbackCounts(),
  queuedForMs: () => jobs.queuedForMs(),
  node: nodeSources(node),
})
