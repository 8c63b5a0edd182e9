import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { isTerminal, type JobEvent, type JsonObject } from '../../../src/core/job.ts'
import { startPair, startPostgres, type POSTGRES_VERSIONS } from '../postgres.ts'
import { scriptedJob } from '../scripted-job.ts'
import { startTcpProxy } from '../tcp-proxy.ts'
import { openNode } from './open-node.ts'
import { until, WorkerProcess, type WorkerNote } from './worker-process.ts'

interface HistoryOptions {
  jobs: number
  workers: number
  seed: number
  version: (typeof POSTGRES_VERSIONS)[number]
  /** The longest that a step takes. */
  maxStepMs: number
  /** A standby, which takes over once in the middle; workers have both servers then, and no proxy before them. */
  standby?: boolean
  root: string
  /** Hears of each fault. */
  say?: (line: string) => void
}

type Random = () => number

/** Those that come more often stand here more often. */
const FAULTS = ['kill', 'stop', 'swallow', 'late-commit', 'no-commit', 'late-commit', 'kill', 'database'] as const
/** Longer than a worker may be without a sign of life. */
const LONG_FAULTS: ReadonlySet<string> = new Set(['stop', 'swallow'])

/** Numbers in [0, 1) that a seed gives again (mulberry32). */
function createRandom(seed: number): Random {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

const between = (random: Random, from: number, to: number): number => from + Math.floor(random() * (to - from + 1))

/** What became of one job. */
export interface JobHistory {
  id: string
  key: string | null
  /** How many steps its body has. */
  wanted: number
  status: string
  attempt: number
  /** By position. */
  steps: Array<{ name: string; run: string }>
  events: JobEvent[]
}

/** One run of a body, as it noted it itself. */
interface Span {
  job: string
  run: string
  worker: string
  from: number
  to: number
}

/** When a worker was killed. */
interface Kill {
  worker: string
  at: number
}

const statusOf = ({ event, data }: JobEvent): unknown => (event === 'status' ? (data as JsonObject).status : null)

/** The runs of bodies; one whose worker was killed, or whose job was taken from it, counts until then. */
function spansOf(notes: readonly WorkerNote[], kills: readonly Kill[], jobs: readonly JobHistory[]): Span[] {
  const eventsOf = new Map(jobs.map(({ id, events }) => [id, events]))
  const ends = new Map(notes.filter(({ kind }) => kind === 'end').map(({ run, at }) => [run, at]))
  return notes.flatMap(({ kind, job = '', run = '', worker, at: from }) => {
    if (kind !== 'begin') return []
    const taken = (eventsOf.get(job) ?? [])
      .filter(event => statusOf(event) === 'queued')
      .map(event => Date.parse(event.at))
      .find(at => at > from)
    const killed = kills.find(kill => kill.worker === worker && kill.at >= from)?.at
    return [{ job, run, worker, from, to: Math.min(ends.get(run) ?? Infinity, taken ?? Infinity, killed ?? Infinity) }]
  })
}

function overlaps(spans: readonly Span[], jobs: readonly JobHistory[]): string[] {
  const byKey = Map.groupBy(spans, ({ job }) => jobs.find(({ id }) => id === job)?.key ?? null)
  byKey.delete(null)
  return [...byKey].flatMap(([key, own]) => {
    const sorted = own.toSorted((a, b) => a.from - b.from)
    return sorted.flatMap((span, i) => {
      const before = sorted.slice(0, i).find(other => other.job !== span.job && other.to > span.from)
      if (before === undefined) return []
      return [`key ${key}: ${span.job} began ${before.to - span.from} ms before ${before.job} ended`]
    })
  })
}

function problemsOf(job: JobHistory, order: ReadonlyMap<string, number>): string[] {
  const { id, steps, events, status, wanted, attempt } = job
  const problems: string[] = []
  const say = (problem: string) => problems.push(`${id} (${status}): ${problem}`)
  if (!isTerminal(status as Parameters<typeof isTerminal>[0])) say('it has no end')
  if (events.some((event, i) => event.id !== i + 1)) say('its events have gaps')
  const done = events.filter(({ event }) => event === 'done')
  if (done.length !== 1 || events.at(-1)?.event !== 'done') say(`${done.length} ends, or something after the end`)
  const told = events.filter(({ event }) => event === 'step').map(({ data }) => String((data as JsonObject).step))
  const names = Array.from({ length: wanted }, (_, i) => `step-${i + 1}`).slice(0, steps.length)
  if (String(told) !== String(names)) say(`its events tell of ${told.join()}`)
  if (String(steps.map(({ name }) => name)) !== String(names)) say(`its steps are ${steps.map(s => s.name).join()}`)
  if (status === 'succeeded' && steps.length !== wanted) say(`it ended after ${steps.length} of ${wanted} steps`)
  if (status === 'failed') say('it failed')
  const runs = steps.map(({ run }) => order.get(run) ?? -1)
  if (runs.some((run, i) => i > 0 && run < (runs[i - 1] ?? 0))) say('a run wrote a step after its successor did')
  const claims = events.filter(event => statusOf(event) === 'running').length
  if (attempt < claims) say(`attempt ${attempt} after ${claims} claims`)
  return problems
}

/** What a history has that it must not have. */
export function violations(
  jobs: readonly JobHistory[],
  notes: readonly WorkerNote[],
  kills: readonly Kill[],
): string[] {
  const begins = notes.filter(({ kind }) => kind === 'begin').toSorted((a, b) => a.at - b.at)
  const order = new Map(begins.map(({ run = '' }, i) => [run, i]))
  return [...jobs.flatMap(job => problemsOf(job, order)), ...overlaps(spansOf(notes, kills, jobs), jobs)]
}

/** Runs jobs on workers among random faults, and says what went wrong. */
export async function runHistory(options: HistoryOptions) {
  const { jobs: count, workers: size, seed, version, maxStepMs, standby = false, root, say = () => {} } = options
  const random = createRandom(seed)
  const pair = standby ? await startPair(version) : null
  const server = pair?.primary ?? (await startPostgres(version, { durable: true }))
  const url = await (pair ?? server).createDatabase()
  const definitions = { clone: scriptedJob(async () => null) }
  const front = await openNode({ url, name: 'front', root, definitions, isWorker: false })
  const places = await Promise.all(
    Array.from({ length: size }, async (_, i) => {
      const proxy = await startTcpProxy(server.port)
      const through = pair === null ? url.replace(/:\d+\//, `:${proxy.port}/`) : url
      return { proxy, worker: new WorkerProcess({ url: through, name: `w${i}`, root, concurrency: 3 }) }
    }),
  )
  await Promise.all(places.map(({ worker }) => worker.start()))
  const kills: Kill[] = []
  const faults: Record<string, number> = {}
  const made: Array<{ id: string; key: string | null; wanted: number }> = []
  const open = new Set<string>()

  async function again<T>(work: () => Promise<T>): Promise<T> {
    return until(
      'answer',
      () =>
        work().then(
          result => ({ result }),
          () => null,
        ),
      120_000,
    ).then(({ result }) => result)
  }

  async function createAll(): Promise<void> {
    for (let i = 0; i < count; i++) {
      const key = random() < 0.6 ? `key-${between(random, 0, 5)}` : null
      const wanted = between(random, 1, 4)
      const input = { steps: wanted, ms: between(random, 5, maxStepMs), project_name: `p${between(random, 0, 4)}` }
      const idempotency = { key: randomUUID(), scope: '', bodySha256: '' }
      const body = key === null ? input : { ...input, exclusive: key }
      const { id } = await again(async () => (await front.jobs.create('clone', body, { idempotency })).job)
      made.push({ id, key, wanted })
      open.add(id)
      if (random() < 0.04) front.jobs.cancel(id).catch(() => {}) // it may have ended, or the database be away
    }
  }

  function nextFault(): (typeof FAULTS)[number] | 'fail-over' {
    if (pair === null) return FAULTS[between(random, 0, FAULTS.length - 1)] ?? 'kill'
    if (faults['fail-over'] === undefined && made.length > count / 2) return 'fail-over'
    return random() < 0.7 ? 'kill' : 'stop'
  }

  async function hurt(): Promise<void> {
    const place = places[between(random, 0, size - 1)]
    if (place === undefined) return
    const { proxy, worker } = place
    const kind = nextFault()
    const ms = between(random, 200, LONG_FAULTS.has(kind) ? 14_000 : 2_500)
    faults[kind] = (faults[kind] ?? 0) + 1
    say(`${kind} ${worker.name} for ${ms} ms; ${open.size} open`)
    if (kind === 'kill') {
      await worker.end('SIGKILL')
      kills.push({ worker: worker.name, at: Date.now() })
      await delay(ms)
      await again(() => worker.start().then(() => true))
    } else if (kind === 'stop') {
      worker.kill('SIGSTOP')
      await delay(ms)
      worker.kill('SIGCONT')
    } else if (kind === 'database') {
      await server.crash()
      await server.start()
    } else if (kind === 'fail-over') {
      await server.crash()
      await delay(ms)
      await pair?.promote()
    } else {
      proxy.lateMs = ms
      proxy.mode = kind === 'swallow' || kind === 'no-commit' ? kind : 'late-commit'
      await delay(ms)
      proxy.mode = 'pass'
    }
  }

  async function isOver(): Promise<boolean> {
    const { rows } = await front.db.query(
      "SELECT id FROM jobs WHERE status IN ('succeeded', 'failed', 'cancelled', 'waiting')",
    )
    for (const { id } of rows) open.delete(String(id))
    return made.length === count && open.size === 0
  }

  try {
    const startedAt = performance.now()
    const creating = createAll()
    while (!(await again(async () => [await isOver()]))[0]) {
      await hurt()
      await delay(between(random, 100, 1_500))
      if (performance.now() - startedAt > 60_000 + count * 1_000) break // what has no end is a violation
    }
    await creating
    const seconds = (performance.now() - startedAt) / 1000
    const jobs = await Promise.all(
      made.map(async ({ id, key, wanted }): Promise<JobHistory> => {
        const { rows } = await front.db.query(
          `SELECT status, attempt, name, output FROM jobs LEFT JOIN job_steps ON job_seq = seq WHERE id = $1
           ORDER BY position`,
          [id],
        )
        const steps = rows
          .filter(({ name }) => name !== null)
          .map(({ name, output }) => ({
            name: String(name),
            run: String((JSON.parse(String(output)) as JsonObject).run),
          }))
        const [row] = rows
        const events = await front.jobs.events(id, 0)
        return { id, key, wanted, status: String(row?.status), attempt: Number(row?.attempt), steps, events }
      }),
    )
    const notes = places.flatMap(({ worker }) => worker.notes())
    const { rows: left } = await front.db.query("SELECT state FROM faultline_queue.job WHERE state <= 'active'")
    return {
      seconds,
      faults,
      claims: jobs.reduce((sum, { attempt }) => sum + attempt, 0),
      lateCommits: places.reduce((sum, { proxy }) => sum + proxy.losses, 0),
      entriesLeft: left.length,
      violations: violations(jobs, notes, kills),
      errors: notes.filter(({ kind }) => kind === 'error').map(({ message = '' }) => message),
    }
  } finally {
    await Promise.all(places.map(({ worker }) => worker.end()))
    await front.close()
    await Promise.all(places.map(({ proxy }) => proxy.close()))
    await (pair ?? server).close()
  }
}
