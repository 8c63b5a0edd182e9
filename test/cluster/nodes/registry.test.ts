import { test, type Test } from 'tap'
import { NodeRegistry, type RegistryOptions } from '../../../src/cluster/nodes/registry.ts'
import type { ClusterNode, NodeLoad } from '../../../src/core/node.ts'
import type { Database } from '../../../src/postgres/database.ts'
import { ANY_VERSION, noPostgres, openTestDatabase, startPostgres } from '../../helpers/postgres.ts'

const LOAD: NodeLoad = {
  runningJobs: 1,
  jobSlots: 4,
  cpuCores: 0.5,
  memoryBytes: 1_000,
  openStreams: 2,
  projectsCached: 3,
  cacheBytes: 0,
  cacheLimitBytes: 0,
}

interface TestNode {
  registry: NodeRegistry
  errors: unknown[]
  /** Resolves at a look that shows what is waited for. */
  sees: (isReached: (alive: readonly ClusterNode[]) => boolean) => Promise<void>
}

/** Beats fast; leaves in the teardown. */
function makeNode(
  t: Test,
  db: RegistryOptions['db'],
  name: string,
  more: Partial<RegistryOptions> & { roles?: RegistryOptions['own']['roles'] } = {},
): TestNode {
  const errors: unknown[] = []
  const { roles = ['http', 'worker'], ...options } = more
  const registry = new NodeRegistry({
    db,
    own: { name, roles, version: '1.2.3', schemaVersion: 1 },
    load: async () => LOAD,
    onError: error => errors.push(error),
    beatMs: 50,
    ...options,
  })
  t.teardown(() => registry.leave())
  return {
    registry,
    errors,
    sees: isReached =>
      new Promise(resolve => {
        const end = registry.onLook(alive => {
          if (!isReached(alive)) return
          end()
          resolve()
        })
      }),
  }
}

const namesOf = (alive: readonly ClusterNode[] | null): string[] | null => alive?.map(({ name }) => name) ?? null

test('nodes know each other by their heartbeats', { skip: noPostgres(ANY_VERSION) }, async t => {
  const server = await startPostgres()
  t.teardown(() => server.close())

  await t.test('each sees all, with what they are and do', async t => {
    const db = await openTestDatabase(t, server)
    const one = makeNode(t, db, 'one', { roles: ['http'] })
    const two = makeNode(t, db, 'two', { roles: ['worker'] })
    t.equal(one.registry.alive(), null, 'nothing is known before the first look')
    await one.registry.join('http://one:8000')
    await two.registry.join(null)
    await one.sees(alive => alive.length === 2)
    t.match(one.registry.alive(), [
      { name: 'one', url: 'http://one:8000', roles: ['http'], version: '1.2.3', isDraining: false, load: LOAD },
      { name: 'two', url: null, roles: ['worker'], schemaVersion: 1 },
    ])
    t.match((await two.registry.list())[0], { isAlive: true, startedAt: /^\d{4}-.*Z$/ })
    t.same([...one.errors, ...two.errors], [])
  })

  await t.test('one that drains is still there, one that left is not', async t => {
    const db = await openTestDatabase(t, server)
    const [one, two] = [makeNode(t, db, 'one'), makeNode(t, db, 'two')]
    await Promise.all([one.registry.join(null), two.registry.join(null)])
    const drains = two.sees(alive => alive.some(({ name, isDraining }) => name === 'one' && isDraining))
    await one.registry.drain()
    await drains
    t.ok(one.registry.isDraining)
    const leaves = two.sees(alive => alive.length === 1)
    await one.registry.leave()
    await leaves
    t.same(namesOf(two.registry.alive()), ['two'])
    t.equal((await db.query('SELECT * FROM nodes')).count, 1)
  })

  await t.test('one without a heartbeat for eight seconds counts as dead, and goes after a day', async t => {
    const db = await openTestDatabase(t, server)
    const one = makeNode(t, db, 'one')
    const dead = makeNode(t, db, 'dead', { beatMs: 3_600_000 })
    await Promise.all([one.registry.join(null), dead.registry.join(null)])
    const dies = one.sees(alive => alive.length === 1)
    await db.query("UPDATE nodes SET heartbeat_at = now() - interval '9 s' WHERE name = 'dead'")
    await dies
    t.match(await one.registry.list(), [
      { name: 'dead', isAlive: false },
      { name: 'one', isAlive: true },
    ])
    await db.query("UPDATE nodes SET heartbeat_at = now() - interval '25 h' WHERE name = 'dead'")
    await makeNode(t, db, 'new').registry.join(null)
    t.same(
      (await one.registry.list()).map(({ name }) => name),
      ['new', 'one'],
    )
  })

  await t.test(
    'a restart takes its row over at once; a second one of the same name makes the first say so',
    async t => {
      const db = await openTestDatabase(t, server)
      const killed = makeNode(t, db, 'one', { beatMs: 3_600_000 })
      await killed.registry.join('http://one:1')
      const restarted = makeNode(t, db, 'one')
      await restarted.registry.join('http://one:2')
      t.match(restarted.registry.alive(), [{ name: 'one', url: 'http://one:2' }])
      const twin = makeNode(t, db, 'one')
      await twin.registry.join('http://one:3')
      await twin.sees(() => restarted.errors.length > 0)
      t.match(restarted.errors, [{ code: 'CONFIG_INVALID', message: /taken the name one/ }])
      await restarted.registry.leave()
      t.match(await twin.registry.list(), [{ name: 'one', url: 'http://one:3' }], 'the row of another is left alone')
      t.same(twin.errors, [])
    },
  )

  await t.test('while the database is away a node goes on, and knows that it knows nothing', async t => {
    const db = await openTestDatabase(t, server)
    let isAway = false
    const flaky: Pick<Database, 'query'> = {
      query: async (...args) => {
        if (isAway) throw new Error('away')
        return db.query(...args)
      },
    }
    const one = makeNode(t, flaky, 'one', { beatMs: 10 })
    isAway = true
    await one.registry.join(null)
    t.equal(one.registry.alive(), null)
    t.ok(one.registry.failures > 0)
    t.match(one.errors[0], { message: 'away' })
    isAway = false
    await one.sees(alive => alive.length === 1)
    t.same(namesOf(one.registry.alive()), ['one'], 'it joined later')
    await db.query('DELETE FROM nodes')
    await one.sees(alive => alive.length === 1)
    t.pass('a row that was lost is written again')
  })

  await t.test('a node leaves though the database hangs', async t => {
    const db = await openTestDatabase(t, server)
    let hangs = false
    const hanging: Pick<Database, 'query'> = {
      query: async (...args) => (hangs ? new Promise(() => {}) : db.query(...args)),
    }
    const one = makeNode(t, hanging, 'one', { leaveMs: 50 })
    await one.registry.join(null)
    hangs = true
    await one.registry.leave()
    t.match(await makeNode(t, db, 'two').registry.list(), [{ name: 'one' }], 'its row is still there, and dies')
  })

  await t.test('what another node tells is looked at', async t => {
    const db = await openTestDatabase(t, server)
    const slow = makeNode(t, db, 'slow', { beatMs: 3_600_000 })
    await slow.registry.join(null)
    const other = makeNode(t, db, 'other', {
      tell: () => {
        slow.registry.look() // reports itself
      },
    })
    const seen = slow.sees(alive => alive.length === 2)
    await other.registry.join(null)
    await seen
    t.same(namesOf(slow.registry.alive()), ['other', 'slow'])
  })
})
