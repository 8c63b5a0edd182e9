import { join } from 'node:path'
import type { Test } from 'tap'
import type { JobAnswer } from '../../src/contract/job.ts'
import type { LocatedAnswer } from '../../src/contract/resolution.ts'
import type { Backend } from '../../src/cli/backend/backend.ts'
import { startModelServer } from '../fakes/model-server.ts'
import { startGitHttpServer } from '../helpers/git-http-server.ts'
import { createShop, SHOP_TRACE } from '../helpers/sample-repository.ts'

export interface OpenedBackend {
  backend: Backend
  /** Repositories below this folder may be cloned by path. */
  reposDir: string
}

/** Opens a backend for one test and closes it in its teardown. */
export type OpenBackend = (t: Test, env?: Record<string, string>) => Promise<OpenedBackend>

const ANSWER = '## Cause\n\nThe cart is empty.\n\n## Fix\n\nReturn 0 for an empty cart.\n'

/**
 * What every implementation of Backend must do. Opening one and its threads takes most of the time, so the tests of a
 * group share one.
 */
export function backendContract(t: Test, open: OpenBackend): void {
  t.test('without a model', async t => {
    const { backend, reposDir } = await open(t)
    const shop = createShop(join(reposDir, 'shop.git'))
    const finished = async (job: JobAnswer) => backend.waitForJob(job.id, {})

    await t.test('a URL that is refused makes no job', async t => {
      await t.rejects(backend.clone({ url: 'ext::sh -c id' }), { code: 'BAD_REPOSITORY_URL' })
      await t.rejects(backend.clone({ url: '/etc' }), { code: 'LOCAL_REPOSITORY_REFUSED', fix: /ALLOW_LOCAL_REPOS/ })
      await t.rejects(backend.clone({ url: 'https://127.0.0.1/a/b.git' }), { code: 'ADDRESS_REFUSED' })
      t.strictSame(await backend.listJobs({ limit: 10 }), { data: [], next_cursor: null })
    })

    await t.test('a clone is a job whose course can be followed to its end', async t => {
      const job = await backend.clone({ url: shop.dir, project_name: 'Shop' })
      t.match(job, { type: 'clone', status: /queued|running/, project_name: 'Shop', result: null })
      const seen: JobAnswer[] = []
      const ended = await backend.waitForJob(job.id, {
        onProgress: latest => {
          seen.push(latest)
        },
      })
      t.match(ended, {
        id: job.id,
        status: 'succeeded',
        error: null,
        result: {
          project_name: 'Shop',
          repository: 'shop',
          branch: 'main',
          commit: /^[0-9a-f]{40}$/,
          files_skipped: { secret: 1 },
          chunks_removed: 0,
        },
      })
      t.strictSame(seen.at(-1), ended)
      t.strictSame(await backend.getJob(job.id), ended)
      await backend.finishBackgroundWork()
    })

    await t.test('a job that fails ends with its error', async t => {
      const job = await backend.clone({ url: shop.dir, branch: 'nowhere', project_name: 'broken' })
      t.match(await finished(job), {
        status: 'failed',
        result: null,
        error: { code: 'BRANCH_NOT_FOUND', message: /nowhere/ },
      })
    })

    await t.test('jobs are listed newest first, filtered and in pages', async t => {
      const first = await backend.listJobs({ limit: 1 })
      t.match(first, { data: [{ project_name: 'broken' }], next_cursor: String })
      t.match(await backend.listJobs({ limit: 1, cursor: first.next_cursor ?? '' }), {
        data: [{ project_name: 'Shop' }],
        next_cursor: null,
      })
      const names = async (query: object) =>
        (await backend.listJobs({ limit: 9, ...query })).data.map(job => job.project_name)
      t.strictSame(await names({}), ['broken', 'Shop'])
      t.strictSame(await names({ project_name: 'Shop', type: 'clone', status: 'succeeded' }), ['Shop'])
      t.strictSame(await names({ status: 'cancelled' }), [])
      await t.rejects(backend.listJobs({ limit: 1, cursor: 'bm90LWEtbnVtYmVy' }), { code: 'VALIDATION_FAILED' })
    })

    await t.test('the events of a job are numbered from 1 and can be read from any of them on', async t => {
      const {
        data: [job],
      } = await backend.listJobs({ limit: 1, project_name: 'Shop' })
      const { data } = await backend.jobEvents(job?.id ?? '', 0)
      t.strictSame(
        data.map(({ id }) => id),
        data.map((_event, index) => index + 1),
      )
      t.equal(data.at(-1)?.event, 'done')
      t.strictSame(await backend.jobEvents(job?.id ?? '', 2), { data: data.slice(2) })
    })

    await t.test('a job is followed live to its end, from any of its events on', async t => {
      const { signal } = new AbortController()
      const job = await backend.clone({ url: shop.dir, project_name: 'Shop' })
      const seen = await Array.fromAsync(backend.followJob(job.id, 0, signal))
      t.strictSame(seen, (await backend.jobEvents(job.id, 0)).data)
      t.equal(seen.at(-1)?.event, 'done')
      t.strictSame(await Array.fromAsync(backend.followJob(job.id, 2, signal)), seen.slice(2))
      await t.rejects(Array.fromAsync(backend.followJob('nope', 0, signal)), { code: 'JOB_NOT_FOUND' })
      await t.rejects(Array.fromAsync(backend.followJob(job.id, 0, AbortSignal.abort(new Error('Ctrl-C')))), /Ctrl-C/)
    })

    await t.test('an ended job can be retried, from a step on if wanted', async t => {
      const {
        data: [job],
      } = await backend.listJobs({ limit: 1, project_name: 'Shop' })
      const again = await backend.retryJob(job?.id ?? '', {})
      t.match(again, { type: 'clone', retry_of: job?.id ?? '', project_name: 'Shop' })
      t.match(await finished(again), { status: 'succeeded', result: { chunks_added: 0 } })
      t.match(await finished(await backend.retryJob(again.id, { from_step: 'index' })), { status: 'succeeded' })
      await t.rejects(backend.retryJob(again.id, { from_step: 'nothing' }), { code: 'BAD_REQUEST', fix: /clone/ })
      await t.rejects(backend.cancelJob(again.id), { code: 'JOB_FINISHED' })
    })

    await t.test('an unknown job is named in the error', async t => {
      await t.rejects(backend.getJob('nope'), { code: 'JOB_NOT_FOUND', message: /nope/ })
      await t.rejects(backend.jobEvents('nope', 0), { code: 'JOB_NOT_FOUND' })
      await t.rejects(backend.cancelJob('../jobs'), { code: 'JOB_NOT_FOUND' })
      await t.rejects(backend.waitForJob('nope', {}), { code: 'JOB_NOT_FOUND' })
      await t.rejects(backend.retryJob('nope', {}), { code: 'JOB_NOT_FOUND' })
    })

    await t.test('what a job has said is read, and an ended job forgotten', async t => {
      const job = await finished(await backend.clone({ url: shop.dir, project_name: 'Shop' }))
      t.match(await backend.jobTranscript(job.id), { data: [{ kind: 'created', type: 'clone' }] })
      await t.rejects(backend.jobText(job.id, 'diff'), { code: 'NOT_FOUND' })
      await t.rejects(backend.jobText(job.id, 'patch'), { code: 'NOT_FOUND' })
      await backend.removeJob(job.id)
      await t.rejects(backend.jobTranscript(job.id), { code: 'JOB_NOT_FOUND' })
      await t.rejects(backend.removeJob(job.id), { code: 'JOB_NOT_FOUND' })
    })

    await t.test('the settings of a project are changed one by one', async t => {
      t.match(await backend.changeProject('shop', { sync: { every: '15m' } }), { sync: { every: '15m' } })
      t.match(await backend.changeProject('shop', { in_app_exclude: ['vendor/**'] }), {
        sync: { every: '15m' },
        in_app_exclude: ['vendor/**'],
      })
      t.match(await backend.changeProject('shop', { sync: null, in_app_exclude: [] }), { sync: null })
      for (const body of [{ sync: 'often' }, { nothing: 1 }, { in_app_exclude: 'x' }]) {
        await t.rejects(backend.changeProject('shop', body), { code: 'VALIDATION_FAILED' }, JSON.stringify(body))
      }
      await t.rejects(backend.changeProject('nope', { sync: null }), { code: 'PROJECT_NOT_FOUND' })
    })

    await t.test('a search gives places with their text', async t => {
      const { data } = await backend.search('shop', 'average price', 3)
      t.ok(data.length > 0 && data.length <= 3)
      t.match(data[0], {
        repository: 'shop',
        path: String,
        start_line: 1,
        end_line: Number,
        score: Number,
        reason: /lexical|similar/,
        snippet: /average/,
      })
      await t.rejects(backend.search('nope', 'x', 3), { code: 'PROJECT_NOT_FOUND' })
    })

    await t.test('a stack trace is resolved; what was located comes first', async t => {
      const heard: LocatedAnswer[] = []
      const resolution = await backend.resolve(
        { stacktrace: SHOP_TRACE, project_name: 'shop' },
        {
          onLocated: located => {
            heard.push(located)
          },
        },
      )
      t.match(resolution, {
        project_name: 'Shop',
        exceptions: [{ type: 'ZeroDivisionError', message: 'division by zero' }],
        frames: [
          { path: 'src/shop/cart.py', code_line: 9 },
          { path: 'src/shop/prices.py', code_line: 6 },
        ],
        context: />>> {2}6 \| {5}return total \/ len\(items\)/,
        answer: null,
        answer_status: 'not_configured',
      })
      t.equal(heard.length, 1)
      t.match(resolution, heard[0] ?? {})
      t.match(await backend.resolve({ stacktrace: SHOP_TRACE, project_name: 'shop', mode: 'context' }), {
        answer_status: 'not_requested',
      })
    })

    await t.test('refusals of a resolution keep their codes', async t => {
      await t.rejects(backend.resolve({ stacktrace: SHOP_TRACE, project_name: 'nope' }), { code: 'PROJECT_NOT_FOUND' })
      await t.rejects(backend.resolve({ stacktrace: '---', project_name: 'shop' }), { code: 'NO_STACK_TRACE' })
      await t.rejects(backend.resolve({ stacktrace: SHOP_TRACE, project_name: 'shop', exception: 7 }), {
        code: 'EXCEPTION_NOT_FOUND',
      })
    })

    await t.test('it says what works', async t => {
      t.match(await backend.ready(), {
        ready: true,
        git: { available: true, version: /^\d/ },
        llm: { configured: false, model: null },
        embedding: { provider: 'local' },
      })
    })

    await t.test('projects are listed in pages, shown and deleted', async t => {
      t.match(await finished(await backend.clone({ url: shop.dir, project_name: 'another' })), { status: 'succeeded' })
      await backend.finishBackgroundWork()
      const first = await backend.listProjects({ limit: 1 })
      t.match(first, { data: [{ project_name: 'another', index_state: 'ready' }], next_cursor: String })
      t.match(await backend.listProjects({ limit: 1, cursor: first.next_cursor ?? '' }), {
        data: [{ project_name: 'Shop' }],
        next_cursor: null,
      })
      t.match(await backend.getProject('SHOP'), {
        project_name: 'Shop',
        index_state: 'ready',
        repositories: [{ repository: 'shop', branch: 'main' }],
        languages: { python: 4 },
      })
      t.equal(await backend.deleteProject('shop'), undefined)
      await t.rejects(backend.getProject('shop'), { code: 'PROJECT_NOT_FOUND', message: /shop/ })
      await t.rejects(backend.deleteProject('shop'), { code: 'PROJECT_NOT_FOUND' })
      t.match(await backend.listAudit({ limit: 1, project_name: 'shop' }), {
        data: [{ action: 'project.delete', target: 'Shop', outcome: 'done' }],
        next_cursor: /./,
      })
      t.match((await backend.listAudit({ limit: 5, project_name: 'shop', action: 'run' })).data.at(-1), {
        action: 'run.clone',
      })
      await backend.deleteProject('shop', { purge: true })
      t.match((await backend.listAudit({ limit: 5, project_name: 'shop' })).data.length, 1)
      t.match(await backend.listJobs({ limit: 5, project_name: 'shop' }), { data: [] })
    })
  })

  t.test('with a model', async t => {
    const model = await startModelServer()
    t.teardown(model.close)
    const { backend, reposDir } = await open(t, { LLM_BASE_URL: model.baseUrl, LLM_MODEL: 'scripted' })
    const shop = createShop(join(reposDir, 'shop.git'))
    t.match(await backend.waitForJob((await backend.clone({ url: shop.dir })).id, {}), { status: 'succeeded' })
    const input = { stacktrace: SHOP_TRACE, project_name: 'shop' }

    await t.test('its words come one after the other and make up the answer', async t => {
      model.push({ text: ANSWER })
      const words: string[] = []
      const resolution = await backend.resolve(input, {
        onToken: text => {
          words.push(text)
        },
      })
      t.ok(words.length > 1)
      t.equal(words.join(''), ANSWER)
      t.match(resolution, {
        answer_status: 'ok',
        model: 'scripted',
        answer: { text: ANSWER, explanation: 'The cart is empty.', patch: null },
        usage: { llm_calls: 1 },
      })
    })

    await t.test('a refusal costs the answer and nothing else', async t => {
      model.push({ status: 401 })
      t.match(await backend.resolve({ ...input, locale: 'de' }), {
        answer_status: 'failed',
        answer: null,
        answer_error: { code: 'LLM_REJECTED' },
        frames: [{}, {}],
      })
    })

    await t.test('a pipeline is a job that asks, is answered and keeps files; a dry run calls nobody', async t => {
      t.match(await backend.dryRun('generate', { prompt: 'Say hello' }), {
        messages: [{ role: 'system' }, { role: 'user', content: 'Say hello' }],
        tokens: Number,
      })
      t.match((await backend.dryRun('improve', { prompt: 'Louder', files: { 'a.py': 'x = 1\n' } })).messages, [
        {},
        { content: /x = 1/ },
        { content: 'Louder' },
      ])
      const before = model.requests.length
      model.push(
        { text: 'Which colour?' },
        { text: 'Nothing to clarify.' },
        { text: 'a.py\n```python\nx = 1\n```\n' },
        { text: '```bash\npython3 a.py\n```\n' },
      )
      const job = await backend.startPipeline('generate', { prompt: 'Say hello', mode: 'clarified', execute: 'never' })
      t.match(await backend.waitForJob(job.id, {}), {
        type: 'generate',
        status: 'waiting',
        request: { kind: 'clarification', question: 'Which colour?' },
      })
      await backend.replyToJob(job.id, { answer: 'green' })
      t.match(await backend.waitForJob(job.id, {}), {
        status: 'succeeded',
        result: { files: [{ path: 'a.py' }, { path: 'run.sh' }], run: null },
      })
      t.equal(String(await backend.readJobFile(job.id, 'a.py')), 'x = 1\n')
      t.equal(model.requests.length, before + 4)
      await t.rejects(backend.startPipeline('improve', { prompt: 'Louder' }), { code: 'VALIDATION_FAILED' })
      await t.rejects(backend.startPipeline('self_heal', { prompt: 'Louder', files: { 'a.py': '' } }), {
        code: 'ENTRYPOINT_NOT_FOUND',
      })
    })

    await t.test('a caller that leaves ends the call', async t => {
      model.push({ hang: true })
      const controller = new AbortController()
      const resolving = backend.resolve({ ...input, locale: 'fr' }, { signal: controller.signal })
      const { hungUp } = await model.waitForRequest(model.requests.length + 1)
      controller.abort(new Error('enough'))
      await t.rejects(resolving, { message: 'enough' })
      t.equal(await hungUp, true)
    })
  })

  t.test('a running job is cancelled at once, and whoever waits for it may stop waiting', async t => {
    const { backend, reposDir } = await open(t, { ALLOW_PRIVATE_HOSTS: 'true' })
    createShop(join(reposDir, 'slow.git'))
    const server = await startGitHttpServer(reposDir, { stall: true })
    t.teardown(server.close)
    const job = await backend.clone({ url: `${server.url}/slow.git` })
    await server.stalled
    const controller = new AbortController()
    const waiting = backend.waitForJob(job.id, { signal: controller.signal })
    controller.abort(new Error('enough'))
    await t.rejects(waiting, { message: 'enough' })
    t.match(await backend.getJob(job.id), { status: 'running' })
    t.match(await backend.cancelJob(job.id), { id: job.id, status: 'cancelled' })
    t.match(await backend.waitForJob(job.id, {}), { status: 'cancelled' })
  })
}
