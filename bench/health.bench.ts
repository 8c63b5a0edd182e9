// Whether a server that works goes on answering: /health asked every 5 ms while a repository is cloned and indexed, and
// while traces are resolved.
// usage: node bench/health.bench.ts REPOSITORY.git
// A request is sent when its time has come, whatever became of those before; its latency counts from then. A real
// server, over loopback; what asks /health has a
// thread of its own, so that the clients that resolve do not hold it up.
import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { setTimeout as wait } from 'node:timers/promises'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { createMovingRepository, startBenchServer, traceIn, type BenchServer } from './bench-server.ts'
import { quantiles, showQuantiles, timed } from './measure.ts'

const EVERY_MS = 5
const IDLE_MS = 3_000
const COMMITS = 5
const RESOLVING_MS = 5_000
const CONNECTIONS = 4
const BAR_MS = 50
const AIM_MS = 20

/** In a thread: asks `/health` at its own pace until it is told to stop. */
async function askForHealth(url: string): Promise<number[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: 50 })
  const found: number[] = []
  const ask = (due: number) =>
    new Promise<void>((resolve, reject) => {
      request(`${url}/health`, { agent }, response => {
        response.resume().on('end', () => {
          found.push(performance.now() - due)
          resolve()
        })
      })
        .on('error', reject)
        .end()
    })
  const asked: Array<Promise<void>> = []
  const over = new AbortController()
  parentPort?.once('message', () => over.abort())
  for (let due = performance.now(); !over.signal.aborted; due += EVERY_MS) {
    await wait(Math.max(0, due - performance.now()))
    asked.push(ask(due))
  }
  await Promise.all(asked)
  agent.destroy()
  return found
}

/** The latency of `/health` until the work has ended. */
async function latencies({ url }: BenchServer, work: () => Promise<unknown>): Promise<number[]> {
  const thread = new Worker(new URL(import.meta.url), { workerData: url })
  await once(thread, 'online')
  await work()
  const found = once(thread, 'message')
  thread.postMessage('over')
  return (await found)[0] as number[]
}

/** Takes the answer off the wire and no more: what a client does with it is not measured here. */
function resolveOnce({ url }: BenchServer, agent: Agent, stacktrace: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const sent = request(
      `${url}/resolve`,
      { method: 'POST', agent, headers: { 'content-type': 'application/json' } },
      response => {
        buffer(response).then(
          body =>
            response.statusCode === 200
              ? resolve()
              : reject(new Error(`${response.statusCode} ${String(body.subarray(0, 300))}`)),
          reject,
        )
      },
    )
    sent.on('error', reject).end(JSON.stringify({ stacktrace, project_name: 'bench', mode: 'context' }))
  })
}

async function bench(repository: string): Promise<void> {
  const server = await startBenchServer([repository])
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS })
  try {
    const moving = createMovingRepository(`${server.root}/repos/moving.git`, repository)
    const [first = '', ...later] = moving.commits(COMMITS + 1)
    moving.moveTo(first)
    const trace = traceIn(moving.dir, first)
    await server.call('GET', '/ready')
    await wait(1_000) // its threads start

    const report = (what: string, values: number[]) => {
      const found = quantiles(values)
      console.log(`${what.padEnd(40)} ${showQuantiles(found)}`)
      return found
    }
    const resolving = (traceAt: (count: number) => string, times: number[]) => async () => {
      const endsAt = performance.now() + RESOLVING_MS
      let count = 0
      await Promise.all(
        Array.from({ length: CONNECTIONS }, async () => {
          while (performance.now() < endsAt) {
            times.push((await timed(() => resolveOnce(server, agent, traceAt(count++)))).ms)
          }
        }),
      )
    }
    const idle = report('idle server', await latencies(server, () => wait(IDLE_MS)))
    const cloning = report(
      'while it clones and indexes',
      await latencies(server, () => server.clone(moving.dir, 'bench')),
    )
    report(
      'while it takes five more commits',
      await latencies(server, async () => {
        for (const commit of later) {
          moving.moveTo(commit)
          await server.clone(moving.dir, 'bench')
        }
      }),
    )
    const different: number[] = []
    report(
      `while ${CONNECTIONS} clients resolve many traces`,
      await latencies(
        server,
        resolving(count => trace.replace('line 120', `line ${1 + (count % 2_000)}`), different),
      ),
    )
    report('  /resolve meanwhile', different)
    const same: number[] = []
    report(
      `while ${CONNECTIONS} clients resolve one trace`,
      await latencies(
        server,
        resolving(() => trace, same),
      ),
    )
    report('  /resolve meanwhile', same)
    console.log(
      `bar: p99 below ${BAR_MS} ms while it indexes, aim ${AIM_MS} ms: ${cloning.p99.toFixed(1)} ms, ` +
        `${(cloning.p99 / idle.p99).toFixed(1)} times the idle server's`,
    )
  } finally {
    agent.destroy()
    await server.end()
  }
}

if (!isMainThread) {
  parentPort?.postMessage(await askForHealth(String(workerData)))
} else {
  const [repository] = process.argv.slice(2)
  if (repository === undefined) {
    console.error('usage: node bench/health.bench.ts REPOSITORY.git')
    process.exit(2)
  }
  await bench(repository)
}
