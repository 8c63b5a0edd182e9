import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'tap'
import { openTestStore, publish } from './fixture.ts'
import { FILES } from './store-fixture.ts'

test('files that generations share count once in the size of a project', async t => {
  const root = t.testdir()
  const store = openTestStore(root)
  await publish(store, 'shop', FILES)
  const before = await store.storeBytes('shop')
  await using builder = await store.begin('shop', 'copy')
  const shared = ['000001.lexical', '000001.vectors'].reduce(
    (sum, name) => sum + statSync(join(root, 'shop/000001/segments', name)).size,
    0,
  )
  t.ok(builder)
  const all = readdirSync(join(root, 'shop'), { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0)
  t.equal(await store.storeBytes('shop'), all - shared)
  t.ok(all - shared > before)
})

test('projects are listed newest first and found whatever the case', async t => {
  let day = 1
  const store = openTestStore(t.testdir(), { now: () => new Date(Date.UTC(2026, 0, day++)) })
  for (const name of ['Alpha', 'beta', 'Gamma']) await store.createProject(name)
  await store.createProject('Alpha')
  t.same(await store.listProjects(), ['Gamma', 'beta', 'Alpha'])
  t.equal(await store.findProject('ALPHA'), 'Alpha')
  t.equal(await store.findProject('../Alpha'), null)
  t.equal(await store.readManifest('beta'), null)
  await t.rejects(store.openReader('beta'), { code: 'INDEX_NOT_READY' })
  await t.rejects(store.openReader('delta'), { code: 'PROJECT_NOT_FOUND' })
})

test('a deleted project is gone, and deleting it again says so', async t => {
  const root = t.testdir()
  const store = openTestStore(root)
  await publish(store, 'shop', FILES)
  t.ok((await store.storeBytes('shop')) > 10_000)
  await store.deleteProject('shop')
  t.same(readdirSync(root), [])
  t.equal(await store.storeBytes('shop'), 0)
  await t.rejects(store.deleteProject('shop'), { code: 'PROJECT_NOT_FOUND' })
})
