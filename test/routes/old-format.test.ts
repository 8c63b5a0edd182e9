import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'tap'
import { openStore } from '../../src/vecstore/store.ts'
import { buildApp, cloneInto } from '../helpers/build-app.ts'
import { createShop, SHOP_TRACE } from '../helpers/sample-repository.ts'

test(
  'a project that an older release indexed is listed as degraded beside the others, and a clone makes it ' + 'whole',
  async t => {
    const running = await buildApp(t)
    const { app, root, reposDir } = running
    const shop = createShop(join(reposDir, 'shop.git'))
    await cloneInto(t, running, { url: shop.dir })
    await openStore(join(root, 'vector_store')).createProject('old')
    const project = join(root, 'vector_store/old')
    mkdirSync(join(project, '000001'))
    cpSync(join(import.meta.dirname, '../fixtures/formats/manifest-1.json'), join(project, '000001/manifest.json'))
    writeFileSync(join(project, 'CURRENT'), '000001\n')

    const old = {
      project_name: 'old',
      index_state: 'degraded',
      chunks_total: 2,
      files_indexed: 2,
      ann_recall: null,
      repositories: [{ repository: 'shop' }],
    }
    t.match((await app.inject('/projects')).json(), { data: [old, { project_name: 'shop', index_state: 'ready' }] })
    t.match((await app.inject('/projects/old')).json(), old)
    for (const refused of [
      await app.inject({ method: 'POST', url: '/resolve', body: { stacktrace: SHOP_TRACE, project_name: 'old' } }),
      await app.inject('/projects/old/search?q=average'),
    ]) {
      t.match(refused.json(), { status: 409, code: 'INDEX_INCOMPATIBLE', fix: /POST \/clone/ })
    }
    await cloneInto(t, running, { url: shop.dir, project_name: 'old' })
    t.match((await app.inject('/projects/old')).json(), { index_state: 'ready' })
  },
)
