import { readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'tap'
import { NO_SETTINGS } from '../../src/core/project.ts'
import { DAMAGES } from '../helpers/damage.ts'
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

test('a project whose project.json is damaged is listed, says so, and is made whole by making it again', async t => {
  const settings = { ...NO_SETTINGS, inAppExclude: ['x/**'] }
  for (const [how, damage] of Object.entries(DAMAGES)) {
    const root = t.testdir()
    const store = openTestStore(root)
    await publish(store, 'shop', FILES)
    await store.createProject('other')
    await store.writeSettings('shop', settings)
    t.equal(await store.createProject('shop'), 'whole')
    t.same(await store.readSettings('shop'), settings)
    damage(join(root, 'shop', 'project.json'))
    t.same((await store.listProjects()).sort(), ['other', 'shop'], how)
    const broken = { code: 'INDEX_INCOMPATIBLE', message: /project\.json of project shop/, fix: /POST \/clone.*"shop"/ }
    await t.rejects(store.readSettings('shop'), broken, how)
    await t.rejects(store.writeSettings('shop', settings), broken, how)
    t.match(await store.readManifest('shop'), { indexState: 'ready' }, 'the index is there')
    t.equal(await store.createProject('shop'), 'mended', how)
    t.same(await store.readSettings('shop'), NO_SETTINGS, how)
    await store.deleteProject('shop')
    t.same(await store.listProjects(), ['other'])
  }
})

test('JSON that is no file of a project is damage, too', async t => {
  const root = t.testdir()
  const store = openTestStore(root)
  await store.createProject('shop')
  for (const text of ['null', '[]', '{}', '{"created_at": 1}', '{"created_at": "2026", "settings": []}']) {
    writeFileSync(join(root, 'shop', 'project.json'), text)
    await t.rejects(store.readSettings('shop'), { code: 'INDEX_INCOMPATIBLE' }, text)
  }
})

test("a project that was adopted is this machine's alone, with its settings; one that others know goes with them", async t => {
  const store = openTestStore(t.testdir())
  const origin = { createdAt: '2026-01-02T03:04:05.678Z', settings: { ...NO_SETTINGS, inAppExclude: ['x/**'] } }
  await store.mirrorProject('known', origin)
  await store.mirrorProject('shop', origin)
  t.same(await store.ownProjects(), [])
  await store.adoptProject('shop', origin)
  await store.adoptProject('fresh', { ...origin, settings: null })
  t.same(
    (await store.ownProjects()).sort((a, b) => (a.project < b.project ? -1 : 1)),
    ['fresh', 'shop'].map(project => ({ project, createdAt: origin.createdAt })),
  )
  t.same(await store.readSettings('shop'), origin.settings)
  t.same(await store.readSettings('fresh'), NO_SETTINGS)
  await store.mirrorProject('known', null)
  for (const own of ['shop', 'fresh']) await t.rejects(store.mirrorProject(own, null), { code: 'CONFIG_INVALID' })
  t.same((await store.listProjects()).sort(), ['fresh', 'shop'])
})
