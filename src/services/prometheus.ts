import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client'
import { seesProject, type Visibility } from '../core/access.ts'

/** What is read when somebody asks. */
export interface MetricSources {
  /** The jobs that somebody sees. */
  jobs: (visibleTo?: Visibility | null) => Promise<Array<{ type: string; status: string; jobs: number }>>
  /** Jobs that run, the most that may, and the most that may be queued. */
  limits: () => { running: number; concurrency: number; queueLimit: number }
  /** What the index of each project takes; `chunks` is null for one that cannot be read. */
  indexes: () => Promise<Array<{ project: string; bytes: number; chunks: number | null }>>
  /** Bytes of jobs in files and in the database. */
  jobBytes: () => Promise<number>
  /** What people thought of kept answers. */
  feedback: () => Promise<{ helpful: number; unhelpful: number }>
  /** Milliseconds since the job was made that has been queued for longest; null where none is. */
  queuedForMs: () => Promise<number | null>
  /** What copies take on the disk, and what they may take; null for a process that works alone. */
  cache: (() => { projects: number; bytes: number; maxBytes: number | null }) | null
  /** Null for a process that works alone. */
  node: {
    name: string
    role: string
    /** The live nodes; null while the database does not answer. */
    alive: () => ReadonlyArray<{ isDraining: boolean }> | null
    /** Heartbeats that could not be written. */
    heartbeatFailures: () => number
  } | null
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

/** What a server counts, and the figures that it looks up when somebody asks. */
export interface Metrics {
  request(route: string, method: string, status: number, seconds: number): void
  modelCall(call: ModelCall): void
  sandboxRun(run: SandboxRun): void
  /** A request that another node was to answer, by how that went. */
  forwarded(result: string): void
  /** Looks the figures of the sources up whenever somebody asks; called once. */
  watch(sources: MetricSources): void
  contentType: string
  /** The text that Prometheus reads; for somebody who sees some projects, what there is to say of these alone. */
  text(visibleTo?: Visibility | null): Promise<string>
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

/** The model's own name, for so many models as may have one. */
function createModelLabels(known: readonly string[]): (model: string) => string {
  const models = new Set(known)
  const maxModels = models.size + MAX_MODELS
  return model => {
    if (models.size < maxModels) models.add(model)
    return models.has(model) ? model : 'other'
  }
}

function countRequests(registers: Registry[]): Metrics['request'] {
  const requests = new Histogram({
    name: 'faultline_http_request_duration_seconds',
    help: 'HTTP requests by route',
    labelNames: ['route', 'method', 'status'],
    buckets: REQUEST_SECONDS,
    registers,
  })
  return (route, method, status, seconds) => requests.observe({ route, method, status }, seconds)
}

function countModelCalls(registers: Registry[], knownModels: readonly string[]): Metrics['modelCall'] {
  const modelLabel = createModelLabels(knownModels)
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
  return ({ model: name, outcome, retries: again, durationMs, usage }) => {
    const model = modelLabel(name)
    calls.observe({ model, outcome }, durationMs / 1000)
    tokens.inc({ model, kind: 'prompt' }, usage.promptTokens)
    tokens.inc({ model, kind: 'completion' }, usage.completionTokens)
    retries.inc({ model }, again)
    if (usage.usd !== null) cost.inc({ model }, usage.usd)
  }
}

function endOf({ killedBy, ready, exitCode }: SandboxRun): string {
  if (killedBy !== null) return killedBy
  return exitCode === 0 || ready ? 'ok' : 'failed'
}

function countSandboxRuns(registers: Registry[]): Metrics['sandboxRun'] {
  const runs = new Histogram({
    name: 'faultline_sandbox_run_duration_seconds',
    help: 'Programs that were run, by how they ended',
    labelNames: ['outcome', 'sandboxed'],
    buckets: RUN_SECONDS,
    registers,
  })
  return run => runs.observe({ outcome: endOf(run), sandboxed: String(run.sandboxed) }, run.durationMs / 1000)
}

function countForwarded(registers: Registry[]): Metrics['forwarded'] {
  const forwarded = new Counter({
    name: 'faultline_forwarded_requests_total',
    help: 'Requests that another node was to answer, by how that went; all but "answered" and "cut" are answered here',
    labelNames: ['result'],
    registers,
  })
  return result => forwarded.inc({ result })
}

interface GaugeOptions {
  name: string
  help: string
  labelNames?: string[]
}

/** A figure with its labels; figures with equal labels are added up. */
type Figure = [labels: Record<string, string>, value: number]

/**
 * Adds a gauge that is read when somebody asks; what is gone since the last time is not shown any more. All figures are
 * there before any is set, so that those who ask at the same time do not disturb each other.
 */
function addGauge(
  registers: Registry[],
  { name, help, labelNames = [] }: GaugeOptions,
  read: () => Promise<Figure[]>,
): void {
  const gauge: Gauge = new Gauge({
    name,
    help,
    labelNames,
    registers,
    async collect() {
      const figures = await read()
      gauge.reset()
      for (const [labels, value] of figures) gauge.inc(labels, value)
    },
  })
}

function watchCounts(registers: Registry[], { jobs }: Pick<MetricSources, 'jobs'>): void {
  const states = { name: 'faultline_jobs', help: 'Jobs by type and state', labelNames: ['type', 'state'] }
  addGauge(registers, states, async () =>
    (await jobs()).map(({ type, status, jobs: count }): Figure => [{ type, state: status }, count]),
  )
  const length = { name: 'faultline_job_queue_length', help: 'Jobs that wait for a slot' }
  addGauge(registers, length, async () => {
    const queued = (await jobs()).filter(({ status }) => status === 'queued')
    return [[{}, queued.reduce((sum, { jobs: count }) => sum + count, 0)]]
  })
}

function watchJobs(registers: Registry[], { limits, jobBytes }: MetricSources): void {
  const limit = { name: 'faultline_job_queue_limit', help: 'Jobs that may wait for a slot' }
  addGauge(registers, limit, async () => [[{}, limits().queueLimit]])
  const slots = { name: 'faultline_job_slots', help: 'Slots that jobs run in', labelNames: ['state'] }
  addGauge(registers, slots, async () => {
    const { running, concurrency } = limits()
    return [
      [{ state: 'busy' }, running],
      [{ state: 'free' }, concurrency - running],
    ]
  })
  const bytes = { name: 'faultline_job_bytes', help: 'Bytes of jobs and their files' }
  addGauge(registers, bytes, async () => [[{}, await jobBytes()]])
}

function watchQueue(registers: Registry[], { queuedForMs }: MetricSources): void {
  const oldest = {
    name: 'faultline_job_queue_oldest_seconds',
    help: 'Time since the job was made that has been queued for longest; 0 where none is',
  }
  addGauge(registers, oldest, async () => [[{}, ((await queuedForMs()) ?? 0) / 1000]])
}

function watchNodes(registers: Registry[], { alive, heartbeatFailures }: NonNullable<MetricSources['node']>): void {
  const nodes = { name: 'faultline_nodes', help: 'Live nodes, as this one sees them', labelNames: ['state'] }
  addGauge(registers, nodes, async () =>
    (alive() ?? []).map(({ isDraining }): Figure => [{ state: isDraining ? 'draining' : 'serving' }, 1]),
  )
  const failures: Counter = new Counter({
    name: 'faultline_heartbeat_failures_total',
    help: 'Heartbeats of this node that could not be written',
    registers,
    collect() {
      failures.reset()
      failures.inc(heartbeatFailures())
    },
  })
}

function watchCache(registers: Registry[], cache: NonNullable<MetricSources['cache']>): void {
  const bytes = {
    name: 'faultline_cache_bytes',
    help: 'What copies of indexes, clones and kept files take on the disk of this node',
  }
  addGauge(registers, bytes, async () => [[{}, cache().bytes]])
  const limit = { name: 'faultline_cache_limit_bytes', help: 'What they may take, by CACHE_GB; 0: anything' }
  addGauge(registers, limit, async () => [[{}, cache().maxBytes ?? 0]])
  const projects = { name: 'faultline_cached_projects', help: 'Projects whose index lies on the disk of this node' }
  addGauge(registers, projects, async () => [[{}, cache().projects]])
}

function watchFeedback(registers: Registry[], { feedback }: MetricSources): void {
  const judged = { name: 'faultline_feedback', help: 'Judgements of kept answers', labelNames: ['judgement'] }
  addGauge(registers, judged, async () =>
    Object.entries(await feedback()).map(([judgement, count]): Figure => [{ judgement }, count]),
  )
}

/** The indexes, largest first, as they were at most `INDEX_AGE_MS` ago. */
function rememberIndexes(indexes: MetricSources['indexes']): MetricSources['indexes'] {
  let last: { at: number; indexes: ReturnType<MetricSources['indexes']> } | null = null
  return () => {
    if (last === null || performance.now() - last.at > INDEX_AGE_MS) {
      last = { at: performance.now(), indexes: indexes().then(largestFirst) }
    }
    return last.indexes
  }
}

function watchIndexes(registers: Registry[], { indexes }: Pick<MetricSources, 'indexes'>): void {
  const size = {
    name: 'faultline_index_bytes',
    help: "Size of a project's index on the disk",
    labelNames: ['project'],
  }
  addGauge(registers, size, async () =>
    (await indexes()).map(({ project, bytes }, at): Figure => [{ project: projectLabel(project, at) }, bytes]),
  )
  const count = { name: 'faultline_index_chunks', help: "Chunks in a project's index", labelNames: ['project'] }
  addGauge(registers, count, async () =>
    (await indexes()).flatMap(({ project, chunks }, at): Figure[] =>
      chunks === null ? [] : [[{ project: projectLabel(project, at) }, chunks]],
    ),
  )
}

/** Several nodes are told apart by their names; a process that works alone has no such labels. */
function nameNode(registry: Registry, { node }: MetricSources): void {
  if (node !== null) registry.setDefaultLabels({ node: node.name, role: node.role })
}

/** What there is to say of some projects; counts of the whole server would tell of others. */
function textFor(visibleTo: Visibility, sources: MetricSources): Promise<string> {
  const registry = new Registry()
  nameNode(registry, sources)
  watchCounts([registry], { jobs: () => sources.jobs(visibleTo) })
  watchIndexes([registry], {
    indexes: async () => (await sources.indexes()).filter(({ project }) => seesProject(visibleTo, project)),
  })
  return registry.metrics()
}

/** Counters and gauges of one server, in a registry of its own. @param knownModels - The configured ones. */
export function createPrometheus(knownModels: readonly string[]): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const registers = [registry]
  let sources: MetricSources | null = null
  return {
    request: countRequests(registers),
    modelCall: countModelCalls(registers, knownModels),
    sandboxRun: countSandboxRuns(registers),
    forwarded: countForwarded(registers),
    watch(given) {
      sources = { ...given, indexes: rememberIndexes(given.indexes) }
      watchCounts(registers, sources)
      watchJobs(registers, sources)
      watchQueue(registers, sources)
      nameNode(registry, sources)
      if (sources.node !== null) watchNodes(registers, sources.node)
      if (sources.cache !== null) watchCache(registers, sources.cache)
      watchFeedback(registers, sources)
      watchIndexes(registers, sources)
    },
    contentType: registry.contentType,
    text(visibleTo = null) {
      if (visibleTo === null || sources === null) return registry.metrics()
      return textFor(visibleTo, sources)
    },
  }
}
