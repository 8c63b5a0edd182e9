// Answers of `/resolve` without a model from a real server in a process of its own: many different stack traces of one
// repository, and one again and again.
// usage: node bench/resolve.bench.ts REPOSITORY.git [--traces N] [--seconds S] [--keep FOLDER] [--nine-files]
// Prints requests a second and latencies at 20 connections, CPU time of the server a request, CPU time by stage of the
// same work in this process, and what the plain
// baseline of bench/eval/seed.ts takes. CPU times hold on a machine that others use, too. --keep: clone and index stay
// there for the next run. --nine-files: no two frames of a trace lie in one file.
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { startServerProcess, type ServerProcess } from '../test/helpers/server-process.ts'
import { createKeepAliveClient } from './keep-alive-client.ts'
import { madeTraces } from './made-traces.ts'
import { stagesOf } from './resolve-stages.ts'
import { sourceFiles } from './source-files.ts'

const CONNECTIONS = 20
const PROJECT = 'subject'
const BAR = { perSecond: 400, p99: 30 }
const TICKS_PER_SECOND = 100 // of /proc

const {
  values: options,
  positionals: [repository],
} = parseArgs({
  allowPositionals: true,
  options: {
    traces: { type: 'string', default: '2000' },
    seconds: { type: 'string', default: '8' },
    keep: { type: 'string' },
    'nine-files': { type: 'boolean' },
  },
})
if (repository === undefined) {
  console.error(
    'usage: node bench/resolve.bench.ts REPOSITORY.git [--traces N] [--seconds S] [--keep FOLDER] [--nine-files]',
  )
  process.exit(2)
}
const source = realpathSync(resolve(repository))
if (options.keep !== undefined) mkdirSync(options.keep, { recursive: true })
const root = realpathSync(options.keep ?? mkdtempSync(join(tmpdir(), 'faultline-bench-')))

interface Job {
  status: string
  error: unknown
  result: { commit: string; files_indexed: number; chunks_total: number }
}
interface Load {
  times: number[]
  seconds: number
  cpuMs: number
  bytes: number
  digests: Map<number, Set<string>>
}

const client = createKeepAliveClient(CONNECTIONS)

async function cloned(server: ServerProcess): Promise<Job['result']> {
  const { status, body } = await client.post(
    `${server.url}/clone?wait=60`,
    JSON.stringify({ url: source, project_name: PROJECT }),
  )
  const job = JSON.parse(body.toString()) as Job
  if (job.status !== 'succeeded') throw new Error(`${status} ${body.toString()}`)
  return job.result
}

/** User and system time of all threads of a process. */
function cpuMsOf(pid: number | undefined): number {
  const [, counts = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')
  const fields = counts.split(' ')
  return ((Number(fields[11]) + Number(fields[12])) * 1000) / TICKS_PER_SECOND
}

/** Each connection sends its next trace when it has the answer to the last. */
async function load(server: ServerProcess, traces: readonly string[], seconds: number): Promise<Load> {
  const bodies = traces.map(stacktrace => JSON.stringify({ stacktrace, project_name: PROJECT, mode: 'context' }))
  const times: number[] = []
  const digests = new Map<number, Set<string>>()
  const cpuBefore = cpuMsOf(server.child.pid)
  const startedAt = performance.now()
  let next = 0
  let bytes = 0
  const connect = async (connection: number): Promise<void> => {
    while (performance.now() - startedAt < seconds * 1000) {
      const at = next++ % bodies.length
      const sentAt = performance.now()
      const { status, body } = await client.post(`${server.url}/resolve`, bodies[at] ?? '', connection)
      times.push(performance.now() - sentAt)
      if (status !== 200) throw new Error(`${status} ${body.toString('utf8', 0, 300)}`)
      bytes += body.length
      if (times.length % 16 === 0) {
        digests.set(
          at,
          (digests.get(at) ?? new Set()).add(
            createHash('sha1')
              .update(body.subarray(body.indexOf('"sources"'), body.indexOf('"context_tokens"')))
              .digest('hex'),
          ),
        )
      }
    }
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, (_, connection) => connect(connection)))
  return {
    times,
    seconds: (performance.now() - startedAt) / 1000,
    cpuMs: cpuMsOf(server.child.pid) - cpuBefore,
    bytes,
    digests,
  }
}

function report(name: string, { times, seconds, cpuMs, bytes, digests }: Load): void {
  const sorted = times.toSorted((a, b) => a - b)
  const at = (share: number) =>
    (sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? NaN).toFixed(1)
  const differing = [...digests.values()].filter(({ size }) => size > 1).length
  console.log(
    `${name.padEnd(26)} ${(times.length / seconds).toFixed(0).padStart(5)} requests/s, p50 ${at(0.5)} ms, p99 ` +
      `${at(0.99)} ms, server ${(cpuMs / times.length).toFixed(2)} ms CPU a request, ` +
      `${(bytes / times.length / 1024).toFixed(0)} KiB an answer; answers that differed: ${differing}`,
  )
}

const server = await startServerProcess(root, { ALLOW_LOCAL_REPOS: dirname(source) })
try {
  const before = existsSync(join(root, 'vector_store', PROJECT))
  const { commit, chunks_total: chunks, files_indexed: count } = await cloned(server)
  console.log(`${source}: ${count} files, ${chunks} chunks${before ? ', indexed before' : ''}`)
  const ofFiles = options['nine-files'] === true ? { stays: 0 } : {}
  const traces = madeTraces(await sourceFiles(source, commit), Number(options.traces), ofFiles)
  const seconds = Number(options.seconds)
  await load(server, traces.slice(0, 200), 2)
  report(`${traces.length} different traces`, await load(server, traces, seconds))
  report('the same trace', await load(server, traces.slice(0, 1), seconds / 2))
  console.log(`bar: ≥ ${BAR.perSecond} requests/s and p99 ≤ ${BAR.p99} ms with different traces`)
  await server.end('SIGTERM')
  console.log(await stagesOf({ root, project: PROJECT, traces: traces.slice(0, 400) }))
} finally {
  client.close()
  server.child.kill('SIGTERM')
  if (options.keep === undefined) rmSync(root, { recursive: true, force: true })
}
