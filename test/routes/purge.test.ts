import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'tap'
import { startTelegram } from '../fakes/telegram.ts'
import { buildApp, cloneInto } from '../helpers/build-app.ts'
import { eventually } from '../helpers/processes.ts'
import { createShop } from '../helpers/sample-repository.ts'
import { scriptedJob } from '../helpers/scripted-job.ts'

const SECRET = 'purge-me-completely-7f3a'

/** Whether a text is in any file of a folder. */
function isAnywhere(folder: string, text: string): boolean {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .some(entry => readFileSync(join(entry.parentPath, entry.name)).includes(text))
}

const definitions = {
  task: scriptedJob(async ({ step, files, log, ask, input }) => {
    const said = String(input.prompt)
    await step('write', () => files.put(new Map([['run.sh', said]])))
    log(said)
    if (input.asks === true) await ask('q', { kind: 'clarification', question: said })
    return said
  }),
}

test('a purged project leaves nothing behind but who purged it and when', async t => {
  const built = await buildApp(t, { definitions, env: { API_KEYS: 'ada:ada-has-a-key-of-some-length' } })
  const { app, services, reposDir, root } = built
  const headers = { authorization: 'Bearer ada-has-a-key-of-some-length' }
  const { dir } = createShop(join(reposDir, 'shop.git'))
  for (const name of ['shop', 'api']) {
    const body = { url: dir, project_name: name }
    await app.inject({ method: 'POST', url: '/clone?wait=60', headers, body })
  }
  const make = async (input: Record<string, string | boolean>) => {
    const { job } = await services.jobs.create('task', { prompt: SECRET, ...input }, { keyName: 'ada' })
    return services.jobs.settled(job.id, 10_000)
  }
  const first = await make({ project_name: 'shop', description: SECRET })
  for (let i = 0; i < 12; i++) await make({ project_name: 'SHOP' })
  const other = await make({ project_name: 'api', prompt: 'other', description: 'other' })
  const waiting = await make({ project_name: 'shop', asks: true })
  const folder = join(root, 'data', 'workspaces', first.id)
  t.ok(existsSync(folder))

  const busy = await app.inject({ method: 'DELETE', url: '/projects/shop?purge=true', headers })
  t.match(busy.json(), { code: 'PROJECT_BUSY' })
  t.equal((await app.inject({ url: `/jobs/${first.id}`, headers })).statusCode, 200, 'nothing has gone')
  await app.inject({ method: 'POST', url: `/jobs/${waiting.id}/cancel`, headers })
  const res = await app.inject({ method: 'DELETE', url: '/projects/SHOP?purge=true', headers })
  t.equal(res.statusCode, 204, res.body)

  t.equal((await app.inject({ url: `/jobs/${first.id}`, headers })).statusCode, 404)
  t.same((await app.inject({ url: '/jobs?project_name=shop', headers })).json().data, [])
  t.match((await app.inject({ url: '/tasks', headers })).json().data, [{ project_name: 'api' }])
  t.equal((await app.inject({ url: '/tasks/1', headers })).statusCode, 404)
  t.equal(existsSync(folder), false)
  t.equal((await app.inject({ url: `/jobs/${other.id}`, headers })).statusCode, 200, 'of another project')
  const audit = (await app.inject({ url: '/audit?project_name=shop', headers })).json().data
  t.match(audit, [{ action: 'project.purge', key: 'ada', target: 'shop', at: /^20/, outcome: 'done' }])
  t.equal(audit.length, 1)
  t.match((await app.inject({ url: '/audit?project_name=api', headers })).json().data, [{}, {}])
  await built.close()
  t.equal(isAnywhere(join(root, 'data'), SECRET), false, 'also no page of the database')
})

test('a project that was deleted can still be purged, one that never was cannot', async t => {
  const built = await buildApp(t, { definitions })
  const { app, services, reposDir } = built
  await cloneInto(t, built, { url: createShop(join(reposDir, 'shop.git')).dir })
  await app.inject({ method: 'DELETE', url: '/projects/shop' })
  const remove = (query: string) => app.inject({ method: 'DELETE', url: `/projects/shop${query}` })
  t.match((await remove('')).json(), { code: 'PROJECT_NOT_FOUND' })
  t.equal((await remove('?purge=true')).statusCode, 204)
  t.same((await app.inject('/jobs')).json().data, [])
  t.match((await remove('?purge=true')).json(), { code: 'PROJECT_NOT_FOUND' }, 'nothing is left')
  t.match((await app.inject('/audit')).json().data.length, 1)
  t.equal((await remove('?purge=yes')).statusCode, 400)
  await services.idle()
})

test('no notification of a purged project stays, also none that is being sent', async t => {
  const telegram = await startTelegram(t)
  const built = await buildApp(t, { definitions, env: telegram.env })
  const { app, services, reposDir, root, logged } = built
  const { dir } = createShop(join(reposDir, 'shop.git'))
  for (const name of ['shop', 'api']) await cloneInto(t, built, { url: dir, project_name: name })
  const make = async (project: string) => {
    const input = { prompt: SECRET, asks: true, project_name: project, notify: ['waiting', 'done'] }
    const { job } = await services.jobs.create('task', input, { keyName: null })
    return (await services.jobs.settled(job.id, 10_000)).id
  }
  const ids = [await make('shop'), await make('SHOP'), await make('api')]
  await telegram.message(3)
  const send = telegram.hold('sendMessage')
  for (const id of ids.slice(0, 2)) await services.jobs.cancel(id)
  const sends = () => telegram.calls.filter(({ method }) => method === 'sendMessage').length
  t.ok(await eventually(() => sends() === 4), 'one is being sent, one waits for that')
  const res = await app.inject({ method: 'DELETE', url: '/projects/shop?purge=true' })
  t.equal(res.statusCode, 204, res.body)
  send()
  const last = await make('api')
  t.ok(await eventually(() => telegram.messages.some(({ text }) => text.includes(last))))
  t.equal(telegram.messages.length, 5, 'what was not sent yet is not sent any more')
  await built.close()
  t.same(logged, [])
  const db = new DatabaseSync(join(root, 'data', 'jobs.sqlite'), { readOnly: true })
  t.teardown(() => db.close())
  const jobs = db
    .prepare('SELECT DISTINCT jobs.id FROM notifications LEFT JOIN jobs ON seq = job_seq ORDER BY seq')
    .all()
  t.same(
    jobs.map(({ id }) => id),
    [ids[2], last],
  )
})
