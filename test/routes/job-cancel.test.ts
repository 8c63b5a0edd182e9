import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { test, type Test } from 'tap'
import { startModelServer } from '../fakes/model-server.ts'
import type { JobContext } from '../../src/jobs/job-context.ts'
import { buildApp, cloneInto, type TestApp } from '../helpers/build-app.ts'
import { cloneShop } from '../helpers/cloned-shop.ts'
import { startGitHttpServer } from '../helpers/git-http-server.ts'
import { createGitRepository } from '../helpers/git-repository.ts'
import { openJobs } from '../helpers/open-jobs.ts'
import { eventually, processesWith } from '../helpers/processes.ts'
import { SHOP_TRACE } from '../helpers/sample-repository.ts'
import { inJail, testSandbox } from '../helpers/sandbox.ts'
import { scriptedJob } from '../helpers/scripted-job.ts'
import { testFolder } from '../helpers/test-folder.ts'

async function cancel(t: Test, { app }: Pick<TestApp, 'app'>, id: string): Promise<void> {
  const res = await app.inject({ method: 'POST', url: `/jobs/${id}/cancel` })
  t.match(
    { status: res.statusCode, job: res.json() },
    { status: 202, job: { id, status: 'cancelled', request: null, error: null, result: null, queue_position: null } },
  )
  const events = (await app.inject(`/jobs/${id}/events`)).json().data
  t.match(events.slice(-2), [
    { event: 'status', data: { status: 'cancelled' } },
    { event: 'done', data: { status: 'cancelled' } },
  ])
  t.match((await app.inject({ method: 'POST', url: `/jobs/${id}/cancel` })).json(), {
    status: 409,
    code: 'JOB_FINISHED',
  })
}

const transcriptOf = async ({ app }: Pick<TestApp, 'app'>, id: string) =>
  (await app.inject(`/jobs/${id}/transcript`)).json().data

test(
  'cancelled while a program runs in the sandbox: the whole tree of it ends, files, diff and transcript ' +
    'stay, the workspace goes',
  inJail,
  async t => {
    const { sandbox, workspacesDir } = await testSandbox(t)
    const began = Promise.withResolvers<undefined>()
    const marker = `${987_000 + (process.pid % 1000)}.25`
    const built = await buildApp(t, {
      env: { WORKSPACES_DIR: workspacesDir },
      definitions: {
        generate: scriptedJob(async ({ step, files, setDiff, record, workspace }: JobContext) => {
          await step('draft', async () => {
            await files.put(new Map([['a.txt', 'kept']]))
            await setDiff('the diff')
            await record({
              kind: 'command',
              argv: ['first'],
              exitCode: 0,
              signal: null,
              stdout: '',
              stderr: '',
              timedOut: false,
              durationMs: 1,
              sandboxed: true,
            })
          })
          await step('run', async signal => {
            const folder = await workspace('run')
            await sandbox.fill(
              folder,
              new Map([['run.sh', `sleep ${marker} & setsid sleep ${marker} & sleep ${marker}`]]),
            )
            const running = sandbox.run({ argv: ['/bin/bash', 'run.sh'], workspace: folder, signal })
            eventually(() => processesWith(`sleep ${marker}`).length >= 3).then(() => began.resolve(undefined), t.threw)
            const { killedBy } = await running
            await files.put(new Map([['after.txt', String(killedBy)]])) // a body may keep what came of it until then
          })
        }),
      },
    })
    const { id } = (await built.services.jobs.create('generate', {})).job
    await began.promise
    t.ok(processesWith(`sleep ${marker}`).length >= 3)
    await cancel(t, built, id)
    t.ok(await eventually(() => processesWith(`sleep ${marker}`).length === 0), 'nothing of it is left')
    t.equal((await built.app.inject(`/jobs/${id}/files/a.txt`)).body, 'kept')
    t.equal((await built.app.inject(`/jobs/${id}/diff`)).body, 'the diff')
    t.match(await transcriptOf(built, id), [{ kind: 'created' }, { kind: 'command', argv: ['first'], exit_code: 0 }])
    t.equal((await built.app.inject({ method: 'DELETE', url: `/jobs/${id}` })).statusCode, 204)
    t.same(await built.services.jobs.list({}, 10, null), [])
  },
)

