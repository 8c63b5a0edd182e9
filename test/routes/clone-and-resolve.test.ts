import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'tap'
import { startModelServer } from '../fakes/model-server.ts'
import { buildApp, cloneInto } from '../helpers/build-app.ts'
import { cloneShop, resolveShop } from '../helpers/cloned-shop.ts'
import { createGitRepository } from '../helpers/git-repository.ts'
import { loseFolder } from '../helpers/lose-folder.ts'
import { createShop, SHOP_TRACE } from '../helpers/sample-repository.ts'
import { eventsOf } from '../helpers/server-events.ts'

test(
  'a repository is cloned, indexed and a trace resolved to the marked code behind it, without any ' + 'model',
  async t => {
    const built = await buildApp(t)
    const { app, reposDir, services } = built
    const shop = createShop(join(reposDir, 'shop.git'))
    const job = await cloneInto(t, built, { url: shop.dir })
    t.match(job, {
      type: 'clone',
      project_name: 'shop',
      progress: { step: 'index' },
      result: {
        project_name: 'shop',
        repository: 'shop',
        branch: 'main',
        commit: shop.git('rev-parse', 'main'),
        files_indexed: 5,
        files_skipped: { secret: 1 },
        languages: { python: 4, markdown: 1 },
        chunks_removed: 0,
        embedding: { provider: 'local', model: 'hash-512', dimensions: 512 },
        timings_ms: { clone: Number, read: Number, chunk: Number, embed: Number, store: Number, total: Number },
      },
    })

    const res = await resolveShop({ app })
    t.equal(res.statusCode, 200, res.body)
    const resolution = res.json()
    t.match(resolution, {
      id: /^res_/,
      project_name: 'shop',
      index_state: 'ready',
      commit: shop.git('rev-parse', 'main'),
      exceptions: [
        {
          index: 0,
          type: 'ZeroDivisionError',
          message: 'division by zero',
          language: 'python',
          relation: 'root',
          count: 1,
        },
      ],
      frames: [
        { path: 'src/shop/cart.py', line: 9, code_line: 9, in_project: true, match: 'suffix' },
        { path: 'src/shop/prices.py', line: 6, code_line: 6, function: 'average', in_project: true, match: 'suffix' },
      ],
      answer: null,
      answer_status: 'not_configured',
      usage: { llm_calls: 0 },
    })
    t.match(resolution.context, />>> +6 \| {5}return total \/ len\(items\)/)
    t.equal(resolution.sources[0].path, 'src/shop/prices.py', 'the failing frame comes first')
    t.notMatch(res.body, /hunter2/, 'a file that holds secrets is not indexed')
    t.ok(resolution.context_tokens > 0 && resolution.context_tokens <= 16_000)

    await services.idle()
    t.match((await app.inject('/projects/shop')).json(), {
      index_state: 'ready',
      repositories: [{ repository: 'shop', history: 'full', branch: 'main' }],
      files_indexed: 5,
      chunks_total: job.result.chunks_total,
    })
    t.match((await app.inject('/projects')).json(), { data: [{ project_name: 'shop' }], next_cursor: null })
    const search = (await app.inject('/projects/shop/search?q=average+price')).json()
    t.match(
      search.data.find((hit: { path: string }) => hit.path === 'src/shop/prices.py'),
      { start_line: 1, end_line: 6, snippet: /average/, reason: /lexical|similar/ },
    )

    t.equal(
      (await app.inject({ method: 'DELETE', url: '/projects/SHOP' })).statusCode,
      204,
      'names are the same in any case',
    )
    t.equal((await app.inject('/projects/shop')).statusCode, 404)
  },
)

test('the same repository again updates the index: changed files are replaced, deleted ones gone', async t => {
  const built = await buildApp(t)
  const shop = createShop(join(built.reposDir, 'shop.git'))
  const first = await cloneInto(t, built, { url: shop.dir })
  const again = await cloneInto(t, built, { url: shop.dir })
  t.match(again.result, { chunks_added: 0, chunks_removed: 0, commit: first.result.commit })
  shop.commit({ 'src/shop/report.py': null, 'src/shop/tax.py': 'def tax(price):\n    return price // 5\n' })
  const updated = await cloneInto(t, built, { url: shop.dir })
  t.match(updated.result, { chunks_added: 1, chunks_removed: 1, files_indexed: 5 })
  const paths = async (q: string) =>
    (await built.app.inject(`/projects/shop/search?q=${q}`)).json().data.map((hit: { path: string }) => hit.path)
  t.ok((await paths('tax')).includes('src/shop/tax.py'))
  t.notOk((await paths('render')).includes('src/shop/report.py'))
})

