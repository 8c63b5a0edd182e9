import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { test } from 'tap'
import { buildApp, cloneInto, type TestApp } from '../helpers/build-app.ts'
import { CHILD_ENV } from '../helpers/child-env.ts'
import { createShop, SHOP_TRACE } from '../helpers/sample-repository.ts'

const PAGE = readFileSync(fileURLToPath(new URL('../../docs/deploy.md', import.meta.url)), 'utf8')

/** A command of docs/deploy.md, with other folders in place of those of an installed server. */
function documented(begin: string, folders: Record<string, string>): string {
  const command = PAGE.split('\n').find(line => line.startsWith(begin))
  if (command === undefined) throw new Error(`docs/deploy.md has no command ${begin}`)
  return Object.entries(folders).reduce((text, [from, to]) => text.replaceAll(from, to), command)
}

function run(command: string): void {
  const env = { ...CHILD_ENV, PATH: `${join(process.execPath, '..')}:${CHILD_ENV.PATH}` }
  const { status, stderr } = spawnSync('sh', ['-c', command], { env, encoding: 'utf8' })
  // in one line, as a report of tests has no place for more
  if (status !== 0) throw new Error(`${command} ended with ${status}: ${stderr.replaceAll('\n', ' ')}`)
}

const resolvePaths = async ({ app }: Pick<TestApp, 'app'>): Promise<unknown[]> => {
  const answer = await app.inject({
    method: 'POST',
    url: '/resolve',
    body: { project_name: 'shop', stacktrace: SHOP_TRACE, mode: 'context' },
  })
  if (answer.statusCode !== 200) throw new Error(`resolve: ${answer.statusCode} ${answer.body}`)
  return (answer.json() as { frames: Array<{ path: string | null }> }).frames.map(({ path }) => path)
}

test('a copy of the folder of a stopped server is the server again, elsewhere', async t => {
  const before = await buildApp(t, { root: join(t.testdir({ before: {}, after: {} }), 'before') })
  const shop = createShop(join(before.reposDir, 'shop.git'))
  const { id } = await cloneInto(t, before, { url: shop.dir })
  const frames = await resolvePaths(before)
  t.ok(frames.some(path => path !== null))
  await before.services.idle() // what goes on in the background would write into the folder while it is copied
  await before.close()

  const archive = join(t.testdirName, 'faultline.tar.gz')
  const after = join(t.testdirName, 'after')
  run(documented('tar --create', { '/var/lib/faultline': before.root, 'faultline.tar.gz': archive }))
  run(documented('tar --extract', { '/var/lib/faultline': after, 'faultline.tar.gz': archive }))
  const restored = await buildApp(t, { root: after })
  t.same(await resolvePaths(restored), frames)
  t.match((await restored.app.inject('/projects/shop')).json(), { index_state: 'ready', problem: null })
  t.match((await restored.app.inject(`/jobs/${id}`)).json(), { id, type: 'clone', status: 'succeeded' })
  // that the repository itself has moved with the folder is of the test alone
  const again = { url: join(after, 'repos/shop.git'), project_name: 'again' }
  t.match(await cloneInto(t, restored, again), { status: 'succeeded' })
})

test('the job database is copied whole while the server runs, and what it lacks is cloned again', async t => {
  const running = await buildApp(t, { root: join(t.testdir({ running: {}, after: {} }), 'running') })
  const shop = createShop(join(running.reposDir, 'shop.git'))
  const { id } = await cloneInto(t, running, { url: shop.dir })
  const after = join(t.testdirName, 'after')
  mkdirSync(join(after, 'data'), { recursive: true, mode: 0o700 })
  run(documented('node -e', { '/var/lib/faultline': running.root, '/backup/': `${join(after, 'data')}/` }))
  const frames = await resolvePaths(running)
  await running.close()

  const restored = await buildApp(t, { root: after, env: { ALLOW_LOCAL_REPOS: running.reposDir } })
  t.match((await restored.app.inject(`/jobs/${id}`)).json(), { id, type: 'clone', status: 'succeeded' })
  await cloneInto(t, restored, { url: shop.dir })
  t.same(await resolvePaths(restored), frames)
})
