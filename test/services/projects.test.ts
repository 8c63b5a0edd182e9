import { test } from 'tap'
import { loadConfig } from '../../src/config.ts'
import { createProjects } from '../../src/services/projects.ts'
import { openStore } from '../../src/vecstore/store.ts'
import { testFolder } from '../helpers/test-folder.ts'

test('the jobs say whether a project is busy: it is not deleted then', async t => {
  const root = testFolder(t)
  const store = openStore(root)
  await store.createProject('shop')
  const busy = new Set(['shop'])
  const released: string[] = []
  const projects = createProjects(loadConfig({ root, env: {} }), {
    store,
    git: { history: async () => 'full', release: async (name: string) => released.push(name) } as never,
    jobStore: { isProjectBusy: async name => busy.has(name), isActive: async key => key === 'project:shop' },
  })
  await t.rejects(projects.remove('shop'), { code: 'PROJECT_BUSY' })
  t.match(await projects.get('shop'), { indexState: 'cloning', embedding: null })
  busy.clear()
  await projects.remove('shop')
  t.same(released, ['shop'])
})
