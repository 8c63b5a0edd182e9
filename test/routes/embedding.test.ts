import { test } from 'tap'
import { startModelServer } from '../fakes/model-server.ts'
import { buildApp, cloneInto } from '../helpers/build-app.ts'
import { cloneShop, resolveShop } from '../helpers/cloned-shop.ts'

test(
  'an index built with another embedding is refused with the call that rebuilds it, and stays until the ' +
    'new one is whole',
  async t => {
    await using model = await startModelServer({ dimensions: 32 })
    const before = await buildApp(t)
    const { root } = before
    const shop = await cloneShop(t, before)
    await before.close()

    const env = { EMBEDDING_MODEL: 'embedder-32', EMBEDDING_BASE_URL: model.baseUrl }
    const after = await buildApp(t, { root, env })
    const resolve = (app = after.app) => resolveShop({ app })
    t.match((await after.app.inject('/projects/shop')).json(), {
      index_state: 'degraded',
      embedding: { provider: 'local', model: 'hash-512' },
    })
    t.match((await resolve()).json(), { status: 409, code: 'INDEX_INCOMPATIBLE', fix: /POST \/clone/ })
    t.match((await after.app.inject('/projects/shop/search?q=average')).json(), { code: 'INDEX_INCOMPATIBLE' })

    model.pushEmbeddings({ status: 401, body: { error: { message: 'no such key' } } })
    const failed = (await after.app.inject({ method: 'POST', url: '/clone?wait=60', body: { url: shop.dir } })).json()
    t.match(failed, { status: 'failed', error: { code: /EMBEDDING_UNAVAILABLE|LLM_REJECTED/, step: 'index' } })
    t.match(
      (await after.app.inject('/projects/shop')).json(),
      { index_state: 'degraded', chunks_total: 4 },
      'the old index is still there',
    )

    const rebuilt = await cloneInto(t, after, { url: shop.dir })
    t.match(rebuilt.result, { embedding: { provider: 'api', model: 'embedder-32', dimensions: 32 }, chunks_total: 4 })
    t.match((await after.app.inject('/projects/shop')).json(), { index_state: 'ready' })
    t.equal((await resolve()).statusCode, 200)
    const asked = model.requests.length
    await cloneInto(t, after, { url: shop.dir, project_name: 'second' })
    t.equal(model.requests.length, asked, 'the same text is never embedded twice, in no project')
  },
)
