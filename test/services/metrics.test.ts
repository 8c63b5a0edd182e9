import { Registry } from 'prom-client'
import { test } from 'tap'
import { createMetrics } from '../../src/services/metrics.ts'

const call = { outcome: 'ok', retries: 1, durationMs: 10, usage: { promptTokens: 5, completionTokens: 2, usd: 0.5 } }
const run = { killedBy: null, ready: false, exitCode: 0, durationMs: 10, sandboxed: true }

test('calls, runs and requests are counted by what they were and how they ended', async t => {
  const metrics = createMetrics(['known'])
  metrics.request('/jobs/:id', 'GET', 200, 0.01)
  metrics.modelCall({ model: 'known', ...call })
  metrics.modelCall({ model: 'known', ...call, usage: { ...call.usage, usd: null } })
  for (const one of [
    run,
    { ...run, exitCode: 1 },
    { ...run, exitCode: null, ready: true },
    { ...run, killedBy: 'time' },
  ]) {
    metrics.sandboxRun(one)
  }
  const text = await metrics.text()
  t.match(text, /faultline_http_request_duration_seconds_count\{route="\/jobs\/:id",method="GET",status="200"\} 1\n/)
  t.match(text, /faultline_model_tokens_total\{model="known",kind="prompt"\} 10\n/)
  t.match(text, /faultline_model_retries_total\{model="known"\} 2\n/)
  t.match(text, /faultline_model_cost_usd_total\{model="known"\} 0\.5\n/)
  t.match(text, /faultline_sandbox_run_duration_seconds_count\{outcome="ok",sandboxed="true"\} 2\n/)
  t.match(text, /faultline_sandbox_run_duration_seconds_count\{outcome="failed",sandboxed="true"\} 1\n/)
  t.match(text, /faultline_sandbox_run_duration_seconds_count\{outcome="time",sandboxed="true"\} 1\n/)
})

test('models that nobody configured have names of their own up to a bound', async t => {
  const metrics = createMetrics(['known'])
  for (let i = 0; i < 60; i++) metrics.modelCall({ model: `m${i}`, ...call })
  metrics.modelCall({ model: 'known', ...call })
  const text = await metrics.text()
  t.match(text, /retries_total\{model="m49"\} 1\n/)
  t.notMatch(text, /model="m50"/)
  t.match(text, /retries_total\{model="other"\} 10\n/)
  t.match(text, /retries_total\{model="known"\} 1\n/)
})

