import { lstatSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test, type Test } from 'tap'
import { loadConfig } from '../../src/config.ts'
import { createServices, type ServiceOptions } from '../../src/services/services.ts'
import { buildApp } from '../helpers/build-app.ts'
import { cloneShop } from '../helpers/cloned-shop.ts'
import { INLINE_THREADS } from '../helpers/inline-threads.ts'
import { SHOP_TRACE } from '../helpers/sample-repository.ts'
import { testFolder } from '../helpers/test-folder.ts'

const BY = { keyName: 'test', requestId: null }

async function openIn(t: Test, root: string, options: ServiceOptions = { readOnly: true }) {
  const log = { info() {}, warn() {}, error() {} }
  const services = await createServices(loadConfig({ root, env: {} }), log, { starter: INLINE_THREADS, ...options })
  t.teardown(() => services.close())
  return services
}

/** All files with what tells that one was written; SQLite keeps how a database is shared in two files beside it. */
function filesBelow(root: string): string[] {
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter(name => !/\.sqlite-(?:wal|shm)$/.test(name))
    .map(name => {
      const stats = lstatSync(join(root, name), { bigint: true })
      return `${name} ${stats.ino} ${stats.size} ${stats.isDirectory() ? '' : stats.mtimeNs}`
    })
    .sort()
}

test('who only looks sees all that there is beside the process that holds the folders', async t => {
  const root = testFolder(t)
  const built = await buildApp(t, { root })
  await cloneShop(t, built)
  const services = await openIn(t, root)
  t.match(await services.projects.list(10, null), { projects: [{ projectName: 'shop' }] })
  const [job] = await services.jobs.list({}, 10, null)
  t.match(job, { type: 'clone', status: 'succeeded' })
  t.ok((await services.jobs.events(job?.id ?? '', 0)).length > 2)
  t.match(await services.resolving.search('shop', 'average', 5), { hits: [{ repository: 'shop' }] })
  const resolved = await services.resolving.resolve({ stacktrace: SHOP_TRACE, project_name: 'shop', mode: 'context' })
  t.ok(resolved.sources.length > 0)
  t.match(await services.audit.page({ limit: 5 }, null), { data: [{ action: /^run/ }] })
  await cloneShop(t, built)
  t.equal((await services.jobs.list({}, 10, null)).length, 2, 'also what came later')
})

test('who only looks writes nothing', async t => {
  const root = testFolder(t)
  const built = await buildApp(t, { root })
  await cloneShop(t, built)
  await built.close()
  const before = filesBelow(root)
  const services = await openIn(t, root)
  await services.sweep()
  await services.projects.get('shop')
  await services.resolving.search('shop', 'average', 5)
  const question = { stacktrace: SHOP_TRACE, project_name: 'shop', mode: 'context' as const }
  const { id } = await services.resolving.resolve(question)
  await services.resolving.resolve({ ...question, ref: 'no-such-tag' }).catch(() => {})
  await services.close()
  t.strictSame(filesBelow(root), before)

  const again = await openIn(t, root)
  await t.rejects(
    again.resolutions.get(id, () => true),
    { code: 'RESOLUTION_NOT_FOUND' },
    'the answer was not kept',
  )
  await t.rejects(again.start(), { code: 'DATA_DIR_LOCKED' })
  await t.rejects(again.removeProject('shop', {}, BY), { code: 'DATA_DIR_LOCKED' })
  await t.rejects(again.changeProject('shop', { sync: null }, BY), { code: 'DATA_DIR_LOCKED' })
  const [job] = await again.jobs.list({}, 1, null)
  const input = await again.jobs.input(job?.id ?? '')
  await t.rejects(again.jobs.retry(job?.id ?? '', input), /readonly|cannot be written/, 'SQLite itself refuses')
  t.strictSame(filesBelow(root), before)
})

test('where nothing was written yet there is nothing to see, and looking makes nothing', async t => {
  const root = testFolder(t)
  const services = await openIn(t, root)
  t.strictSame(await services.jobs.list({}, 5, null), [])
  t.strictSame(await services.projects.list(5, null), { projects: [], next: null })
  await services.close()
  t.strictSame(readdirSync(root), [])
})

test('a database of an earlier format is brought up to date first, under the lock', async t => {
  const root = testFolder(t)
  mkdirSync(join(root, 'data'))
  writeFileSync(join(root, 'data', 'jobs.sqlite'), '') // SQLite takes it for one of no format at all
  const services = await openIn(t, root)
  t.equal(services.prove('x')?.length, 64, 'it holds the lock')
  t.strictSame(await services.jobs.list({}, 5, null), [])
})