test('a text/plain body is the trace, the query the rest', async t => {
  const built = await buildApp(t)
  await cloneShop(t, built)
  const plain = (query: string) =>
    built.app.inject({
      method: 'POST',
      url: `/resolve?${query}`,
      headers: { 'content-type': 'text/plain' },
      payload: SHOP_TRACE,
    })
  const res = await plain('project_name=shop&mode=context&max_context_tokens=4000')
  t.equal(res.statusCode, 200, res.body)
  t.match(res.json(), { answer_status: 'not_requested', frames: { length: 2 } })
  t.match((await plain('project_name=shop&stacktrace=other')).json(), { code: 'VALIDATION_FAILED' })
  t.match((await plain('project_name=shop&max_context_tokens=many')).json(), { code: 'VALIDATION_FAILED' })
  t.match((await plain('mode=context')).json(), { errors: [{ path: 'body/project_name', message: 'is required' }] })
})

test('nothing to search by is 422, and says so', async t => {
  const built = await buildApp(t)
  await cloneShop(t, built)
  const res = await built.app.inject({
    method: 'POST',
    url: '/resolve',
    body: { stacktrace: '---\n***', project_name: 'shop' },
  })
  t.match(res.json(), { status: 422, code: 'NO_STACK_TRACE' })
})

test('with a model the answer comes with its parts, its usage and the model that gave it', async t => {
  await using model = await startModelServer({
    chat: [{ text: '## Cause\nThe list is empty.\n\n## Fix\nReturn 0 for it.\n\n## Code\n```python\nreturn 0\n```' }],
  })
  const built = await buildApp(t, { env: { LLM_BASE_URL: model.baseUrl, LLM_MODEL: 'scripted' } })
  await cloneShop(t, built)
  const res = await resolveShop(built)
  t.match(res.json(), {
    answer_status: 'ok',
    model: 'scripted',
    answer: { text: /The list is empty/, patch: null, patch_status: 'none' },
    usage: { llm_calls: 1 },
    timings_ms: { llm: Number },
  })
  t.equal(model.requests.length, 1)
  const prompt = JSON.stringify(model.requests[0]?.body)
  t.match(prompt, /ZeroDivisionError/)
  t.match(prompt, /return total \/ len/)
})

test('the diff of a model is checked against the commit and comes as a patch that git applies', async t => {
  const diff =
    '--- a/shop/prices.py\n+++ b/shop/prices.py\n@@ -40,3 +40,5 @@ def average(items):\n' +
    ' def average(items):\n     total = sum(item["price"] for item in items)\n+    if not items:\n' +
    '+        return 0\n     return total / len(items)\n'
  await using model = await startModelServer({
    chat: [{ text: `## Cause\nEmpty.\n\n## Fix\nReturn 0.\n\n## Code\n\`\`\`diff\n${diff}\`\`\`` }],
  })
  const built = await buildApp(t, { env: { LLM_BASE_URL: model.baseUrl, LLM_MODEL: 'scripted' } })
  const shop = await cloneShop(t, built)
  const { answer, commit } = (await resolveShop(built)).json()
  t.match(answer, { patch_status: 'applies', patch: /^diff --git a\/src\/shop\/prices\.py b\/src\/shop\/prices\.py\n/ })
  const work = join(built.reposDir, '..')
  writeFileSync(join(work, 'fix.patch'), answer.patch)
  execFileSync('git', ['clone', '-q', shop.dir, join(work, 'work')])
  execFileSync('git', ['-C', join(work, 'work'), 'checkout', '-q', commit])
  execFileSync('git', ['-C', join(work, 'work'), 'apply', join(work, 'fix.patch')])
  t.match(
    readFileSync(join(work, 'work/src/shop/prices.py'), 'utf8'),
    /items\)\n {4}if not items:\n {8}return 0\n {4}return/,
  )
})

