import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client'

/** What is read when somebody asks. */
export interface MetricSources {
  jobs: () => Promise<Array<{ type: string; status: string; jobs: number }>>
  /** Jobs that run, the most that may, and the most that may be queued. */
  limits: () => { running: number; concurrency: number; queueLimit: number }
  /** What the index of each project takes; `chunks` is null for one that cannot be read. */
  indexes: () => Promise<Array<{ project: string; bytes: number; chunks: number | null }>>
  /** Bytes of jobs in files and in the database. */
  jobBytes: () => Promise<number>
}

interface ModelCall {
  model: string
  outcome: string
  retries: number
  durationMs: number
  usage: { promptTokens: number; completionTokens: number; usd: number | null }
}
interface SandboxRun {
  killedBy: string | null
  ready: boolean
  exitCode: number | null
  durationMs: number
  sandboxed: boolean
}

export interface Metrics {
  request(route: string, method: string, status: number, seconds: number): void
  modelCall(call: ModelCall): void
  sandboxRun(run: SandboxRun): void
  contentType: string
  /** The text that Prometheus reads. */
  text(): Promise<string>
}

const REQUEST_SECONDS = [0.005, 0.02, 0.1, 0.5, 2, 10, 60]
const CALL_SECONDS = [0.5, 2, 5, 15, 60, 300]
const RUN_SECONDS = [0.1, 0.5, 2, 10, 60, 300]
/**
 * A client may name any model: beside the configured ones so many have names of their own, further ones are counted
 * together.
 */
const MAX_MODELS = 50
/** The largest indexes have names of their own, the rest are counted together, under one that no project can have. */
const MAX_PROJECTS = 200
const OTHER_PROJECTS = '(other)'
/** Sizes of indexes are looked up on the disk; scrapes in short order share one look. */
const INDEX_AGE_MS = 30_000

const largestFirst = <T extends { bytes: number }>(indexes: readonly T[]): T[] =>
  indexes.toSorted((a, b) => b.bytes - a.bytes)
const projectLabel = (project: string, at: number): string => (at < MAX_PROJECTS ? project : OTHER_PROJECTS)

/** Counters and gauges of one server, in a registry of its own. @param knownModels - The configured ones. */
export function createMetrics(sources: MetricSources, knownModels: readonly string[]): Metrics {
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry })

  const requests = new Histogram({
    name: 'faultline_http_request_duration_seconds',
    help: 'HTTP requests by route',
    labelNames: ['route', 'method', 'status'],
    buckets: REQUEST_SECONDS,
    registers,
  })
  const calls = new Histogram({
    name: 'faultline_model_call_duration_seconds',
    help: 'Calls of models by outcome; each may be several requests',
    labelNames: ['model', 'outcome'],
    buckets: CALL_SECONDS,
    registers,
  })
  const tokens = new Counter({
    name: 'faultline_model_tokens_total',
    help: 'Tokens as the model server counted them, estimated where it did not',
    labelNames: ['model', 'kind'],
    registers,
  })
  const cost = new Counter({
    name: 'faultline_model_cost_usd_total',
    help: 'Cost by MODEL_PRICES',
    labelNames: ['model'],
    registers,
  })
  const retries = new Counter({
    name: 'faultline_model_retries_total',
    help: 'Requests to model servers beyond the first of a call',
    labelNames: ['model'],
    registers,
  })
  const runs = new Histogram({
    name: 'faultline_sandbox_run_duration_seconds',
    help: 'Programs that were run, by how they ended',
    labelNames: ['outcome', 'sandboxed'],
    buckets: RUN_SECONDS,
    registers,
  })

  const models = new Set(knownModels)
  const maxModels = models.size + MAX_MODELS
  const modelLabel = (model: string): string => {
    if (models.size < maxModels) models.add(model)
    return models.has(model) ? model : 'other'
  }

  gauge('faultline_jobs', 'Jobs by type and state', ['type', 'state'], async gauge => {
    for (const { type, status, jobs } of await sources.jobs()) gauge.set({ type, state: status }, jobs)
  })
  gauge('faultline_job_queue_length', 'Jobs that wait for a slot', [], async gauge => {
    const all = await sources.jobs()
    gauge.set(all.reduce((sum, { status, jobs }) => (status === 'queued' ? sum + jobs : sum), 0))
  })
  gauge('faultline_job_queue_limit', 'Jobs that may wait for a slot', [], gauge =>
    gauge.set(sources.limits().queueLimit),
  )
  gauge('faultline_job_slots', 'Slots that jobs run in', ['state'], gauge => {
    const { running, concurrency } = sources.limits()
    gauge.set({ state: 'busy' }, running)
    gauge.set({ state: 'free' }, concurrency - running)
  })
  gauge('faultline_job_bytes', 'Bytes of jobs and their files', [], async gauge => gauge.set(await sources.jobBytes()))

  let looked: { at: number; indexes: ReturnType<MetricSources['indexes']> } | null = null
  const indexes = () => {
    if (looked === null || performance.now() - looked.at > INDEX_AGE_MS) {
      looked = { at: performance.now(), indexes: sources.indexes().then(largestFirst) }
    }
    return looked.indexes
  }
  gauge('faultline_index_bytes', "Size of a project's index on the disk", ['project'], async gauge => {
    for (const [at, { project, bytes }] of (await indexes()).entries()) {
      gauge.inc({ project: projectLabel(project, at) }, bytes)
    }
  })
  gauge('faultline_index_chunks', "Chunks in a project's index", ['project'], async gauge => {
    for (const [at, { project, chunks }] of (await indexes()).entries()) {
      if (chunks !== null) gauge.inc({ project: projectLabel(project, at) }, chunks)
    }
  })

  /** A gauge that is read when somebody asks; what is gone since the last time is not told any more. */
  function gauge(name: string, help: string, labelNames: string[], read: (gauge: Gauge) => void | Promise<void>): void {
    const made: Gauge = new Gauge({
      name,
      help,
      labelNames,
      registers,
      async collect() {
        made.reset()
        await read(made)
      },
    })
  }

  return {
    request: (route, method, status, seconds) => requests.observe({ route, method, status }, seconds),
    modelCall({ model: name, outcome, retries: again, durationMs, usage }) {
      const model = modelLabel(name)
      calls.observe({ model, outcome }, durationMs / 1000)
      tokens.inc({ model, kind: 'prompt' }, usage.promptTokens)
      tokens.inc({ model, kind: 'completion' }, usage.completionTokens)
      retries.inc({ model }, again)
      if (usage.usd !== null) cost.inc({ model }, usage.usd)
    },
    sandboxRun: ({ killedBy, ready, exitCode, durationMs, sandboxed }) =>
      runs.observe(
        { outcome: killedBy ?? (exitCode === 0 || ready ? 'ok' : 'failed'), sandboxed: String(sandboxed) },
        durationMs / 1000,
      ),
    contentType: registry.contentType,
    text: () => registry.metrics(),
  }
}
