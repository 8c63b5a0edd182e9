import { join } from 'node:path'
import { test, type Test } from 'tap'
import { FaultlineError } from '../../src/core/errors.ts'
import { NO_SETTINGS } from '../../src/core/project.ts'
import type { Database } from '../../src/postgres/database.ts'
import { createInUse } from '../../src/replication/in-use.ts'
import { createProjectTable } from '../../src/replication/project-table.ts'
import { shareStore } from '../../src/replication/shared-store.ts'
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
