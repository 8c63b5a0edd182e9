import { join } from 'node:path'
import { test, type Test } from 'tap'
import { FaultlineError } from '../../src/core/errors.ts'
import { NO_SETTINGS, type PublishedManifest } from '../../src/core/project.ts'
import type { Database } from '../../src/postgres/database.ts'
import { createInUse } from '../../src/replication/in-use.ts'
import { createProjectTable } from '../../src/replication/project-table.ts'
import { shareStore, type IndexSummary } from '../../src/replication/shared-store.ts'
import { openStore } from '../../src/vecstore/store.ts'
import { noPostgres, openTestDatabase, POSTGRES_VERSIONS, startPostgres } from '../helpers/postgres.ts'

/** Two nodes, each with a folder of its own, which hear of each other's changes when the test says so. */
function openNodes(t: Test, db: Database) {
  const root = t.testdir()
  const hearers: Array<(names: readonly string[] | null) => void> = []
  const held: string[] = []
  const clock = { now: 0 }
  let isAway = false
  const away: unknown[] = []
  const table = createProjectTable({
    ...db,
    async query(...args) {
      if (isAway) throw new FaultlineError('DATABASE_UNAVAILABLE', 'Away.')
      return await db.query(...args)
    },
  })
  const restored: string[] = []
  const forgotten: string[] = []
  let unreadable: FaultlineError | null = null
  const openNode = (name: string) =>
    shareStore({
      // the first node has an index of each project
      local: { ...openStore(join(root, name)), ...(name === 'one' ? { publication: async () => 'earlier' } : {}) },
      table,
      restore: async project => {
        if (unreadable !== null) throw unreadable
        restored.push(`${name} ${project}`)
      },
      summaryOf: async () => null,
      inUse: createInUse(),
      forget: async project => {
        forgotten.push(project)
      },
      notify: project => held.push(project),
      onChange: hears => hearers.push(hears),
      onAway: error => away.push(error),
      now: () => clock.now,
    })
  return {
    nodes: [openNode('one'), openNode('two')] as const,
    clock,
    restored,
    forgotten,
    away,
    local: (name: string) => openStore(join(root, name)),
    goAway: (is: boolean) => {
      isAway = is
    },
    publishNewer: () => {
      unreadable = new FaultlineError('INDEX_INCOMPATIBLE', 'It has format 2; this release reads 1.')
    },
    deliver: () => {
      for (const hears of hearers) hears(held)
      held.length = 0
    },
  }
}

const manifest = (generation: number, publishedAt: string): PublishedManifest => ({
  formatVersion: 1,
  generation,
  publishedAt,
  embedding: { provider: 'local', model: 'words', dimensions: 0, fitId: '' },
  chunker: 'lines',
  repositories: [],
  filesIndexed: 0,
  chunksTotal: 0,
  languages: {},
  indexState: 'ready',
  annRecall: null,
})

/** A node with an index of its own, or none, of a project of which another may have published one. */
function openSharing(t: Test, own: PublishedManifest | null, summaryOf: () => Promise<IndexSummary | null>) {
  const brought: string[] = []
  const away: unknown[] = []
  const node = shareStore({
    local: {
      ...openStore(t.testdir()),
      mirrorProject: async () => {},
      readManifest: async () => own,
      publication: async () => (own === null ? null : own.publishedAt),
      storeBytes: async () => 7,
    },
    table: {
      list: async () => ['Shop'],
      find: async () => ({ projectName: 'Shop', createdAt: '2026-01-01T00:00:00.000Z', settings: null }),
      create: async () => {},
      writeSettings: async () => true,
      remove: async () => true,
    },
    restore: async project => {
      brought.push(project)
    },
    summaryOf,
    inUse: createInUse(),
    forget: async () => {},
    notify: () => {},
    onChange: () => {},
    onAway: error => away.push(error),
  })
  return { node, brought, away }
}

test('of the index here and the one that another node published, what is said is that of the newer one', async t => {
  const own = manifest(3, 'today')
  const published = async (generation: number, publishedAt: string) => {
    const elsewhere = { manifest: manifest(generation, publishedAt), bytes: 100 }
    const { node, brought } = openSharing(t, own, async () => elsewhere)
    const read = await node.readManifest('shop')
    t.same(brought, [], 'no index is brought for it')
    t.ok(read === own || read === elsewhere.manifest)
    return read === own ? 'own' : 'published'
  }
  t.equal(await published(2, 'yesterday'), 'own', 'a build goes on here')
  t.equal(await published(3, 'today'), 'own', 'it is the same')
  t.equal(await published(3, 'later'), 'published', 'another build had the same number')
  t.equal(await published(4, 'later'), 'published')
})

test('an index that is not here is told of by what its publisher said; where nobody did, it is brought', async t => {
  const elsewhere = { manifest: manifest(4, 'later'), bytes: 100 }
  const told = openSharing(t, null, async () => elsewhere)
  t.equal(await told.node.readManifest('shop'), elsewhere.manifest)
  t.equal(await told.node.storeBytes('shop'), 100)
  t.same(told.brought, [])
  const untold = openSharing(t, null, async () => null)
  t.equal(await untold.node.readManifest('shop'), null)
  t.equal(await untold.node.storeBytes('shop'), 0)
  t.same(untold.brought, ['Shop'])
  const own = manifest(3, 'today')
  const here = openSharing(t, own, async () => null)
  t.equal(await here.node.readManifest('shop'), own)
  t.equal(await here.node.storeBytes('shop'), 7)
  t.same(here.brought, ['Shop'])
})

