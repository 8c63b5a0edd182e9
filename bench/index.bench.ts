// How long a repository takes to become searchable, and one more commit, with all that belongs to it: HTTP, job, git,
// threads.
// usage: node bench/index.bench.ts [--seed-only] REPOSITORY.git [COMMITS]
// The repository is cloned by a real server in a process of its own, a few commits before its HEAD; then its branch
// moves on, one commit at a
// time. Ours and the plain server's (windows of 500 lines, hashed words, nothing kept from one commit to the next) are
// measured in the same run.
// Other work on the machine stretches wall times; processor times hardly change. Both count the server with all its
// threads and processes.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { createMovingRepository, startBenchServer, traceIn, type BenchServer, type Job } from './bench-server.ts'
import { measureSeed, type SeedRun } from './index-seed.ts'
import { megabytes, quantiles, timed, untilIdle, usageOf, watchMemory } from './measure.ts'

const BARS = { searchableMs: 6_000, firstResolveMs: 1_000, nextCommitMs: 300, peakMb: 600 }
const AIMS = { searchableMs: 4_000, nextCommitMs: 150, peakMb: 400 }

interface Step {
  wallMs: number
  cpuMs: number
  peak: { own: number; tree: number }
  job: Job
  marks: string[]
  lexicalMs: number | null
}

const args = process.argv.slice(2)
const seedOnly = args[0] === '--seed-only' // how this program calls itself
const [repository, count = '5'] = seedOnly ? args.slice(1) : args
if (repository === undefined) {
  console.error('usage: node bench/index.bench.ts REPOSITORY.git [COMMITS]')
  process.exit(2)
}
if (seedOnly) {
  console.log(JSON.stringify(await measureSeed(repository, count)))
  process.exit(0)
}

/** In a process of its own, as its memory counts. */
async function runSeed(source: string, commit: string): Promise<SeedRun> {
  const child = spawn(process.execPath, [fileURLToPath(import.meta.url), '--seed-only', source, commit], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString()
  })
  await once(child, 'close')
  return JSON.parse(output) as SeedRun
}

const resolve = (server: BenchServer, stacktrace: string) =>
  server.call<Answer>('POST', '/resolve', { stacktrace, project_name: 'bench', mode: 'context' })

/** One clone job; with a trace, also when the project first answers it. */
async function step(server: BenchServer, url: string, trace?: string): Promise<Step> {
  const memory = watchMemory(server.pid)
  const before = usageOf(server.pid)
  const startedAt = performance.now()
  const sinceStart = () => Math.round(performance.now() - startedAt)
  const marks: string[] = []
  let lexicalMs: number | null = null
  let lastPhase = ''
  const look = async ({ progress }: Job) => {
    const phase = progress?.message.replace(/ [\d/]+$/, '') ?? ''
    if (phase !== lastPhase) marks.push(`${phase} from ${sinceStart()} ms`)
    lastPhase = phase
    if (lexicalMs !== null || !/files|chunks/.test(phase)) return
    const answer = await resolve(server, trace ?? '').catch(() => null) // not before there is something to find
    if (answer === null) return
    lexicalMs = sinceStart()
    marks.push(`/resolve answers (${answer.index_state}) at ${lexicalMs} ms`)
  }
  const { value: job, ms } = await timed(() => server.clone(url, 'bench', trace === undefined ? undefined : look))
  return {
    wallMs: Math.round(ms),
    cpuMs: usageOf(server.pid).cpuMs - before.cpuMs,
    peak: memory.peak(),
    job,
    marks,
    lexicalMs,
  }
}

interface Answer {
  index_state: string
  frames: Array<{ path: string | null }>
  sources: unknown[]
}

const server = await startBenchServer([repository])
try {
  const moving = createMovingRepository(`${server.root}/repos/moving.git`, repository)
  const [first = '', ...later] = moving.commits(Number(count) + 1)
  moving.moveTo(first)
  const trace = traceIn(moving.dir, first)

  const whole = await step(server, moving.dir, trace)
  const { value: answer, ms: resolveMs } = await timed(() => resolve(server, trace))
  const again = await timed(() => resolve(server, trace))
  const {
    result: { files_indexed: files, chunks_total: chunks, timings_ms: timings },
  } = whole.job
  const seed = await runSeed(moving.dir, first)

  const unchanged = await step(server, moving.dir)
  const steps: Step[] = []
  for (const commit of later) {
    moving.moveTo(commit)
    await untilIdle(server.pid) // as commits come: not while the one before is being opened for searches
    steps.push(await step(server, moving.dir))
  }
  const { ms: movedResolveMs } = await timed(() => resolve(server, trace))
  const median = (values: number[]) => quantiles(values).p50
  const row = (
    what: string,
    ours: string | number,
    seeds: string | number,
    bar: string | number,
    aim: string | number = '',
  ) =>
    console.log(
      `${what.padEnd(52)} ${String(ours).padStart(8)} ${String(seeds).padStart(8)} ${String(bar).padStart(8)} ` +
        `${String(aim).padStart(8)}`,
    )

  console.log(`${files} files, ${chunks} chunks; the plain server: ${seed.chunks} windows`)
  console.log(`timeline: ${whole.marks.join(', ')}, ready at ${whole.wallMs} ms`)
  console.log(
    `phases: ${Object.entries(timings)
      .map(([phase, ms]) => `${phase} ${ms}`)
      .join(', ')}`,
  )
  row('', 'ours', 'plain', 'bar', 'aim')
  row('clone → found by words, ms', whole.lexicalMs ?? 'at once', '–', BARS.searchableMs, AIMS.searchableMs)
  row('clone → all vectors there, ms', whole.wallMs, seed.wallMs, BARS.searchableMs, AIMS.searchableMs)
  row('  its processor time, git included, ms', whole.cpuMs, seed.cpuMs, '')
  row(
    'memory meanwhile, asked for /resolve all the while, MB',
    megabytes(whole.peak.own),
    megabytes(seed.peak.own),
    BARS.peakMb,
    AIMS.peakMb,
  )
  row("  with git's processes, MB", megabytes(whole.peak.tree), megabytes(seed.peak.tree), '')
  row(
    'first resolve after it ' +
      `(${answer.frames[0]?.path === null ? 'frame not mapped!' : `${answer.sources.length} sources`}), ms`,
    Math.round(resolveMs),
    '–',
    BARS.firstResolveMs,
  )
  row('  the same again, ms', Math.round(again.ms), '–', '')
  row('nothing new, ms', unchanged.wallMs, seed.wallMs, '')
  row(
    `one more commit, median of ${steps.length}, ms`,
    median(steps.map(({ wallMs }) => wallMs)),
    seed.wallMs,
    BARS.nextCommitMs,
    AIMS.nextCommitMs,
  )
  row('  its processor time, git included, ms', median(steps.map(({ cpuMs }) => cpuMs)), seed.cpuMs, '')
  row('first resolve after them, ms', Math.round(movedResolveMs), '–', BARS.firstResolveMs)
  for (const {
    wallMs,
    cpuMs,
    job: { result },
  } of steps) {
    const phases = Object.entries(result.timings_ms).map(([phase, ms]) => `${phase} ${ms}`)
    const chunks = `+${result.chunks_added} -${result.chunks_removed} chunks`
    console.log(`  ${chunks}: ${wallMs} ms, processor ${cpuMs} ms; ${phases.join(', ')}`)
  }
} finally {
  await server.end()
}
