// What a run of CI meets: the first seconds after a clone, with many different stack traces from 20 connections, over
// HTTP, from a real server in a process of its own; the same with others as soon as the clone has its history, so that
// git is asked who changed the lines; then 300 of these again.
// usage: node bench/burst.bench.ts REPOSITORY.git [--include GLOB] [--server CHECKOUT]... [--seconds S] [--rest S]
// Each checkout of Faultline (this one by default; name several to compare them in one run) clones the repository anew.
// Prints requests a second and latencies; processor time a request of the server and all that it started, ended
// processes included; the memory of all of them when idle at first, after the clone, after the load, and after a rest
// of --rest seconds (60). The client has the same processors.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { buffer } from 'node:stream/consumers'
import { parseArgs } from 'node:util'
import { startServerProcess, type ServerProcess } from '../test/helpers/server-process.ts'
import { madeTraces } from './made-traces.ts'
import { megabytes, quantiles, sharesOf, showQuantiles, untilIdle, usageOf } from './measure.ts'
import { sourceFiles } from './source-files.ts'
import { startCommandOf } from './start-command.ts'

const CONNECTIONS = 20
const PROJECT = 'subject'
const DIFFERENT = 4_000
const AGAIN = 300
const POLL_MS = 50
const BARS = { different: { perSecond: 120, p99: 300 }, again: 250, cpuMs: 10, megabytes: 500, restedMegabytes: 250 }

const {
  values: options,
  positionals: [repository],
} = parseArgs({
  allowPositionals: true,
  options: {
    include: { type: 'string', multiple: true, default: [] },
    server: { type: 'string', multiple: true, default: [join(import.meta.dirname, '..')] },
    seconds: { type: 'string', default: '10' },
    rest: { type: 'string', default: '60' },
  },
})
if (repository === undefined) {
  console.error(
    'usage: node bench/burst.bench.ts REPOSITORY.git [--include GLOB] [--server CHECKOUT]... [--seconds S] [--rest S]',
  )
  process.exit(2)
}
const source = realpathSync(resolve(repository))
const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS })

interface Reply {
  status: number
  body: Buffer
}

/** From an address of its own for each connection, because the server limits each client. */
function send(url: string, body: string | null, connection = 0): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const headers = body === null ? {} : { 'content-type': 'application/json' }
    const sent = request(
      url,
      { method: body === null ? 'GET' : 'POST', agent, localAddress: `127.0.1.${connection + 1}`, headers },
      answer => {
        buffer(answer).then(body => resolve({ status: answer.statusCode ?? 0, body }), reject)
      },
    )
    sent.on('error', reject).end(body ?? undefined)
  })
}

interface Job {
  id: string
  status: string
  result: { files_indexed: number; chunks_total: number }
}

/** Resolves as soon as the job has ended. */
async function cloned({ url }: ServerProcess): Promise<Job['result']> {
  const given = JSON.stringify({ url: source, project_name: PROJECT, include: options.include })
  let reply = await send(`${url}/clone?wait=60`, given)
  let job = JSON.parse(reply.body.toString()) as Job
  while (reply.status === 202 || job.status === 'queued' || job.status === 'running') {
    await wait(POLL_MS)
    reply = await send(`${url}/jobs/${job.id}?wait=60`, null)
    job = JSON.parse(reply.body.toString()) as Job
  }
  if (job.status !== 'succeeded') throw new Error(reply.body.toString())
  return job.result
}

/** Resolves when git can be asked who changed a line: the history is fetched in the background. */
async function untilHistory({ url, child: { pid = 0 } }: ServerProcess): Promise<void> {
  for (;;) {
    const { body } = await send(`${url}/projects/${PROJECT}`, null)
    const { repositories } = JSON.parse(body.toString()) as { repositories: Array<{ history: string }> }
    if (repositories.every(({ history }) => history === 'full')) break
    await wait(POLL_MS)
  }
  await untilIdle(pid)
}

/** Memory of a process and all below it, and of each of them. */
function showMemory(pid: number): string {
  const sizes = sharesOf(pid)
  const sum = megabytes(sizes.reduce((all, one) => all + one, 0))
  return `${sum} MB${sizes.length > 1 ? ` (${sizes.map(megabytes).join(' + ')})` : ''}`
}

interface Load {
  times: number[]
  seconds: number
  cpuMs: number
  suspects: Map<string, number>
}

