// Whether a server that works goes on answering: /health asked every 5 ms while a repository is cloned and indexed, and while traces are resolved.
// usage: node bench/health.bench.ts REPOSITORY.git
// A request is sent when its time has come, whatever became of those before; its latency counts from then. A real server, over loopback.
import { Agent, request } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { createMovingRepository, startBenchServer, traceIn, type BenchServer } from './bench-server.ts'
import { quantiles, showQuantiles, timed } from './measure.ts'

const EVERY_MS = 5
const IDLE_MS = 3_000
const COMMITS = 5
const RESOLVING_MS = 5_000
const CONNECTIONS = 4
const BAR_MS = 50
const AIM_MS = 20

const [repository] = process.argv.slice(2)
if (repository === undefined) {
  console.error('usage: node bench/health.bench.ts REPOSITORY.git')
  process.exit(2)
}

/** The latency of `/health`, asked at its own pace until the work has ended. */
async function latencies ({ url }: BenchServer, work: () => Promise<unknown>): Promise<number[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: 50 })
  const found: number[] = []
  const ask = (due: number) => new Promise<void>((resolve, reject) => {
    request(`${url}/health`, { agent }, response => {
      response.resume().on('end', () => {
        found.push(performance.now() - due)
        resolve()
      })
    }).on('error', reject).end()
  })
  const asked: Array<Promise<void>> = []
  const over = new AbortController()
  const working = work().finally(() => over.abort())
  for (let due = performance.now(); !over.signal.aborted; due += EVERY_MS) {
    await wait(Math.max(0, due - performance.now()))
    asked.push(ask(due))
  }
  await Promise.all([working, ...asked])
  agent.destroy()
  return found
}

const server = await startBenchServer([repository])
try {
  const moving = createMovingRepository(`${server.root}/repos/moving.git`, repository)
  const [first = '', ...later] = moving.commits(COMMITS + 1)
  moving.moveTo(first)
  const trace = traceIn(moving.dir, first)
  await server.call('GET', '/ready')
  await wait(1_000) // its threads start

  const report = (what: string, values: number[]) => {
    const found = quantiles(values)
    console.log(`${what.padEnd(34)} ${showQuantiles(found)}`)
    return found
  }
  const idle = report('idle server', await latencies(server, () => wait(IDLE_MS)))
  const cloning = report('while it clones and indexes', await latencies(server, () => server.clone(moving.dir, 'bench')))
  report('while it takes five more commits', await latencies(server, async () => {
    for (const commit of later) {
      moving.moveTo(commit)
      await server.clone(moving.dir, 'bench')
    }
  }))
  const resolves: number[] = []
  report(`while ${CONNECTIONS} clients resolve`, await latencies(server, async () => {
    const endsAt = performance.now() + RESOLVING_MS
    await Promise.all(Array.from({ length: CONNECTIONS }, async () => {
      while (performance.now() < endsAt) resolves.push((await timed(() => server.call('POST', '/resolve', { stacktrace: trace, project_name: 'bench', mode: 'context' }))).ms)
    }))
  }))
  report('  /resolve meanwhile', resolves)
  console.log(`bar: p99 below ${BAR_MS} ms while it indexes, aim ${AIM_MS} ms: ${cloning.p99.toFixed(1)} ms, ${(cloning.p99 / idle.p99).toFixed(1)} times the idle server's`)
} finally {
  await server.end()
}