test('while nobody can say what is published, the index here answers; other failures are told', async t => {
  const gone = new FaultlineError('OBJECT_STORE_UNAVAILABLE', 'Away.')
  const own = manifest(3, 'today')
  const { node, away } = openSharing(t, own, () => Promise.reject(gone))
  t.equal(await node.readManifest('shop'), own)
  t.same(away, [gone])
  const broken = openSharing(t, own, () => Promise.reject(new Error('a fault')))
  await t.rejects(broken.node.readManifest('shop'), { message: 'a fault' })
  t.same(broken.away, [])
})

for (const version of POSTGRES_VERSIONS) {
  test(`PostgreSQL ${version}`, { skip: noPostgres(version) }, async t => {
    const server = await startPostgres(version)
    t.teardown(() => server.close())

    await t.test('a project of one node is one of all, with its settings', async t => {
      const { nodes, deliver, restored } = openNodes(t, await openTestDatabase(t, server))
      const [one, two] = nodes
      t.equal(await two.findProject('Shop'), null)
      t.equal(await one.createProject('Shop'), 'whole')
      deliver()
      t.equal(await two.findProject('shop'), 'Shop')
      t.same(await two.listProjects(), ['Shop'])
      await one.writeSettings('shop', { ...NO_SETTINGS, inAppExclude: ['x/**'] })
      deliver()
      t.match(await two.readSettings('Shop'), { inAppExclude: ['x/**'], sync: null })
      t.equal(await one.createProject('SHOP'), 'whole')
      t.match(await one.readSettings('Shop'), { inAppExclude: ['x/**'] }, 'it was there already')
      t.notOk(restored.includes('two Shop'), 'nobody has read the index there')
      t.equal(await two.publication('Shop'), null)
      t.ok(restored.includes('two Shop'))
    })

    await t.test('a change that nobody told of is seen a second later', async t => {
      const { nodes, clock } = openNodes(t, await openTestDatabase(t, server))
      const [one, two] = nodes
      t.equal(await two.findProject('shop'), null)
      await one.createProject('shop')
      t.equal(await two.findProject('shop'), null)
      clock.now = 1_000
      t.equal(await two.findProject('shop'), 'shop')
    })

    await t.test('of a deleted project nothing stays on any node, nor is an earlier one of the name', async t => {
      const { nodes, deliver, local, forgotten } = openNodes(t, await openTestDatabase(t, server))
      const [one, two] = nodes
      await one.createProject('shop')
      await one.writeSettings('shop', { ...NO_SETTINGS, ciComments: false })
      deliver()
      t.equal(await two.findProject('shop'), 'shop')
      await one.deleteProject('shop')
      t.same(await local('one').listProjects(), [])
      t.same(forgotten, ['shop'])
      await one.createProject('Shop')
      deliver()
      t.equal(await two.findProject('shop'), 'Shop')
      t.match(await two.readSettings('Shop'), NO_SETTINGS)
      t.same(await local('two').listProjects(), ['Shop'])
      await one.deleteProject('shop')
      deliver()
      t.equal(await two.findProject('Shop'), null)
      t.same(await local('two').listProjects(), [])
      await t.rejects(two.deleteProject('shop'), { code: 'PROJECT_NOT_FOUND' })
      await t.rejects(two.writeSettings('shop', NO_SETTINGS), { code: 'PROJECT_NOT_FOUND' })
      await t.rejects(two.bring('shop'), { code: 'PROJECT_NOT_FOUND' })
    })

    await t.test('while the database is away a node answers from what it has, and changes nothing', async t => {
      const { nodes, deliver, goAway, away, clock } = openNodes(t, await openTestDatabase(t, server))
      const [one, two] = nodes
      await one.createProject('shop')
      deliver()
      await two.findProject('shop')
      goAway(true)
      clock.now = 5_000
      t.equal(await two.findProject('shop'), 'shop')
      t.same(await two.listProjects(), ['shop'])
      t.ok(away.length >= 2)
      await t.rejects(two.deleteProject('shop'), { code: 'DATABASE_UNAVAILABLE' })
      await t.rejects(two.createProject('other'), { code: 'DATABASE_UNAVAILABLE' })
      goAway(false)
      await one.createProject('other')
      t.equal(await two.findProject('other'), 'other')
    })

    await t.test('what a newer release published is not read; an earlier index is answered from', async t => {
      const { nodes, deliver, publishNewer, away } = openNodes(t, await openTestDatabase(t, server))
      const [one, two] = nodes
      await one.createProject('shop')
      publishNewer()
      deliver()
      t.equal(await one.publication('shop'), 'earlier')
      t.match(away, [{ code: 'INDEX_INCOMPATIBLE' }], 'it says so')
      await t.rejects(two.publication('shop'), { code: 'INDEX_INCOMPATIBLE' }, 'one without an index cannot')
      await t.rejects(one.bring('shop'), { code: 'INDEX_INCOMPATIBLE' }, 'no job builds on the earlier one')
      t.equal(await one.publication('shop'), 'earlier')
    })
  })
}
