import { test } from 'tap'
import { ownerOf } from '../../src/cluster/rendezvous.ts'
import { startNodes } from '../helpers/cluster.ts'
import { cloneShop } from '../helpers/cloned-shop.ts'
import { ANY_VERSION, noPostgres, startPostgres } from '../helpers/postgres.ts'
import { SHOP_TRACE } from '../helpers/sample-repository.ts'

test('requests about a project go to the node that keeps its index', { skip: noPostgres(ANY_VERSION) }, async t => {
  const server = await startPostgres()
  t.teardown(() => server.close())

  await t.test('whichever node is asked, the same one answers', async t => {
    const nodes = await startNodes(t, server, { one: {}, two: {} })
    for (const node of nodes) await cloneShop(t, node)
    const owner = ownerOf(['one', 'two'], 'shop')
    for (const { url, name } of nodes) {
      const body = JSON.stringify({ stacktrace: SHOP_TRACE, project_name: 'SHOP' })
      const res = await fetch(`${url}/resolve`, {
        method: 'POST',
        body,
        headers: { 'content-type': 'application/json' },
      })
      t.equal(res.status, 200)
      t.equal(res.headers.get('x-faultline-node'), owner, `asked ${name}`)
      t.equal(res.headers.get('faultline-taken'), null)
      t.match(await res.json(), { project_name: 'shop', frames: [{}] })
    }
  })
})
