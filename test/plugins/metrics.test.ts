import { join } from 'node:path'
import { test } from 'tap'
import { startModelServer } from '../fakes/model-server.ts'
import { buildApp, cloneInto } from '../helpers/build-app.ts'
import { createShop, SHOP_TRACE } from '../helpers/sample-repository.ts'
import { scriptedJob } from '../helpers/scripted-job.ts'

test('/metrics tells of requests, jobs, the queue, model calls with tokens and cost, sandbox runs and indexes', async t => {
  await using model = await startModelServer({ chat: [{ status: 500 }, { text: 'an answer' }] })
  const built = await buildApp(t, {
    env: { LLM_BASE_URL: model.baseUrl, LLM_MODEL: 'scripted', MODEL_PRICES: '{"scripted": {"input": 1000, "output": 1000}}', JOBS_CONCURRENCY: '1' },
    definitions: { generate: scriptedJob(async ({ ask }) => await ask('q', { kind: 'clarification', question: 'What?' })), task: scriptedJob(async ({ signal }) => await new Promise((_resolve, reject) => { signal.addEventListener('abort', reject) })) },
  })
  const { app, services } = built
  await cloneInto(t, built, { url: createShop(join(built.reposDir, 'shop.git')).dir })
  await app.inject({ method: 'POST', url: '/resolve', body: { stacktrace: SHOP_TRACE, project_name: 'shop' } })
  await services.jobs.settled(services.jobs.create('generate', {}).job.id, 10_000)
  for (let i = 0; i < 3; i++) services.jobs.create('task', {})
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
})

test('/metrics needs a key where there are keys, and names no more models than can be told apart', async t => {
  const { app, services } = await buildApp(t, { env: { API_KEYS: `ann:${'k'.repeat(24)}` } })
  t.equal((await app.inject('/metrics')).statusCode, 401)
  for (let i = 0; i < 200; i++) services.metrics.modelCall({ model: `model-${i}`, outcome: 'ok', retries: 0, durationMs: 1, usage: { promptTokens: 1, completionTokens: 1, usd: null } })
  const { body } = await app.inject({ url: '/metrics', headers: { authorization: `Bearer ${'k'.repeat(24)}` } })
  t.equal(body.match(/^faultline_model_retries_total/gm)?.length, 51)
  t.match(body, /faultline_model_call_duration_seconds_count\{model="other",outcome="ok"\} 150/)
})
