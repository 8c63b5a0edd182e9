import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { connect, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { test } from 'tap'
import { createMetrics } from '../../../src/services/metrics.ts'
import { startModelServer } from '../../fakes/model-server.ts'
import { buildApp, cloneInto } from '../../helpers/build-app.ts'
import { cloneShop, resolveShop } from '../../helpers/cloned-shop.ts'
import { createShop } from '../../helpers/sample-repository.ts'
import { scriptedJob } from '../../helpers/scripted-job.ts'

test(
  '/metrics tells of requests, jobs, the queue, model calls with tokens and cost, sandbox runs and ' + 'indexes',
  async t => {
    await using model = await startModelServer({ chat: [{ status: 500 }, { text: 'an answer' }] })
    const built = await buildApp(t, {
      env: {
        LLM_BASE_URL: model.baseUrl,
        LLM_MODEL: 'scripted',
        MODEL_PRICES: '{"scripted": {"input": 1000, "output": 1000}}',
        JOBS_CONCURRENCY: '1',
      },
      definitions: {
        generate: scriptedJob(async ({ ask }) => await ask('q', { kind: 'clarification', question: 'What?' })),
        task: scriptedJob(
          async ({ signal }) =>
            await new Promise((_resolve, reject) => {
              signal.addEventListener('abort', reject)
            }),
        ),
      },
    })
    const { app, services } = built
    await cloneShop(t, built)
    await resolveShop({ app })
    await services.jobs.settled((await services.jobs.create('generate', {})).job.id, 10_000)
    for (let i = 0; i < 3; i++) await services.jobs.create('task', {})
    services.metrics.sandboxRun({ killedBy: 'time', ready: false, exitCode: null, durationMs: 100, sandboxed: true })
    await app.inject('/nowhere/at/all')

    const res = await app.inject('/metrics')
    t.match(res.headers['content-type'], /^text\/plain; version=0\.0\.4/)
    const value = (line: string): number | undefined => {
      const found = res.body.split('\n').find(candidate => candidate.startsWith(`${line} `))
      return found === undefined ? undefined : Number(found.slice(line.length + 1))
    }
    t.equal(value('faultline_http_request_duration_seconds_count{route="/resolve",method="POST",status="200"}'), 1)
    t.equal(value('faultline_http_request_duration_seconds_count{route="unknown",method="GET",status="404"}'), 1)
    t.notMatch(res.body, /nowhere/)
    t.equal(value('faultline_jobs{type="clone",state="succeeded"}'), 1)
    t.equal(value('faultline_jobs{type="generate",state="waiting"}'), 1)
    t.equal(value('faultline_jobs{type="task",state="running"}'), 1)
    t.equal(value('faultline_job_queue_length'), 2)
    t.equal(value('faultline_job_slots{state="free"}'), 0)
    t.equal(value('faultline_model_call_duration_seconds_count{model="scripted",outcome="ok"}'), 1)
    t.equal(value('faultline_model_retries_total{model="scripted"}'), 1)
    t.ok((value('faultline_model_tokens_total{model="scripted",kind="prompt"}') ?? 0) > 0)
    t.ok((value('faultline_model_cost_usd_total{model="scripted"}') ?? 0) > 0)
    t.equal(value('faultline_sandbox_run_duration_seconds_count{outcome="time",sandboxed="true"}'), 1)
    t.ok((value('faultline_index_bytes{project="shop"}') ?? 0) > 1000)
    t.equal(value('faultline_index_chunks{project="shop"}'), 4)
    t.ok((value('faultline_job_bytes') ?? 0) > 1000)
  },
)

test(
  '/metrics needs a key where there are keys, and names no more models than can be told apart, the ' +
    'configured ones always',
  async t => {
    const { app, services } = await buildApp(t, {
      env: {
        API_KEYS: `ann:${'k'.repeat(24)}`,
        LLM_BASE_URL: 'http://127.0.0.1:9/v1',
        LLM_MODEL: 'ours',
        LLM_FALLBACK_MODELS: 'second',
      },
    })
    t.equal((await app.inject('/metrics')).statusCode, 401)
    const call = (model: string) =>
      services.metrics.modelCall({
        model,
        outcome: 'ok',
        retries: 0,
        durationMs: 1,
        usage: { promptTokens: 1, completionTokens: 1, usd: null },
      })
    for (let i = 0; i < 200; i++) call(`model-${i}`)
    call('second')
    call('a"quote\nand a line')
    const { body } = await app.inject({ url: '/metrics', headers: { authorization: `Bearer ${'k'.repeat(24)}` } })
    t.equal(body.match(/^faultline_model_retries_total/gm)?.length, 52)
    t.match(body, /faultline_model_call_duration_seconds_count\{model="second",outcome="ok"\} 1\n/)
    t.match(body, /faultline_model_call_duration_seconds_count\{model="other",outcome="ok"\} 151\n/)
  },
)

test('hostile requests add no label: neither addresses nor methods nor ids stand in it', async t => {
  const { app } = await buildApp(t)
  await app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = app.server.address() as AddressInfo
  const raw = (line: string) =>
    new Promise<void>(resolve => {
      const socket = connect(port, '127.0.0.1', () =>
        socket.end(`${line} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: close\r\n\r\n`),
      )
      socket
        .on('close', () => resolve())
        .on('error', () => resolve())
        .resume()
    })
  const series = async () =>
    new Set((await app.inject('/metrics')).body.match(/^faultline_http_request_duration_seconds_count\{[^}]*\}/gm))
  for (let i = 0; i < 100; i++) await raw(`GET /jobs/${i}x/files/../../${'a'.repeat(i)}?q=${i}`)
  for (let i = 0; i < 100; i++) await raw(`GET /docs/${i} `)
  for (const method of ['PROPFIND', 'M-SEARCH', 'TRACE', 'FOO', 'get', 'x'.repeat(500)]) {
    for (const path of ['/jobs', '/%ff%fe', '//', '/*', '/jobs/%00/events', `/${'%2e%2e%2f'.repeat(50)}`]) {
      await raw(`${method} ${path}`)
    }
  }
  const labels = await series()
  t.ok(labels.size < 40, [...labels].join('\n'))
  t.notMatch([...labels].join(), /\dx|aaa|%|FOO|xxx/)
})