/** Each connection sends the next trace when it has the answer to its last: as long, or as often, as is said. */
async function load(
  { url, child: { pid = 0 } }: ServerProcess,
  traces: readonly string[],
  { seconds = Infinity, rounds = Infinity }: { seconds?: number; rounds?: number },
): Promise<Load> {
  const bodies = traces.map(stacktrace => JSON.stringify({ stacktrace, project_name: PROJECT, mode: 'context' }))
  const times: number[] = []
  const suspects = new Map<string, number>()
  const cpuBefore = usageOf(pid).cpuMs
  const startedAt = performance.now()
  let next = 0
  const connect = async (connection: number): Promise<void> => {
    while (performance.now() - startedAt < seconds * 1_000 && next < rounds * bodies.length) {
      const sentAt = performance.now()
      const { status, body } = await send(`${url}/resolve`, bodies[next++ % bodies.length] ?? '', connection)
      times.push(performance.now() - sentAt)
      if (status !== 200) throw new Error(`${status} ${body.toString('utf8', 0, 300)}`)
      const found = /"suspects_status":"(\w+)"/.exec(body.toString('latin1'))?.[1] ?? 'none'
      suspects.set(found, (suspects.get(found) ?? 0) + 1)
    }
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, (_, connection) => connect(connection)))
  const tookSeconds = (performance.now() - startedAt) / 1_000
  return { times, seconds: tookSeconds, cpuMs: usageOf(pid).cpuMs - cpuBefore, suspects }
}

function report(name: string, { times, seconds, cpuMs, suspects }: Load): void {
  const states = [...suspects].map(([status, count]) => `${status} ${count}`).join(', ')
  console.log(
    `  ${name.padEnd(22)} ${(times.length / seconds).toFixed(0).padStart(5)} requests/s, ` +
      `${showQuantiles(quantiles(times))}, ${(cpuMs / times.length).toFixed(2)} ms CPU a request; suspects: ${states}`,
  )
}

/** Made before any clone: the seconds that it takes are those in which a server has most to do besides. */
async function makeTraces(): Promise<string[]> {
  const head = execFileSync('git', ['-C', source, 'rev-parse', 'HEAD'], { encoding: 'utf8' }).trim()
  return madeTraces(await sourceFiles(source, head, options.include), 2 * DIFFERENT, { stays: 0 })
}

/** One round on a checkout. */
async function measure(checkout: string, traces: readonly string[]): Promise<void> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'faultline-burst-')))
  const { env, flags } = startCommandOf(checkout)
  const server = await startServerProcess(
    root,
    { ALLOW_LOCAL_REPOS: dirname(source), ...env },
    join(resolve(checkout), 'src/server.ts'),
    { flags },
  )
  const { pid = 0 } = server.child
  const seconds = Number(options.seconds)
  try {
    await untilIdle(pid)
    console.log(`${resolve(checkout)}\n  idle: ${showMemory(pid)}`)
    const { files_indexed: files, chunks_total: chunks } = await cloned(server)
    const afterClone = showMemory(pid)
    console.log(`  ${files} files, ${chunks} chunks; after the clone: ${afterClone}`)
    report('different traces', await load(server, traces.slice(0, DIFFERENT), { seconds }))
    await untilHistory(server)
    report('others, with history', await load(server, traces.slice(DIFFERENT), { seconds }))
    const again = traces.slice(DIFFERENT, DIFFERENT + AGAIN)
    await load(server, again, { rounds: 1 })
    report(`${AGAIN} of them again`, await load(server, again, { seconds }))
    report('the same trace', await load(server, traces.slice(0, 1), { seconds: seconds / 2 }))
    console.log(`  afterwards: ${showMemory(pid)}`)
    await wait(Number(options.rest) * 1_000)
    console.log(`  ${options.rest} s later: ${showMemory(pid)}`)
  } finally {
    await server.end('SIGTERM')
    rmSync(root, { recursive: true, force: true })
  }
}

try {
  const traces = await makeTraces()
  for (const checkout of options.server) await measure(checkout, traces)
  console.log(
    `bars: different traces ≥ ${BARS.different.perSecond}/s and p99 ≤ ${BARS.different.p99} ms; again ≥ ` +
      `${BARS.again}/s; ≤ ${BARS.cpuMs} ms CPU a request; afterwards ≤ ${BARS.megabytes} MB, rested ≤ ` +
      `${BARS.restedMegabytes} MB`,
  )
} finally {
  agent.destroy()
}