test('figures of jobs are looked up when somebody asks; what is gone is not shown any more', async t => {
  const metrics = createMetrics([])
  let jobs = [
    { type: 'clone', status: 'queued', jobs: 2 },
    { type: 'fix', status: 'queued', jobs: 3 },
  ]
  metrics.watch({
    jobs: async () => jobs,
    limits: () => ({ running: 1, concurrency: 4, queueLimit: 100 }),
    jobBytes: async () => 7,
    feedback: async () => ({ helpful: 2, unhelpful: 1 }),
    queuedForMs: async () => 1_500,
    node: null,
    cache: null,
    indexes: async () => [{ project: 'shop', bytes: 10, chunks: null }],
  })
  const first = await metrics.text()
  t.match(first, /faultline_job_queue_length 5\n/)
  t.match(first, /faultline_job_slots\{state="free"\} 3\n/)
  t.match(first, /faultline_job_queue_limit 100\n/)
  t.match(first, /faultline_job_bytes 7\n/)
  t.match(first, /faultline_index_bytes\{project="shop"\} 10\n/)
  t.notMatch(first, /faultline_index_chunks\{project="shop"\}/, 'its index cannot be read')
  jobs = [{ type: 'fix', status: 'running', jobs: 1 }]
  const second = await metrics.text()
  t.notMatch(second, /faultline_jobs\{type="clone"/)
  t.match(second, /faultline_jobs\{type="fix",state="running"\} 1\n/)
})

test('whoever asks at the same time gets the same figures', async t => {
  const metrics = createMetrics([])
  const index = Promise.withResolvers<Array<{ project: string; bytes: number; chunks: number }>>()
  metrics.watch({
    jobs: async () => [{ type: 'clone', status: 'queued', jobs: 2 }],
    limits: () => ({ running: 1, concurrency: 4, queueLimit: 100 }),
    jobBytes: async () => 7,
    feedback: async () => ({ helpful: 2, unhelpful: 1 }),
    queuedForMs: async () => 1_500,
    node: null,
    cache: null,
    indexes: () => index.promise,
  })
  const texts = [metrics.text()]
  await Promise.resolve()
  texts.push(metrics.text(), metrics.text())
  index.resolve([{ project: 'shop', bytes: 10, chunks: 5 }])
  for (const text of await Promise.all(texts)) {
    t.match(text, /faultline_jobs\{type="clone",state="queued"\} 2\n/)
    t.match(text, /faultline_job_queue_length 2\n/)
    t.match(text, /faultline_job_bytes 7\n/)
    t.match(text, /faultline_index_bytes\{project="shop"\} 10\n/)
    t.match(text, /faultline_index_chunks\{project="shop"\} 5\n/)
  }
})

test('what is counted before anybody asks is not lost, however much it is', async t => {
  const metrics = createMetrics([])
  const { promise: allJobs, resolve } = Promise.withResolvers<[]>()
  metrics.watch({
    jobs: () => allJobs,
    limits: () => ({ running: 1, concurrency: 4, queueLimit: 7 }),
    indexes: async () => [],
    jobBytes: async () => 0,
    feedback: async () => ({ helpful: 2, unhelpful: 1 }),
    queuedForMs: async () => 1_500,
    node: null,
    cache: null,
  })
  for (let i = 0; i < 2_500; i++) metrics.request('/health', 'GET', 200, 0.001)
  const asked = [metrics.text(), metrics.text()]
  resolve([])
  for (const text of await Promise.all(asked)) {
    t.match(text, /faultline_http_request_duration_seconds_count\{route="\/health",method="GET",status="200"\} 2500\n/)
    t.match(text, /faultline_job_queue_limit 7\n/)
  }
  t.equal(metrics.contentType, new Registry().contentType)
})

test('a node names itself in every figure, and tells of the others', async t => {
  const metrics = createMetrics([])
  metrics.forwarded('answered')
  metrics.forwarded('gone')
  let failures = 1
  let maxBytes: number | null = 2_000
  metrics.watch({
    jobs: async () => [{ type: 'clone', status: 'queued', jobs: 2 }],
    limits: () => ({ running: 1, concurrency: 4, queueLimit: 100 }),
    indexes: async () => [],
    jobBytes: async () => 0,
    feedback: async () => ({ helpful: 0, unhelpful: 0 }),
    queuedForMs: async () => 1_500,
    cache: () => ({ projects: 3, bytes: 1_000, maxBytes }),
    node: {
      name: 'one',
      role: 'http,worker',
      alive: () => [{ isDraining: false }, { isDraining: true }, { isDraining: false }],
      heartbeatFailures: () => failures,
    },
  })
  const labels = 'node="one",role="http,worker"'
  const lines = [
    `faultline_forwarded_requests_total{result="answered",${labels}} 1`,
    `faultline_nodes{state="serving",${labels}} 2`,
    `faultline_nodes{state="draining",${labels}} 1`,
    `faultline_jobs{type="clone",state="queued",${labels}} 2`,
    `faultline_job_queue_oldest_seconds{${labels}} 1.5`,
    `faultline_cached_projects{${labels}} 3`,
    `faultline_cache_bytes{${labels}} 1000`,
    `faultline_cache_limit_bytes{${labels}} 2000`,
  ]
  const text = await metrics.text()
  for (const line of [...lines, `faultline_heartbeat_failures_total{${labels}} 1`]) t.ok(text.includes(line), line)
  failures = 3
  maxBytes = null
  t.match(await metrics.text(), /faultline_cache_limit_bytes\{[^}]*\} 0\n/, 'there is none')
  t.match(await metrics.text(), /faultline_heartbeat_failures_total\{[^}]*\} 3\n/, 'it counts on')
  const seen = await metrics.text({ projects: ['shop'], keyName: 'ann' })
  t.ok(seen.includes(`faultline_jobs{type="clone",state="queued",${labels}} 2`))
  t.notMatch(seen, /faultline_nodes/)
})