test(
  'cancelled while a model answers: the connection is closed, what was sent stays in the transcript and ' +
    'the tokens in the events',
  async t => {
    const model = await startModelServer({ otherwise: { text: 'one two three four five', hangAfter: 3 } })
    t.teardown(() => model.close())
    const built = await buildApp(t, { env: { LLM_BASE_URL: model.baseUrl, LLM_MODEL: 'm', LLM_API_KEY: 'k' } })
    await cloneShop(t, built)
    const { id } = (
      await built.app.inject({
        method: 'POST',
        url: '/resolve',
        headers: { prefer: 'respond-async' },
        body: { project_name: 'shop', stacktrace: SHOP_TRACE },
      })
    ).json()
    const request = await model.waitForRequest(1)
    t.ok(
      await eventually(async () => (await built.services.jobs.events(id, 0)).some(({ event }) => event === 'token')),
      'it streams',
    )
    await cancel(t, built, id)
    t.equal(await request.hungUp, true)
    t.ok(await eventually(async () => (await transcriptOf(built, id)).length === 3))
    t.match(await transcriptOf(built, id), [
      { kind: 'created' },
      { kind: 'messages', model: 'm' },
      { kind: 'model_error', code: 'CANCELLED' },
    ])
    t.equal(model.requests.length, 1, 'and not asked again')
  },
)

test('cancelled while git clones: git ends, and the project can be cloned again', async t => {
  const root = testFolder(t)
  const remote = createGitRepository(join(root, 'remotes', 'shop.git'), {
    files: { 'a.py': 'def a():\n    return 1\n' },
  })
  const server = await startGitHttpServer(join(root, 'remotes'), { stall: true })
  t.teardown(() => server.close())
  mkdirSync(join(root, 'server'))
  const built = await buildApp(t, {
    root: join(root, 'server'),
    env: { ALLOW_PRIVATE_HOSTS: 'true', ALLOW_LOCAL_REPOS: join(root, 'remotes') },
  })
  const { id } = (
    await built.app.inject({ method: 'POST', url: '/clone', body: { url: `${server.url}/shop.git` } })
  ).json()
  await server.stalled
  const ofGit = () => processesWith(`127.0.0.1:${server.port}`)
  t.ok(ofGit().length > 0, 'git runs')
  await cancel(t, built, id)
  t.ok(await eventually(() => ofGit().length === 0), ofGit().join())
  server.behaviour.stall = false
  t.match(await cloneInto(t, built, { url: remote.dir, project_name: 'shop' }), { result: { files_indexed: 1 } })
})

test(
  'cancelled while it is queued it never begins, and those behind it move up; while it waits, what it kept ' + 'stays',
  async t => {
    const began: string[] = []
    const built = await buildApp(t, {
      env: { JOBS_CONCURRENCY: '1' },
      definitions: {
        generate: scriptedJob(async ({ id, signal }) => {
          began.push(id)
          await new Promise((_resolve, reject) => {
            signal.addEventListener('abort', () => reject(signal.reason), { once: true })
          })
        }),
        improve: scriptedJob(async ({ ask, step, files, setDiff }) => {
          await step('edit', async () => {
            await files.put(new Map([['a.txt', 'edited']]))
            await setDiff('a diff')
          })
          return await ask('review', { kind: 'review_changes', diff: 'a diff', rejectedHunks: [] })
        }),
      },
    })
    const { jobs } = built.services
    const waiting = (await jobs.create('improve', {})).job.id
    await jobs.settled(waiting, 10_000)
    const made = await Array.fromAsync([1, 2, 3], async () => (await jobs.create('generate', {})).job.id)
    const [running, queued, last] = made as [string, string, string]
    t.ok(await eventually(() => began.length === 1))
    t.match((await built.app.inject(`/jobs/${last}`)).json(), { status: 'queued', queue_position: 1 })
    await cancel(t, built, queued)
    t.match((await built.app.inject(`/jobs/${last}`)).json(), { status: 'queued', queue_position: 0 })
    await cancel(t, built, waiting)
    t.match(
      (await built.app.inject({ method: 'POST', url: `/jobs/${waiting}/reply`, body: { decision: 'approve' } })).json(),
      { status: 409, code: 'NOT_WAITING', fix: /retry/ },
    )
    t.equal((await built.app.inject(`/jobs/${waiting}/diff`)).body, 'a diff')
    t.equal((await built.app.inject(`/jobs/${waiting}/files/a.txt`)).body, 'edited')
    await cancel(t, built, running)
    t.ok(await eventually(() => began.length === 2))
    t.same(began, [running, last])
    await cancel(t, built, last)
  },
)

