// How long a repository takes to become searchable, in multiples of a plain `git clone` of it over the same path.
// usage: node bench/clone.bench.ts REPOSITORY.git [CHECKOUT ...] [--runs N]
// Each checkout of this project (this one, and those that are named, say of an earlier commit) runs its own server. A
// run of each follows on a run of the other, so that other work on the machine meets all alike; medians are printed.
// words: `/resolve` would find code by words; vectors: by vectors, too; done: the job has ended.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import type { Job, startBenchServer } from './bench-server.ts'
import { megabytes, quantiles, timed, usageOf, watchMemory } from './measure.ts'

const BARS = { words: 2, vectors: 4 }
const POLL_MS = 10
const HERE = resolve(import.meta.dirname, '..')

const {
  values: options,
  positionals: [repository, ...others],
} = parseArgs({ allowPositionals: true, options: { runs: { type: 'string', default: '3' } } })
if (repository === undefined) {
  console.error('usage: node bench/clone.bench.ts REPOSITORY.git [CHECKOUT ...] [--runs N]')
  process.exit(2)
}
const source = realpathSync(resolve(repository))
const url = `file://${source}`

interface Times {
  git: number
  words: number
  vectors: number
  done: number
  cpuMs: number
  peakMb: number
  phases: string
}

async function gitCloneMs(): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'faultline-git-'))
  try {
    return (await timed(async () => execFileSync('git', ['clone', '--quiet', url, join(folder, 'clone')]))).ms
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function measure(checkout: string): Promise<Times> {
  const git = await gitCloneMs()
  const theirs = (await import(join(checkout, 'bench/bench-server.ts'))) as {
    startBenchServer: typeof startBenchServer
  }
  const server = await theirs.startBenchServer([source])
  try {
    await server.call('GET', '/projects') // what a start still has to do is `start.bench.ts`'s
    const memory = watchMemory(server.pid)
    const before = usageOf(server.pid).cpuMs
    const startedAt = performance.now()
    const since = (): number => performance.now() - startedAt
    let words = 0
    let vectors = 0
    let job = await server.call<Job>('POST', '/clone?wait=0', { url, project_name: 'bench' })
    while (job.status === 'queued' || job.status === 'running') {
      await new Promise(resolve => setTimeout(resolve, POLL_MS))
      const { index_state: state } = await server
        .call<{ index_state: string }>('GET', '/projects/bench')
        .catch(() => ({ index_state: '' }))
      if (words === 0 && (state === 'lexical_ready' || state === 'ready')) words = since()
      if (vectors === 0 && state === 'ready') vectors = since()
      job = await server.call<Job>('GET', `/jobs/${job.id}`)
    }
    const done = since()
    if (job.status !== 'succeeded') throw new Error(JSON.stringify(job.error))
    const phases = Object.entries(job.result.timings_ms).map(([phase, ms]) => `${phase} ${ms}`)
    const cpuMs = usageOf(server.pid).cpuMs - before
    const peakMb = megabytes(memory.peak().tree)
    return { git, words: words || done, vectors: vectors || done, done, cpuMs, peakMb, phases: phases.join(', ') }
  } finally {
    await server.end()
  }
}

const median = (values: readonly number[]): number => quantiles(values).p50

const checkouts = [HERE, ...others.map(other => resolve(other))]
const runs = new Map(checkouts.map(checkout => [checkout, [] as Times[]]))
for (let run = 0; run < Number(options.runs); run++) {
  for (const [checkout, times] of runs) times.push(await measure(checkout))
}
const git = median([...runs.values()].flat().map(one => one.git))
console.log(`${source}: git clone ${Math.round(git)} ms`)
for (const [checkout, times] of runs) {
  const of = (name: Exclude<keyof Times, 'phases'>): number => Math.round(median(times.map(one => one[name])))
  const share = (name: 'words' | 'vectors' | 'done'): string =>
    `${name} ${of(name)} ms = ${(of(name) / git).toFixed(1)} x`
  console.log(checkout === HERE ? 'this checkout' : checkout)
  console.log(`  ${share('words')}, ${share('vectors')}, ${share('done')} git clone`)
  console.log(`  processor ${of('cpuMs')} ms, peak of all processes ${of('peakMb')} MB; ${times.at(-1)?.phases ?? ''}`)
}
console.log(`bars: words ≤ ${BARS.words} x, vectors ≤ ${BARS.vectors} x git clone`)
