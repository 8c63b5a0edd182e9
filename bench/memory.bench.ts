// How much memory a server takes, with all processes that it started: idle, while it indexes, while it answers many
// different requests, and a minute after these.
// usage: node bench/memory.bench.ts REPOSITORY.git... [--server CHECKOUT]... [--seconds S] [--rest S]
// Each checkout of Faultline (this one by default; name several to compare them in one run) clones every repository.
// Then different stack traces, searches and lists are asked for --seconds (600) from a few connections, and after
// --rest seconds (60) it is looked once more. Figures are PSS: what processes share counts once.
import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { startServerProcess } from '../test/helpers/server-process.ts'
import { madeTraces } from './made-traces.ts'
import { megabytes, sharesOf, untilIdle } from './measure.ts'
import { sourceFiles } from './source-files.ts'
import { startCommandOf } from './start-command.ts'

const CONNECTIONS = 4
const TRACES = 3_000
const SAMPLE_MS = 100
/** The server has said that it listens; what it does then in the background takes some seconds. */
const SETTLED_MS = 15_000
const BARS = { idle: 150, indexing: 600, requests: 500, rested: 250 }

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    server: { type: 'string', multiple: true, default: [join(import.meta.dirname, '..')] },
    seconds: { type: 'string', default: '600' },
    rest: { type: 'string', default: '60' },
  },
})
if (positionals.length === 0) {
  console.error('usage: node bench/memory.bench.ts REPOSITORY.git... [--server CHECKOUT]... [--seconds S] [--rest S]')
  process.exit(2)
}
const repositories = positionals.map((path, i) => ({
  source: realpathSync(resolve(path)),
  project: `subject-${i}-${basename(dirname(path)).replace(/[^A-Za-z0-9-]/g, '-')}`,
}))

interface Subject {
  url: string
  pid: number
}

const bytesOf = (pid: number): number => sharesOf(pid).reduce((sum, one) => sum + one, 0)

/** The most that the server takes while the work is done. */
async function peakOf(pid: number, work: () => Promise<unknown>): Promise<number> {
  let peak = 0
  const look = (): void => {
    peak = Math.max(peak, bytesOf(pid))
  }
  const timer = setInterval(look, SAMPLE_MS)
  try {
    await work()
    look()
  } finally {
    clearInterval(timer)
  }
  return peak
}

async function call<T>(url: string, body?: object): Promise<T> {
  const answer = await fetch(url, {
    method: body === undefined ? 'GET' : 'POST',
    headers: body === undefined ? {} : { 'content-type': 'application/json' },
    body: body === undefined ? null : JSON.stringify(body),
  })
  const text = await answer.text()
  // each client may ask so often, no more
  if (!answer.ok && answer.status !== 429) throw new Error(`${url}: ${answer.status} ${text}`)
  return JSON.parse(text) as T
}

interface Job {
  id: string
  status: string
  result: { commit: string; chunks_total: number }
}

async function cloned({ url }: Subject, source: string, project: string): Promise<Job['result']> {
  let job = await call<Job>(`${url}/clone?wait=60`, { url: source, project_name: project })
  while (job.status === 'queued' || job.status === 'running') job = await call(`${url}/jobs/${job.id}?wait=60`)
  if (job.status !== 'succeeded') throw new Error(JSON.stringify(job))
  return job.result
}

/** Traces of all projects in turn, and for each the search for its last line and two lists. */
async function ask({ url }: Subject, traces: ReadonlyMap<string, string[]>): Promise<number> {
  const endsAt = performance.now() + Number(options.seconds) * 1_000
  let next = 0
  let answers = 0
  const connect = async (): Promise<void> => {
    while (performance.now() < endsAt) {
      const at = next++
      const [project = '', own = []] = [...traces][at % traces.size] ?? []
      const stacktrace = own[Math.floor(at / traces.size) % own.length] ?? ''
      await call(`${url}/resolve`, { stacktrace, project_name: project, mode: 'context' })
      const query = encodeURIComponent(stacktrace.slice(stacktrace.lastIndexOf('\n') + 1))
      await call(`${url}/projects/${project}/search?q=${query}`)
      await call(`${url}/projects`)
      await call(`${url}/jobs`)
      answers += 4
    }
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, connect))
  return answers
}

function row(what: string, bytes: number, bar?: number): void {
  console.log(
    `${what.padEnd(52)} ${String(megabytes(bytes)).padStart(6)} MB${bar === undefined ? '' : ` (bar ${bar})`}`,
  )
}

async function measure(checkout: string, traces: Map<string, string[]>): Promise<void> {
  const root = mkdtempSync(join(tmpdir(), 'faultline-bench-'))
  const allowed = repositories.map(({ source }) => dirname(source)).join(',')
  const entry = join(resolve(checkout), 'src/server.ts')
  const { env, flags } = startCommandOf(checkout)
  const server = await startServerProcess(root, { ALLOW_LOCAL_REPOS: allowed, ...env }, entry, { flags })
  const subject = { url: server.url, pid: server.child.pid ?? 0 }
  const { pid } = subject
  try {
    console.log(checkout)
    await wait(SETTLED_MS)
    row('idle', bytesOf(pid), BARS.idle)
    for (const { source, project } of repositories) {
      let chunks = 0
      const peak = await peakOf(pid, async () => {
        const { commit, chunks_total: total } = await cloned(subject, source, project)
        chunks = total
        if (!traces.has(project)) traces.set(project, madeTraces(await sourceFiles(source, commit), TRACES))
      })
      row(`at most while ${project} is indexed (${chunks} chunks)`, peak, BARS.indexing)
      await untilIdle(pid)
      row('  afterwards', bytesOf(pid))
    }
    let answers = 0
    const peak = await peakOf(pid, async () => {
      answers = await ask(subject, traces)
    })
    row(`at most during ${answers} requests in ${options.seconds} s`, peak, BARS.requests)
    row('  afterwards', bytesOf(pid))
    await wait(Number(options.rest) * 1_000)
    row(`  after a rest of ${options.rest} s`, bytesOf(pid), BARS.rested)
  } finally {
    await server.end('SIGTERM')
    rmSync(root, { recursive: true, force: true })
  }
}

const traces = new Map<string, string[]>()
for (const checkout of options.server) await measure(checkout, traces)