const NO_USAGE = { llmCalls: 0, promptTokens: 0, completionTokens: 0, usd: null }

test('a body that ignores its signal loses its slot after a while, and what it still does changes nothing', async t => {
  const late = Promise.withResolvers<undefined>()
  const ended = Promise.withResolvers<unknown[]>()
  const { jobs, errors } = await openJobs(
    t,
    {
      generate: scriptedJob(async ({ input, files, setDiff, record, addUsage, step, log, workspace }) => {
        if (input.ignores !== true) return 'well'
        await files.put(new Map([['a.txt', 'before']]))
        await late.promise
        log('late')
        const tries = [
          () => files.put(new Map([['a.txt', 'late']])),
          async () => setDiff('late'),
          async () => record({ kind: 'model_error', model: 'm', code: 'X', message: '', usage: NO_USAGE }),
          async () => addUsage(NO_USAGE),
          () => step('late', async () => 1),
          () => workspace('late'),
        ]
        ended.resolve(
          await Promise.all(
            tries.map(run =>
              run().then(
                () => 'done',
                () => 'refused',
              ),
            ),
          ),
        )
        return 'late'
      }),
    },
    { concurrency: 1, graceMs: 50 },
  )
  const { id } = (await jobs.create('generate', { ignores: true, exclusive: 'k' })).job
  t.ok(await eventually(async () => (await jobs.files(id)).length === 1))
  const next = (await jobs.create('generate', { exclusive: 'k' })).job.id
  await jobs.cancel(id)
  t.match(await jobs.get(id), { status: 'cancelled' })
  t.match(await jobs.settled(next, 10_000), { status: 'succeeded', result: 'well' }, 'the next one gets the slot')
  t.match(errors, [{ name: 'IgnoredSignal', message: /went on for 0.05 s after its signal/ }])
  const before = (await jobs.events(id, 0)).length
  late.resolve(undefined)
  t.same(await ended.promise, ['refused', 'refused', 'refused', 'refused', 'refused', 'refused'])
  t.match(await jobs.get(id), { status: 'cancelled', result: null })
  t.equal((await jobs.events(id, 0)).length, before)
  t.equal((await jobs.readFile(id, 'a.txt')).toString(), 'before')
  await jobs.remove(id)
  t.equal(errors.length, 1)
})

test(
  'a body that catches its wait and goes on without end waits all the same, and the reply gets a run of ' + 'its own',
  async t => {
    const never = Promise.withResolvers<undefined>()
    t.teardown(() => never.resolve(undefined))
    let runs = 0
    const { jobs } = await openJobs(
      t,
      {
        generate: scriptedJob(async ({ ask }) => {
          runs++
          try {
            return await ask('q', { kind: 'clarification', question: 'What?' })
          } catch {
            await never.promise
          }
        }),
      },
      { concurrency: 1, graceMs: 50 },
    )
    const { id } = (await jobs.create('generate', {})).job
    t.match(await jobs.settled(id, 10_000), { status: 'waiting' })
    await jobs.reply(id, { answer: 'that' }, null)
    t.match(await jobs.settled(id, 10_000), { status: 'succeeded', result: { answer: 'that' } })
    t.equal(runs, 2)
  },
)