test('a model that fails leaves everything else in place', async t => {
  await using model = await startModelServer({ otherwise: { status: 401, body: { error: { message: 'bad key' } } } })
  const built = await buildApp(t, {
    env: { LLM_BASE_URL: model.baseUrl, LLM_MODEL: 'scripted', LLM_API_KEY: 'sk-very-secret-key' },
  })
  await cloneShop(t, built)
  const res = await resolveShop(built)
  t.equal(res.statusCode, 200)
  t.match(res.json(), {
    answer: null,
    answer_status: 'failed',
    answer_error: { code: 'LLM_REJECTED', message: /401/ },
    frames: { length: 2 },
  })
  t.notMatch(res.body, /very-secret/)
})

test('a streamed resolution gives what was located, the tokens and the whole', async t => {
  await using model = await startModelServer({ chat: [{ text: 'The list is empty.' }] })
  const built = await buildApp(t, { env: { LLM_BASE_URL: model.baseUrl, LLM_MODEL: 'scripted' } })
  await cloneShop(t, built)
  const res = await resolveShop(built, { accept: 'text/event-stream' })
  t.equal(res.headers['content-type'], 'text/event-stream; charset=utf-8')
  const events = eventsOf(res.body)
  t.equal(events[0]?.event, 'located')
  t.match(events[0]?.data, { frames: { length: 2 }, context: />>>/ })
  t.equal(
    events
      .filter(({ event }) => event === 'token')
      .map(({ data }) => data.text)
      .join(''),
    'The list is empty.',
  )
  t.match(events.at(-1), { event: 'done', data: { answer: { text: 'The list is empty.' }, answer_status: 'ok' } })
  const missing = await built.app.inject({
    method: 'POST',
    url: '/resolve',
    headers: { accept: 'text/event-stream' },
    body: { stacktrace: SHOP_TRACE, project_name: 'nope' },
  })
  t.match(missing.json(), { code: 'PROJECT_NOT_FOUND' }, 'refused as a plain problem')
})

test('respond-async makes it a job whose result is a list of resolutions', async t => {
  const built = await buildApp(t)
  await cloneShop(t, built)
  const res = await resolveShop(built, { prefer: 'respond-async, wait=30' })
  t.match(res.json(), {
    type: 'resolve',
    status: 'succeeded',
    result: [{ frames: { length: 2 }, answer_status: 'not_configured' }],
  })
})

test('a first clone that fails says why and leaves no project; a later one leaves what was there', async t => {
  const built = await buildApp(t)
  const shop = createShop(join(built.reposDir, 'shop.git'))
  const res = await built.app.inject({
    method: 'POST',
    url: '/clone?wait=60',
    body: { url: shop.dir, branch: 'nope', project_name: 'broken' },
  })
  t.match(res.json(), { status: 'failed', error: { code: 'BRANCH_NOT_FOUND', step: 'clone' } })
  t.match((await built.app.inject('/projects/broken')).json(), { status: 404, code: 'PROJECT_NOT_FOUND' })
  t.same((await built.app.inject('/projects')).json().data, [])

  await cloneInto(t, built, { url: shop.dir, project_name: 'whole' })
  const later = await built.app.inject({
    method: 'POST',
    url: '/clone?wait=60',
    body: { url: shop.dir, branch: 'nope', project_name: 'whole' },
  })
  t.match(later.json(), { status: 'failed', error: { step: 'clone' } })
  t.match((await built.app.inject('/projects/whole')).json(), { index_state: 'ready' })
})

test('two repositories share a project, and each is updated without the other', async t => {
  const built = await buildApp(t)
  const shop = createShop(join(built.reposDir, 'shop.git'))
  const lib = createGitRepository(join(built.reposDir, 'lib.git'), {
    files: { 'lib/rates.py': 'def rate():\n    return 5\n' },
  })
  await cloneInto(t, built, { url: shop.dir, project_name: 'both' })
  const second = await cloneInto(t, built, { url: lib.dir, project_name: 'both' })
  t.match(second.result, { repository: 'lib', files_indexed: 1 })
  t.match((await built.app.inject('/projects/both')).json(), { files_indexed: 6, repositories: { length: 2 } })
  const res = await built.app.inject({
    method: 'POST',
    url: '/resolve',
    body: {
      stacktrace: 'Traceback (most recent call last):\n  File "/x/lib/rates.py", line 2, in rate\nValueError: no',
      project_name: 'both',
    },
  })
  t.match(res.json(), { frames: [{ repository: 'lib', path: 'lib/rates.py' }] })
})

