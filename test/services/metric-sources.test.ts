import { test } from 'tap'
import { metricSources } from '../../src/services/metric-sources.ts'

type Deps = Parameters<typeof metricSources>[1]

const CONFIG = { jobsConcurrency: 4, queueLimit: 100 } as Parameters<typeof metricSources>[0]
const ALONE = { name: 'one', roles: ['all'], cluster: null } as unknown as Deps['node']

/** The sources of a process with the projects `shop` and `api`, of which the second one is damaged. */
function sourcesOf({ node = ALONE, replicas = null }: Partial<Pick<Deps, 'node' | 'replicas'>> = {}) {
  const jobs = {
    counts: async (visibleTo: unknown) => [{ type: 'fix', status: 'queued', jobs: visibleTo === null ? 2 : 1 }],
    running: () => 3,
    usedBytes: async () => 7,
    queuedForMs: async () => 1_500,
  }
  const store = { listProjects: async () => ['shop', 'api'], storeBytes: async (name: string) => name.length }
  const chunksOf = async (name: string) => {
    if (name === 'api') throw new Error('damaged')
    return 10
  }
  const resolutions = { feedbackCounts: async () => ({ helpful: 2, unhelpful: 1 }) }
  return metricSources(CONFIG, { jobs, store, projects: { chunksOf }, resolutions, node, replicas } as unknown as Deps)
}

test('a process that works alone tells of its jobs and of all indexes, also of one that cannot be read', async t => {
  const sources = sourcesOf()
  t.same(await sources.jobs(null), [{ type: 'fix', status: 'queued', jobs: 2 }])
  t.same(await sources.jobs({} as never), [{ type: 'fix', status: 'queued', jobs: 1 }])
  t.same(sources.limits(), { running: 3, concurrency: 4, queueLimit: 100 })
  t.same(await sources.indexes(), [
    { project: 'shop', bytes: 4, chunks: 10 },
    { project: 'api', bytes: 3, chunks: null },
  ])
  t.same([await sources.jobBytes(), await sources.queuedForMs()], [7, 1_500])
  t.same(await sources.feedback(), { helpful: 2, unhelpful: 1 })
  t.same([sources.cache, sources.node], [null, null])
})

test('a node among others tells of the indexes that lie on it, and of itself', async t => {
  const lying = [{ project: 'shop', bytes: 5, chunks: 10 }]
  const size = { projects: 1, bytes: 5, maxBytes: null }
  const replicas = { cache: { indexes: async () => lying, size: () => size } } as unknown as Deps['replicas']
  const registry = { alive: () => [{ isDraining: true }], failures: 2 }
  const node = { name: 'b', roles: ['web', 'worker'], cluster: { registry } } as unknown as Deps['node']
  const sources = sourcesOf({ replicas, node })
  t.equal(await sources.indexes(), lying)
  t.equal(sources.cache?.(), size)
  t.match(sources.node, { name: 'b', role: 'web,worker' })
  t.same(sources.node?.alive(), [{ isDraining: true }])
  t.equal(sources.node?.heartbeatFailures(), 2)
  registry.failures++
  t.equal(sources.node?.heartbeatFailures(), 3, 'each time anew')
})
