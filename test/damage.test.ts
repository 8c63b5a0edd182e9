import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { InjectOptions } from 'fastify'
import { test, type Test } from 'tap'
import { buildApp, cloneInto, type TestApp } from './helpers/build-app.ts'
import { cloneShop } from './helpers/cloned-shop.ts'
import { DAMAGES, filesIn } from './helpers/damage.ts'
import { someOf } from './helpers/property-runs.ts'
import { SHOP_TRACE } from './helpers/sample-repository.ts'
import { openFolder } from './helpers/sandbox.ts'
import { scriptedJob } from './helpers/scripted-job.ts'

const DEFINITIONS = {
  generate: scriptedJob(async job => {
    const files = new Map([
      ['src/a.txt', 'kept bytes'],
      ['b.txt', 'more of them'],
    ])
    await job.step('write', () => job.files.put(files))
    return job.step('tell', async () => {
      await job.setDiff('the diff')
      await job.setPatch('the patch')
      return { files: await job.files.list() }
    })
  }),
}

/** The folders of a server with two projects of one repository and an ended job; its remote goes on. */
async function makeFolders(t: Test) {
  const root = openFolder(t)
  const built = await buildApp(t, { root, definitions: DEFINITIONS })
  const shop = await cloneShop(t, built)
  await cloneInto(t, built, { url: shop.dir, project_name: 'other' })
  await built.services.idle()
  const { id } = (await built.services.jobs.create('generate', {})).job
  await built.services.jobs.settled(id, 20_000)
  await built.close()
  let commits = 0
  const advance = () => shop.commit({ 'src/shop/more.py': `number = ${commits++}\n` })
  return { root, id, url: shop.dir, advance }
}

const resolve = (projectName: string, more: object = {}) =>
  ({
    method: 'POST',
    url: '/resolve',
    body: { project_name: projectName, stacktrace: SHOP_TRACE, mode: 'context', ...more },
  }) as const

const requestsOf = (id: string): Array<InjectOptions | string> => [
  ...['/health', '/ready', '/metrics', '/projects'],
  ...['shop', 'other'].flatMap(name => [`/projects/${name}`, `/projects/${name}/search?q=average`]),
  ...['', '/events', '/files', '/files/src/a.txt', '/archive', '/diff', '/patch', '/transcript'].map(
    part => `/jobs/${id}${part}`,
  ),
  '/jobs',
  resolve('shop'),
  resolve('other'),
  resolve('shop', { ref: 'main' }),
  { method: 'PATCH', url: '/projects/shop', body: { in_app_exclude: ['x/**'] } },
  { method: 'POST', url: `/jobs/${id}/cancel` },
]

/** Every answer is one, and each that is an error names a way out. */
async function askEverything(t: Test, { app, services }: TestApp, id: string): Promise<void> {
  for (const request of requestsOf(id)) {
    const res = await app.inject(request)
    const what = `${JSON.stringify(request)} ${res.body.slice(0, 500)}`
    t.ok(res.statusCode < 500, what)
    if (res.statusCode >= 400) t.match(res.json(), { detail: /\.$/, fix: /[A-Z]/ }, what)
  }
  await services.jobs.retry(id, {}, { fromStep: 'tell' }).catch((error: unknown) => {
    t.match(error, { code: /^(DATA_DAMAGED|JOB_NOT_FOUND)$/, fix: /[A-Z]/ })
  })
}

/** The undamaged project is not touched, and POST /clone makes the damaged one whole. */
async function mend(t: Test, built: TestApp, url: string): Promise<void> {
  const { data } = (await built.app.inject('/projects')).json() as { data: Array<{ project_name: string }> }
  t.same(data.map(project => project.project_name).sort(), ['other', 'shop'])
  for (const name of ['shop', 'other']) {
    await cloneInto(t, built, { url, project_name: name })
    t.match((await built.app.inject(`/projects/${name}`)).json(), { index_state: 'ready', problem: null })
    t.equal((await built.app.inject(resolve(name))).statusCode, 200)
    t.match((await built.app.inject(`/projects/${name}/search?q=average`)).json(), { data: [{ path: String }] })
  }
}

/** A server is started for each case; five has no divisor in common with the number of ways, so each way is tried. */
const EVERY = 5

test('whatever file is damaged, every route answers, says what helps, and POST /clone mends', async t => {
  const { root: whole, id, url, advance } = await makeFolders(t)
  const files = ['data', 'vector_store', 'cloned_repos'].flatMap(folder =>
    filesIn(join(whole, folder)).map(file => join(folder, file)),
  )
  const cases = files.flatMap(file => Object.entries(DAMAGES).map(([how, damage]) => ({ file, how, damage })))
  t.ok(files.length > 25, 'every kind of file is there')
  for (const { file, how, damage } of someOf(cases.filter((_, index) => index % EVERY === 0))) {
    await t.test(`${file}: ${how}`, async t => {
      const root = openFolder(t)
      cpSync(whole, root, { recursive: true, verbatimSymlinks: true })
      damage(join(root, file))
      const opening = buildApp(t, { root, definitions: DEFINITIONS, env: { ALLOW_LOCAL_REPOS: join(whole, 'repos') } })
      const built = await opening.catch((error: unknown) => {
        t.equal(file, 'data/jobs.sqlite', 'the server starts with any other file damaged')
        t.match(error, { code: 'DATA_DAMAGED', message: /^The job database .*\.$/, fix: /put back a copy/ })
        return null
      })
      if (built === null) return
      await askEverything(t, built, id)
      advance()
      await mend(t, built, url)
      await built.close()
      rmSync(root, { recursive: true, force: true })
    })
  }
})

test('a clone that fails does not take back a project whose index is only damaged', async t => {
  const built = await buildApp(t, { root: openFolder(t) })
  const { dir: url } = await cloneShop(t, built)
  rmSync(url, { recursive: true })
  for (const file of ['CURRENT', '000001/manifest.json']) {
    rmSync(join(built.root, 'vector_store', 'shop', file))
    const res = await built.app.inject({ method: 'POST', url: '/clone?wait=60', body: { url, project_name: 'shop' } })
    t.not(res.json().status, 'succeeded')
    t.equal((await built.app.inject('/projects/shop')).statusCode, 200, `${file} is missing`)
  }
})