test('a project that is damaged or has lost its clone harms no other, and can be deleted', async t => {
  const built = await buildApp(t)
  const shop = createShop(join(built.reposDir, 'shop.git'))
  for (const name of ['damaged', 'lost', 'whole']) await cloneInto(t, built, { url: shop.dir, project_name: name })
  await built.services.idle()
  const [generation = ''] = readdirSync(join(built.root, 'vector_store', 'damaged')).filter(name => /^\d+$/.test(name))
  writeFileSync(join(built.root, 'vector_store', 'damaged', generation, 'manifest.json'), '{')
  loseFolder(built.root, 'cloned_repos/shop')
  const list = await built.app.inject('/projects')
  t.equal(list.statusCode, 200, list.body)
  t.same(
    list
      .json()
      .data.map((project: { project_name: string; index_state: string }) => [
        project.project_name,
        project.index_state,
      ]),
    [
      ['whole', 'ready'],
      ['lost', 'ready'],
      ['damaged', 'failed'],
    ],
  )
  t.equal((await built.app.inject({ method: 'DELETE', url: '/projects/damaged' })).statusCode, 204)
  t.match(
    await cloneInto(t, built, { url: shop.dir, project_name: 'lost' }),
    { result: { repository: 'shop' } },
    'a clone can always be made again',
  )
})

test('a list of projects is paged newest first, whatever the length of their names', async t => {
  const built = await buildApp(t)
  const shop = createShop(join(built.reposDir, 'shop.git'))
  const names = ['a-project-with-a-rather-long-name-one', 'b', 'x'.repeat(64)]
  for (const name of names) await cloneInto(t, built, { url: shop.dir, project_name: name })
  const seen: string[] = []
  for (let cursor: string | null = ''; cursor !== null;) {
    const page = (await built.app.inject(`/projects?limit=1${cursor === '' ? '' : `&cursor=${cursor}`}`)).json() as {
      data: Array<{ project_name: string }>
      next_cursor: string | null
    }
    seen.push(...page.data.map(project => project.project_name))
    cursor = page.next_cursor
  }
  t.same(seen, names.toReversed())
})

test(
  'deleting a project whose index never came takes its clone along; a project with a resolve under way is ' + 'busy',
  async t => {
    await using model = await startModelServer({ chat: [{ hang: true }] })
    const built = await buildApp(t, { env: { LLM_BASE_URL: model.baseUrl, LLM_MODEL: 'scripted' } })
    const nothing = createGitRepository(join(built.reposDir, 'nothing.git'), {
      files: { 'picture.png': Buffer.from([0, 1, 2]) },
    })
    t.match((await built.app.inject({ method: 'POST', url: '/clone?wait=60', body: { url: nothing.dir } })).json(), {
      error: { code: 'NOTHING_TO_INDEX' },
    })
    t.ok(existsSync(join(built.root, 'cloned_repos', 'nothing')))
    t.equal((await built.app.inject({ method: 'DELETE', url: '/projects/nothing' })).statusCode, 204)
    t.notOk(existsSync(join(built.root, 'cloned_repos', 'nothing')))

    await cloneShop(t, built)
    const job = (await resolveShop(built, { prefer: 'respond-async' })).json()
    await model.waitForRequest(1)
    t.match((await built.app.inject({ method: 'DELETE', url: '/projects/shop' })).json(), {
      status: 409,
      code: 'PROJECT_BUSY',
    })
    await built.app.inject({ method: 'POST', url: `/jobs/${job.id}/cancel` })
    t.equal((await built.app.inject({ method: 'DELETE', url: `/jobs/${job.id}` })).statusCode, 204)
    t.equal((await built.app.inject({ method: 'DELETE', url: '/projects/shop' })).statusCode, 204)
  },
)
