// Clone, index and resolve one repository through a real server in a process of its own, and watch /health meanwhile.
// usage: node bench/first-path.bench.ts REPOSITORY.git [TRACE.txt]
// Prints the phases of the job, the latency of /health while indexing as a ratio to the idle server's in the same run, and of /resolve.
import { mkdtempSync, readFileSync, rmSync, symlinkSync, mkdirSync, realpathSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import { createShop, SHOP_TRACE } from '../test/helpers/sample-repository.ts'
import { startServerProcess } from '../test/helpers/server-process.ts'

interface Job { id: string, status: string, error: unknown, result: { timings_ms: Record<string, number>, files_indexed: number, files_skipped: Record<string, number>, chunks_total: number, languages: Record<string, number> } }

const IDLE_REQUESTS = 500

const [repository, traceFile] = process.argv.slice(2)
if (repository === undefined) {
  console.error('usage: node bench/first-path.bench.ts REPOSITORY.git [TRACE.txt]')
  process.exit(2)
}
const source = realpathSync(resolve(repository))
const root = realpathSync(mkdtempSync(join(tmpdir(), 'faultline-bench-')))
mkdirSync(join(root, 'repos'))
symlinkSync(source, join(root, 'repos', basename(source)))
const shop = createShop(join(root, 'repos', 'shop.git'))
const server = await startServerProcess(root, { ALLOW_LOCAL_REPOS: `${join(root, 'repos')},${dirname(source)}` })

async function call<T> (method: string, path: string, body?: object): Promise<T> {
  const res = await fetch(server.url + path, { method, ...(body === undefined ? {} : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }) })
  const text = await res.text()
  if (!res.ok) throw new Error(`${method} ${path}: ${res.status} ${text}`)
  return JSON.parse(text) as T
}

async function timed (work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now()
  await work()
  return performance.now() - startedAt
}

function quantiles (values: number[]): { p50: number, p99: number, max: number } {
  const sorted = values.toSorted((a, b) => a - b)
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? NaN
  return { p50: at(0.5), p99: at(0.99), max: at(1) }
}

const show = ({ p50, p99, max }: ReturnType<typeof quantiles>) => `p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms, slowest ${max.toFixed(1)} ms`

try {
  await call('POST', '/clone?wait=60', { url: shop.dir, project_name: 'shop' })
  const idle: number[] = []
  for (let i = 0; i < IDLE_REQUESTS; i++) idle.push(await timed(() => call('GET', '/health')))

  const health: number[] = []
  const resolves: number[] = []
  const { id } = await call<Job>('POST', '/clone', { url: source, project_name: 'subject' })
  let job: Job
  do {
    for (let i = 0; i < 20; i++) health.push(await timed(() => call('GET', '/health')))
    resolves.push(await timed(() => call('POST', '/resolve', { stacktrace: SHOP_TRACE, project_name: 'shop', mode: 'context' })))
    job = await call<Job>('GET', `/jobs/${id}`)
  } while (job.status === 'queued' || job.status === 'running')
  if (job.status !== 'succeeded') throw new Error(JSON.stringify(job.error))

  const { timings_ms: timings, files_indexed: files, files_skipped: skipped, chunks_total: chunks } = job.result
  console.log(`${basename(source)}: ${files} files indexed, skipped ${JSON.stringify(skipped)}, ${chunks} chunks`)
  console.log(`phases: ${Object.entries(timings).map(([phase, ms]) => `${phase} ${ms} ms`).join(', ')}`)
  const quiet = quantiles(idle)
  const busy = quantiles(health)
  console.log(`/health, idle server:    ${show(quiet)} (${idle.length} requests)`)
  console.log(`/health, while indexing: ${show(busy)} (${health.length} requests); p99 is ${(busy.p99 / quiet.p99).toFixed(1)} times idle; bar 50 ms`)
  console.log(`/resolve on another project meanwhile: ${show(quantiles(resolves))} (${resolves.length} requests)`)
  const again = await call<Job>('POST', '/clone?wait=60', { url: source, project_name: 'subject' })
  console.log(`the same commit again: ${again.result.timings_ms.total} ms`)
  if (traceFile !== undefined) {
    const trace = readFileSync(traceFile, 'utf8')
    const times: number[] = []
    for (let i = 0; i < 50; i++) times.push(await timed(() => call('POST', '/resolve', { stacktrace: trace, project_name: 'subject', mode: 'context' })))
    const answer = await call<{ frames: Array<{ file: string, line: number, path: string | null, why: string }>, context_tokens: number }>('POST', '/resolve', { stacktrace: trace, project_name: 'subject', mode: 'context' })
    for (const { file, line, path, why } of answer.frames) console.log(`  ${file}:${line} → ${path ?? '–'} (${why})`)
    console.log(`/resolve, context of ${answer.context_tokens} tokens: first ${times[0]?.toFixed(0)} ms; ${show(quantiles(times.slice(1)))}`)
  }
} finally {
  await server.end('SIGTERM')
  rmSync(root, { recursive: true, force: true })
}
