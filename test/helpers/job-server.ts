// A whole server whose jobs are those of a test: they do all that jobs can. Started as a process of its own, so that it
// can be killed.
import { randomInt } from 'node:crypto'
import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { Type } from 'typebox'
import { createApp } from '../../src/http/app.ts'
import { loadConfig } from '../../src/config.ts'
import type { JobType, JsonObject } from '../../src/core/job.ts'
import type { JobContext } from '../../src/jobs/job-context.ts'
import { startSandbox } from '../../src/services/sandbox.ts'
import { createServices } from '../../src/services/services.ts'
import { INLINE_BUT_INDEXING } from './inline-threads.ts'
import { SANDBOX_OPTIONS } from './sandbox-defaults.ts'
import { scriptedJob } from './scripted-job.ts'

const config = loadConfig()
const effects = join(config.dataDir, 'effects.log')
const sandbox = startSandbox(
  { ...SANDBOX_OPTIONS, workspacesDir: config.workspacesDir, onCrash: console.error },
  INLINE_BUT_INDEXING,
)
const hasJail = (await sandbox.probe()).available

/** A step that leaves a line each time it begins. */
async function noted<T>(
  { id, step }: JobContext,
  name: string,
  run: (signal: AbortSignal) => Promise<T>,
  before = async () => {},
): Promise<T> {
  return step(name, async signal => {
    await before()
    appendFileSync(effects, `${id} ${name}\n`)
    return run(signal)
  })
}

const pause = (signal: AbortSignal) => wait(randomInt(5, 60), undefined, { signal })

/** Asks, keeps files, runs a program. */
async function generate(context: JobContext): Promise<JsonObject> {
  await noted(context, 'draft', async signal => {
    await pause(signal)
    await context.files.put(
      new Map([
        ['a.txt', `draft of ${context.id}`],
        ['b.txt', 'b'.repeat(5000)],
      ]),
    )
  })
  const reply = await context.ask('colour', { kind: 'clarification', question: 'Which?' })
  const exitCode = await noted(context, 'run', async signal => {
    if (!hasJail) {
      await pause(signal)
      return 0
    }
    const workspace = await context.workspace('run')
    await sandbox.fill(workspace, new Map([['a.txt', await context.files.read('a.txt')]]))
    const result = await sandbox.run({
      argv: ['/bin/bash', '-c', `sleep 0.${randomInt(1, 4)}; echo done > out.txt; : ${config.dataDir}`],
      workspace,
      signal,
    })
    const { files } = await sandbox.collect(workspace)
    await context.files.put(new Map(files.map(({ path, content }) => [path, content])))
    await context.record({
      kind: 'command',
      argv: ['bash'],
      exitCode: result.exitCode,
      signal: result.signal,
      stdout: result.stdout,
      stderr: result.stderr,
      timedOut: false,
      durationMs: result.durationMs,
      sandboxed: true,
    })
    return result.exitCode
  })
  const decision = await context.ask('run', {
    kind: 'confirm_run',
    command: 'bash run.sh',
    files: await context.files.list(),
  })
  await noted(context, 'finish', async signal => {
    await pause(signal)
    await context.files.put(
      new Map([
        ['a.txt', `final of ${context.id}`],
        ['b.txt', null],
      ]),
    )
  })
  await context.setDiff(`diff of ${context.id}`)
  return { reply: { ...reply }, exitCode, decision: { ...decision } }
}

/** Spends until its budget is raised. */
async function improve(context: JobContext): Promise<JsonObject> {
  for (let call = 0; call < 4; call++) {
    await noted(
      context,
      `call-${call}`,
      async signal => {
        context.token('some words ')
        await pause(signal)
        await context.addUsage({ llmCalls: 1, promptTokens: 50, completionTokens: 0, usd: null })
      },
      context.checkBudget,
    )
  }
  return { calls: 4 }
}

/** Many short steps. */
async function task(context: JobContext): Promise<JsonObject> {
  let sum = 0
  for (let i = 0; i < 12; i++) {
    sum += await noted(context, `add-${i}`, async () => {
      await wait(randomInt(0, 12))
      context.log(`line ${i}`)
      return i
    })
  }
  return { sum }
}

const services = await createServices(
  config,
  { warn: console.error, error: console.error, info: () => {} } as Parameters<typeof createServices>[1],
  {
    definitions: { generate: scriptedJob(generate), improve: scriptedJob(improve), task: scriptedJob(task) },
    starter: INLINE_BUT_INDEXING,
  },
)
const app = await createApp({
  services,
  auth: { apiKeys: config.apiKeys, host: config.host, allowedHosts: [] },
  version: '0.0.0-test',
  limits: { eventLoopDelayMs: 30_000 },
})
app.post('/test-jobs', { schema: { body: Type.Object({}, { additionalProperties: true }) } }, async request => {
  const { type, input } = request.body as { type: JobType; input: JsonObject }
  const key = String(request.headers['idempotency-key'])
  return {
    id: (await services.jobs.create(type, input, { idempotency: { key, scope: 'test', bodySha256: '' } })).job.id,
  }
})
const url = await app.listen({ host: config.host, port: 0 })
services.announce(url)
await services.start()
console.error(`the test server listens on ${url};`)
