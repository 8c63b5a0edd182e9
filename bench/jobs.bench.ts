// 1,000 queued jobs and 100 readers of their events over HTTP: what they take, whether an event is lost or out of
// order, and whether memory stays flat.
// usage: node bench/jobs.bench.ts [jobs] [readers]
import { mkdtempSync, rmSync } from 'node:fs'
import { request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createApp } from '../src/http/app.ts'
import { loadConfig } from '../src/config.ts'
import { openJobsDatabase } from '../src/jobs/store/sqlite/database.ts'
import type { JobContext } from '../src/jobs/job-context.ts'
import { createServices } from '../src/services/services.ts'
import { scriptedJob } from '../test/helpers/scripted-job.ts'

const [JOBS = 1_000, READERS = 100] = process.argv.slice(2).map(Number)
const STEPS = 5
const LOGS = 10
const ROUNDS = 6
/** From the middle round on: the heap takes its last large step in the first rounds. */
const MAX_GROWTH_MB = 20

async function work({ step, log, token }: JobContext): Promise<number> {
  for (let i = 0; i < STEPS; i++) {
    await step(`step-${i}`, async () => {
      for (let line = 0; line < LOGS / STEPS; line++) log(`line ${line} of step ${i}`)
      token('word ')
    })
  }
  return STEPS
}

const root = mkdtempSync(join(tmpdir(), 'faultline-jobs-'))
const config = loadConfig({ root, env: { JOBS_CONCURRENCY: '4', QUEUE_LIMIT: String(JOBS) } })
const say = (context: object, message: string) => console.error(message, context)
const services = await createServices(
  config,
  { warn: say, error: say, info: () => {} },
  { definitions: { task: scriptedJob(work) } },
)
const app = await createApp({
  services,
  auth: { apiKeys: [], host: '127.0.0.1', allowedHosts: [] },
  version: '0.0.0-bench',
  limits: { eventLoopDelayMs: 60_000, streamsPerClient: READERS },
})
await app.listen({ port: 0, host: '127.0.0.1' })
const { port } = app.server.address() as AddressInfo

interface Reading {
  events: number
  problems: number
  lagMs: number[]
}

/** Reads the events of one job to their end, and compares what comes with what must. */
function follow(id: string): Promise<Reading> {
  return new Promise((resolve, reject) => {
    const reading: Reading = { events: 0, problems: 0, lagMs: [] }
    let rest = ''
    const client = request(
      { port, host: '127.0.0.1', path: `/jobs/${id}/events`, headers: { accept: 'text/event-stream' }, agent: false },
      response => {
        response.setEncoding('utf8')
        response.on('data', (chunk: string) => {
          const blocks = (rest + chunk).split('\n\n')
          rest = blocks.pop() ?? ''
          for (const block of blocks) {
            const [, eventId, at] = /^id: (\d+)$[^]*"at":"([^"]+)"/m.exec(block) ?? []
            if (eventId === undefined || at === undefined) continue
            if (Number(eventId) !== ++reading.events) reading.problems++
            reading.lagMs.push(Date.now() - Date.parse(at))
          }
        })
        response.on('end', () => resolve(reading))
        response.on('error', reject)
      },
    )
    client.on('error', reject)
    client.end()
  })
}

const percentile = (values: number[], share: number): number =>
  values.sort((a, b) => a - b)[Math.floor(values.length * share)] ?? 0
const rssMb = (): number => {
  globalThis.gc?.()
  return process.memoryUsage().rss / 2 ** 20
}

/**
 * What one commit that reaches the disk takes here, in ms: a job needs one when it is made, one for each step and one
 * at its end.
 */
function commitMs(): number {
  const db = openJobsDatabase(join(root, `baseline-${performance.now()}.sqlite`))
  const insert = db.prepare(
    "INSERT INTO idempotency_keys (scope, key, body_sha256, job_id, created_at) VALUES ('', ?, '', '', '')",
  )
  const startedAt = performance.now()
  for (let i = 0; i < 300; i++) insert.run(String(i))
  const ms = (performance.now() - startedAt) / 300
  db.close()
  return ms
}

let isStarted = false
const memory: number[] = []
let bad = 0
for (let round = 1; round <= ROUNDS; round++) {
  const createdAt = performance.now()
  const ids: string[] = []
  for (let i = 0; i < JOBS; i++) {
    const { job } = await services.jobs.create('task', { project_name: `p${i % 10}` })
    ids.push(job.id)
  }
  const createMs = performance.now() - createdAt
  const readings = Array.from({ length: READERS }, (_, i) => follow(ids[Math.floor((i * JOBS) / READERS)] ?? ''))
  const startedAt = performance.now()
  if (!isStarted) await services.start()
  isStarted = true
  await Promise.all(ids.map(id => services.jobs.settled(id, 600_000)))
  const ranMs = performance.now() - startedAt
  const read = await Promise.all(readings)
  let events = 0
  for (const [i, { events: got, problems }] of read.entries()) {
    const want = await services.jobs.lastEvent(ids[Math.floor((i * JOBS) / READERS)] ?? '')
    if (got !== want || problems > 0) bad++
    events += got
  }
  memory.push(rssMb())
  const baselineMs = commitMs() * (STEPS + 2)
  const lag = read.flatMap(({ lagMs }) => lagMs.slice(1)) // the first one waited for its reader
  console.log(
    `round ${round}: ${JOBS} jobs stored in ${Math.round(createMs)} ms (${(createMs / JOBS).toFixed(2)} each), ` +
      `run in ${Math.round(ranMs)} ms (${Math.round((JOBS / ranMs) * 1000)} a second, ${STEPS} steps and about ` +
      `${2 * STEPS + LOGS + 4} events each: ${((createMs + ranMs) / JOBS / baselineMs).toFixed(1)} times its bare ` +
      `commits of ${baselineMs.toFixed(1)} ms); ` +
      `${READERS} readers got ${events} events, ${bad} with one lost or out of order; event to reader: median ` +
      `${percentile(lag, 0.5)} ms, 99 % ${percentile(lag, 0.99)} ms; memory ${Math.round(memory.at(-1) ?? 0)} MB`,
  )
}
const growth = (memory.at(-1) ?? 0) - (memory[Math.floor(ROUNDS / 2) - 1] ?? 0)
console.log(
  `memory after the last round: ${growth >= 0 ? '+' : ''}${Math.round(growth)} MB against the middle one; ` +
    `${bad === 0 ? 'no event lost or out of order' : `${bad} READERS WITH A PROBLEM`}`,
)
await app.close()
await services.close()
rmSync(root, { recursive: true, force: true })
process.exitCode = bad === 0 && growth < MAX_GROWTH_MB ? 0 : 1
