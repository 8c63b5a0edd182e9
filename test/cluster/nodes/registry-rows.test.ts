import { test } from 'tap'
import { NodeRegistry, type RegistryOptions } from '../../../src/cluster/nodes/registry.ts'
import type { NodeLoad } from '../../../src/core/node.ts'

const ROW = {
  name: 'one',
  url: 'http://one:8000',
  roles: ['http', 'worker'],
  version: '1.2.3',
  schema_version: '7',
  started_at: '2026-01-01T00:00:00Z',
  age_ms: '12.5',
  draining: false,
  load: { runningJobs: 1, cpuCores: '0.5' },
  alive: true,
}
const NO_LOAD: NodeLoad = {
  runningJobs: 0,
  jobSlots: 0,
  cpuCores: 0,
  memoryBytes: 0,
  openStreams: 0,
  projectsCached: 0,
  cacheBytes: 0,
  cacheLimitBytes: 0,
}

/** What a registry makes of a row of the table. */
async function nodeOf(fields: Record<string, unknown>) {
  const registry = new NodeRegistry({
    db: { query: async () => ({ rows: [{ ...ROW, ...fields }], count: 1 }) } as unknown as RegistryOptions['db'],
    own: { name: 'two', roles: ['http'], version: '1.2.3', schemaVersion: 1 },
    load: async () => NO_LOAD,
    onError: () => {},
  })
  const [node] = await registry.list()
  return node
}

test('a row is a node in the types of this process', async t => {
  t.same(await nodeOf({}), {
    name: 'one',
    url: 'http://one:8000',
    roles: ['http', 'worker'],
    version: '1.2.3',
    schemaVersion: 7,
    startedAt: '2026-01-01T00:00:00Z',
    heartbeatAgeMs: 12.5,
    isDraining: false,
    load: { ...NO_LOAD, runningJobs: 1, cpuCores: 0.5 },
    isAlive: true,
  })
})

test('what a node of another release does not tell is nothing, and what this one does not know is left out', async t => {
  for (const load of [{}, null, 'busy', undefined]) {
    t.same((await nodeOf({ load }))?.load, NO_LOAD, JSON.stringify(load))
  }
  t.same((await nodeOf({ load: { threads: 5, jobSlots: 4 } }))?.load, { ...NO_LOAD, jobSlots: 4 })
  t.match(await nodeOf({ url: null, roles: ['http', 'oracle'], age_ms: '-3', draining: true, alive: false }), {
    url: null,
    roles: ['http'],
    heartbeatAgeMs: 0,
    isDraining: true,
    isAlive: false,
  })
})
