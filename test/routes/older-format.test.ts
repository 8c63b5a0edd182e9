import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'tap'
import { buildApp, cloneInto } from '../helpers/build-app.ts'
import { createShop, SHOP_TRACE } from '../helpers/sample-repository.ts'

test('an index in the format of an older release is listed as one to rebuild, refused with the call that does, and rebuilt by that from the same commit', async t => {
  const before = await buildApp(t)
  const { root } = before
  const shop = createShop(join(before.reposDir, 'shop.git'))
  await cloneInto(t, before, { url: shop.dir })
  const file = join(root, 'vector_store/shop', readFileSync(join(root, 'vector_store/shop/CURRENT'), 'utf8').trim(), 'manifest.json')
  await before.close()
  const { indexState, segments, growth, annRecall, ...older } = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>
  writeFileSync(file, JSON.stringify({ ...older, formatVersion: 1, seals: {} }))

  const { app, ...after } = await buildApp(t, { root })
  const listed = await app.inject('/projects')
  t.equal(listed.statusCode, 200)
  t.match(listed.json(), { data: [{ project_name: 'shop', index_state: 'degraded', chunks_total: 4 }] })
  const refused = await app.inject({ method: 'POST', url: '/resolve', body: { stacktrace: SHOP_TRACE, project_name: 'shop' } })
  t.match(refused.json(), { status: 409, code: 'INDEX_INCOMPATIBLE', detail: /format is 1/, fix: /POST \/clone/ })
  const rebuilt = await cloneInto(t, { app, ...after }, { url: shop.dir })
  t.match(rebuilt.result, { chunks_total: 4 })
  t.match((await app.inject('/projects/shop')).json(), { index_state: 'ready' })
})
