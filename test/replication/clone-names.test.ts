import { test } from 'tap'
import { claimCloneName } from '../../src/replication/clone-names.ts'
import { noPostgres, openTestDatabase, POSTGRES_VERSIONS, startPostgres } from '../helpers/postgres.ts'

for (const version of POSTGRES_VERSIONS) {
  test(`PostgreSQL ${version}`, { skip: noPostgres(version) }, async t => {
    const server = await startPostgres(version)
    t.teardown(() => server.close())

    await t.test('a remote has one name for ever, and no two remotes have the same', async t => {
      const db = await openTestDatabase(t, server)
      const shop = { identity: 'git://a/shop', names: ['shop', 'shop-1', 'shop-11'] }
      const other = { identity: 'git://b/Shop', names: ['Shop', 'Shop-2', 'Shop-22'] }
      t.equal(await claimCloneName(db, shop), 'shop')
      t.equal(await claimCloneName(db, other), 'Shop-2')
      t.equal(await claimCloneName(db, { ...shop, names: ['other'] }), 'shop')
      await t.rejects(claimCloneName(db, { identity: 'git://c/x', names: ['SHOP'] }), { message: /no name is left/ })
    })

    await t.test('nodes that ask at once get one name for a remote', async t => {
      const db = await openTestDatabase(t, server)
      const remotes = Array.from({ length: 4 }, (_, index) => ({
        identity: `git://${index}/shop`,
        names: ['shop', `shop-${index}`],
      }))
      const asked = Array.from({ length: 40 }, (_, index) => remotes[index % 4] ?? { identity: '', names: [] })
      const given = await Promise.all(asked.map(async remote => [remote.identity, await claimCloneName(db, remote)]))
      const names = new Map(given.map(([identity = '', name = '']) => [identity, name]))
      t.equal(new Set(given.map(pair => pair.join(' '))).size, 4, 'one name for each')
      t.equal(new Set(names.values()).size, 4, 'of its own')
    })
  })
}