test(
  'a damaged index does not keep the other figures back; beyond the largest 200 indexes are told ' + 'together',
  async t => {
    const built = await buildApp(t)
    const shop = createShop(join(built.reposDir, 'shop.git'))
    for (const name of ['damaged', 'whole']) await cloneInto(t, built, { url: shop.dir, project_name: name })
    await built.services.idle()
    const folder = join(built.root, 'vector_store', 'damaged')
    const [generation = ''] = readdirSync(folder).filter(name => /^\d+$/.test(name))
    writeFileSync(join(folder, generation, 'manifest.json'), '{')
    await built.close()
    const { app } = await buildApp(t, { root: built.root })
    const { statusCode, body } = await app.inject('/metrics')
    t.equal(statusCode, 200)
    t.match(body, /faultline_index_chunks\{project="whole"\} 4\n/)
    t.match(body, /faultline_index_bytes\{project="damaged"\} \d+\n/)
    t.notMatch(body, /faultline_index_chunks\{project="damaged"\}/)

    const many = createMetrics([])
    many.watch({
      jobs: async () => [],
      limits: () => ({ running: 0, concurrency: 1, queueLimit: 1 }),
      jobBytes: async () => 0,
      feedback: async () => ({ helpful: 0, unhelpful: 0 }),
      queuedForMs: async () => null,
      node: null,
      cache: null,
      indexes: async () => Array.from({ length: 1_000 }, (_, i) => ({ project: `p${i}`, bytes: i, chunks: 1 })),
    })
    const text = await many.text()
    t.equal(text.match(/^faultline_index_chunks\{/gm)?.length, 201)
    t.match(text, /faultline_index_chunks\{project="\(other\)"\} 800\n/)
    t.match(text, /faultline_index_bytes\{project="p999"\} 999\n/)
  },
)

/**
 * A line of the text format: a name, labels with escaped values, a number. prom-client writes Nan for an empty
 * histogram; Prometheus reads any spelling.
 */
const SAMPLE =
  /^[a-zA-Z_:][\w:]*(?:\{[a-zA-Z_]\w*="(?:[^"\\\n]|\\["\\n])*"(?:,[a-zA-Z_]\w*="(?:[^"\\\n]|\\["\\n])*")*\})? (?:-?\d+(?:\.\d+)?(?:e[+-]?\d+)?|[+-]Inf|Na[Nn])$/

test('the text is in the format of Prometheus, and docs/metrics.md names each metric with its labels', async t => {
  const { app, services } = await buildApp(t)
  services.metrics.modelCall({
    model: 'a"quote\\ and\na line',
    outcome: 'ok',
    retries: 1,
    durationMs: 1,
    usage: { promptTokens: 1, completionTokens: 1, usd: 0.5 },
  })
  services.metrics.sandboxRun({ killedBy: null, ready: false, exitCode: 0, durationMs: 1, sandboxed: true })
  await app.inject('/health')
  const { body } = await app.inject('/metrics')
  t.ok(body.endsWith('\n'))
  const names = new Set<string>()
  for (const line of body.split('\n').filter(Boolean)) {
    const type = /^# (?:HELP|TYPE) (\w+) ./.exec(line)?.[1]
    if (type !== undefined) names.add(type)
    else t.match(line, SAMPLE)
  }
  const own = [...names].filter(name => name.startsWith('faultline_')).sort()
  const rows = [
    ...readFileSync(new URL('../../../docs/metrics.md', import.meta.url), 'utf8').matchAll(
      /^\| `(faultline_\w+)` +\| ([^|]*) \|/gm,
    ),
  ]
  t.same(rows.map(([, name]) => name).sort(), own)
  for (const [, name = '', labels = ''] of rows) {
    const sample = new RegExp(`^${name}(?:_count)?\\{([^}]*)\\}`, 'm').exec(body)?.[1] ?? ''
    if (sample !== '') {
      t.same(
        [...labels.matchAll(/`(\w+)`/g)].map(([, label]) => label),
        [...sample.matchAll(/(\w+)="/g)].map(([, label]) => label),
        name,
      )
    }
  }
})
