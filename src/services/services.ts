import type { Config } from '../config.ts'
import { fewArenas } from '../config/client.ts'
import { threadCaches } from '../core/cache-budget.ts'
import { done, type Actor } from '../core/audit.ts'
import { FaultlineError } from '../core/errors.ts'
import type { JobType, JsonObject } from '../core/job.ts'
import type { ProjectInfo, ProjectSettings } from '../core/project.ts'
import type { Projects } from '../indexer/projects.ts'
import type { JobDefinitions } from '../jobs/job-definition.ts'
import type { Jobs } from '../jobs/jobs.ts'
import type { FolderLock } from '../jobs/lock.ts'
import type { JobStore } from '../jobs/store/job-store.ts'
import { resumeHistories, type HistoryFetcher } from '../pipelines/clone/history.ts'
import type { PreparedRequest } from '../pipelines/pipeline.ts'
import { routedRequests, type PreparedRequests, type RoutedRequest } from '../pipelines/registry.ts'
import { completeRetry, type RetryRequest } from '../pipelines/retry.ts'
import type { AskModel } from '../pipelines/steps/model/ask-model.ts'
import type { Sandbox } from '../sandbox/sandbox.ts'
import type { ThreadStarter } from '../threads/entry.ts'
import { searchHere } from '../vecstore/probe.ts'
import { openStore, type Store } from '../vecstore/store.ts'
import { createAudit, type Audit } from './audit.ts'
import { createCallbackService } from './callbacks.ts'
import { connectCloning } from './cloning.ts'
import { openDataFiles, type DataAccess } from './data-files.ts'
import { createDiskSpace, type FreeBytes } from './disk-space.ts'
import { createFollowing, type Following } from './following.ts'
import { createForges } from './forges.ts'
import { gitOptions, startGit, type Git } from './git.ts'
import { startHistory } from './history.ts'
import { startIndexing, type Indexing } from './indexing.ts'
import { createJobService } from './jobs.ts'
import { createLeading } from './leading.ts'
import type { Log } from './log.ts'
import { createTellOrigins } from './ci-origins.ts'
import { createMetrics } from './metrics.ts'
import type { Metrics, MetricSources } from './prometheus.ts'
import { createModel, type Model } from './model.ts'
import { connectJobs, connectRequests } from './pipelines.ts'
import { createNode, type SharedDatabase, type ThisNode } from './nodes.ts'
import { createNotifications } from './notifications.ts'
import { createOpener } from './opening.ts'
import { createProjects } from './projects.ts'
import { createRemoval, type RemoveProject } from './removal.ts'
import { createReadiness, type AskReadiness } from './readiness.ts'
import { startResolveThreads, type ResolveThreads } from './resolve-threads.ts'
import type { openReplicas as OpenReplicas, Replicas } from './replicas.ts'
import { createResolving, type Resolving } from './resolving.ts'
import { openResolutions, type Resolutions } from './resolutions.ts'
import { Rush } from './rush.ts'
import { openSharedDatabase } from './shared-database.ts'
import { sandboxProcessOptions } from './sandbox-options.ts'
import { startSandbox } from './sandbox.ts'
import { checkFeatureSettings } from '../pipelines/feature/rules.ts'
import { createFeatureTidying } from './feature-tidying.ts'
import type { Stores } from './store-set.ts'
import { openStores } from './stores.ts'
import { createTaskTidying } from './task-branches.ts'
import { createTasks, type Tasks } from './tasks.ts'
import { createUploads, type Uploads } from './uploads.ts'
import { withoutSecrets } from './without-secrets.ts'
import { cacheBytesOf, workerDataOf } from './worker-data.ts'

export type { Log } from './log.ts'

/** What the server and the commands work with. */
export interface Services {
  jobs: Jobs
  metrics: Metrics
  projects: Projects
  resolving: Resolving
  /** Answers to stack traces that are kept. */
  resolutions: Resolutions
  /** Every kind of request that makes jobs, with what completes its bodies. */
  requests: PreparedRequests
  /** What keeps projects up to date. */
  following: Following
  /** Files that clients send. */
  uploads: Uploads
  /** The requests whose routes are made from their rows of the registry. */
  pipelineRoutes: readonly RoutedRequest[]
  /** A text as it is stored: secrets are replaced. */
  withoutSecrets(text: string): Promise<string>
  /** The body of a retry: that of the earlier job with the overrides, checked like a new one. */
  completeRetry(retry: RetryRequest): Promise<JsonObject>
  /** This process, alone or among others. */
  node: ThisNode
  /**
   * Fires when others are to do the work of this process, or the server begins to stop: streams of jobs end, and who
   * waits for one is answered.
   */
  draining: AbortSignal
  /** Fires when the server begins to stop: streams end. */
  closing: AbortSignal
  /**
   * Changes the settings that are given.
   *
   * @throws {FaultlineError} as `projects.change`; and for a callbackUrl that nothing can be sent to.
   */
  changeProject(name: string, changes: Partial<ProjectSettings>, by: Actor): Promise<ProjectInfo>
  /**
   * Deletes a project, with `purge` also its jobs and what the audit log says of it.
   *
   * @throws {FaultlineError} PROJECT_NOT_FOUND, PROJECT_BUSY
   */
  removeProject: RemoveProject
  /** Who did what. */
  audit: Audit
  /** Tasks that were asked for in words. */
  tasks: Tasks
  /** Whether a model is configured. */
  hasModel: boolean
  /** What webhooks are signed with, by provider. */
  webhookKeys: Config['webhookKeys']
  /** Whether jobs can be taken, and with what; answers in time, and never rejects. */
  ready: AskReadiness
  /** A file as a commit of a clone has it; null when it is not there. */
  readCommitted(file: { repository: string; commit: string; path: string }): Promise<Buffer | null>
  /** Tells other processes where this one listens. */
  announce(url: string): void
  /** Shows to whoever may read the data folders that this process holds them; null for one that only looks. */
  prove(challenge: string): string | null
  /**
   * Removes what a killed process left in the folders, once. Whatever reads or changes projects waits for that; a
   * server listens before, as it takes some tenths of a second.
   */
  sweep(): Promise<void>
  /** Sweeps, takes up the jobs of the process before and begins to run new ones. */
  start(): Promise<void>
  /** Makes the first request about a project as quick as the later ones; for a server, not for a command that ends. */
  warmUp(): Promise<void>
  /** Resolves when no background work (history) is left. */
  idle(): Promise<void>
  /** Hands over to the other nodes; requests are answered as before. */
  beginDraining(): Promise<void>
  beginClosing(): void
  close(): Promise<void>
}

/** What services are made with beside the configuration. */
export interface ServiceOptions extends DataAccess {
  /** Further pipelines, or others in place of those of this version. */
  definitions?: JobDefinitions | ((parts: { model: AskModel }) => JobDefinitions)
  /** Further kinds of requests that make jobs. */
  requests?: readonly PreparedRequest[]
  /** Starts the threads; by default each is one. */
  starter?: ThreadStarter
  /** Free bytes where a folder lies; by default as the file system says. */
  freeBytes?: FreeBytes
  /** The release, for other nodes. */
  version?: string
}

/** What holds something open: each part is closed after those that were opened later. */
interface OpenParts {
  /** Null for services that only look. */
  lock: FolderLock | null
  /** Null for a process that works alone. */
  shared: SharedDatabase | null
  jobStore: JobStore
  jobSharing: Stores['jobSharing']
  /** What lies on this node's disk and is kept to what all nodes share; null for a process that works alone. */
  replicas: Replicas | null
  metrics: Metrics
  sandbox: Sandbox
  git: Git
  store: Store
  projects: Projects
  model: Model
  indexing: Indexing
  resolveThreads: ResolveThreads
  resolving: Resolving
  rush: Rush
  resolutions: Resolutions
  history: HistoryFetcher
}

interface OpenOptions extends DataAccess {
  config: Config
  freeBytes: FreeBytes | undefined
  isBeside: (type: JobType) => boolean
  /** Fires when the server begins to stop. */
  closing: AbortSignal
  log: Log
  starter: ThreadStarter | undefined
}

const COLLECT_MS = 3_600_000
const NEWS_MS = 500

/** Calls once for all calls that come within a moment. */
function gathered(call: () => void): () => void {
  let timer: NodeJS.Timeout | undefined
  return () => {
    timer ??= setTimeout(() => {
      timer = undefined
      call()
    }, NEWS_MS).unref()
  }
}

/** Deletes what nodes shared and nothing needs any more, each hour until the signal fires. */
function collectFrom(replicas: Replicas | null, { signal, log }: { signal: AbortSignal; log: Log }): void {
  if (replicas === null) return
  const collect = () =>
    replicas.collect(signal).catch((error: unknown) => {
      if (!signal.aborted) log.warn({ err: error }, 'what nothing needs could not be deleted, which is tried again')
    })
  const timer = setInterval(collect, COLLECT_MS).unref()
  signal.addEventListener('abort', () => clearInterval(timer), { once: true })
}

/** Loaded only where several nodes share what they have. */
async function connectReplicas(
  parts: AsyncDisposableStack,
  config: Config,
  deps: Parameters<typeof OpenReplicas>[1],
): Promise<Replicas> {
  const { openReplicas } = await import('./replicas.ts')
  const replicas = await openReplicas(config, deps)
  parts.defer(replicas.close)
  return replicas
}

/** Opens folders and threads, each part with those before it. */
async function openParts(
  parts: AsyncDisposableStack,
  { config, log, starter, freeBytes, isBeside, closing, ...access }: OpenOptions,
): Promise<OpenParts> {
  threadCaches.resize(cacheBytesOf(config, 'main'))
  const { lock, reserve, db } = openDataFiles(parts, config, access)
  const readOnly = lock === null
  const shared = await openSharedDatabase(parts, config, { readOnly, log })
  const stores = await openStores(parts, config, { db, reserve, shared, readOnly, isBeside, log })
  const { jobs: jobStore, jobSharing } = stores
  const metrics = createMetrics(config.llm === null ? [] : [config.llm.model, ...config.llm.fallbackModels])
  const sandbox = startSandbox(sandboxProcessOptions(config, { log, onRun: metrics.sandboxRun }), starter)
  parts.defer(() => sandbox.close())
  const ownGit = startGit(gitOptions(config, log), starter)
  parts.defer(ownGit.close)
  const ownStore = openStore(config.vectorStoreDir, { minFreeBytes: config.diskReserveBytes })
  const local = { store: ownStore, git: ownGit }
  /** Made over what replicas are made of. */
  const historyOf: { current: HistoryFetcher | null } = { current: null }
  const replicas =
    shared === null || readOnly
      ? null
      : await connectReplicas(parts, config, {
          shared,
          local,
          freeBytes,
          onBrought: clone => historyOf.current?.enqueue(clone),
          log,
          closing,
        })
  const { store, git } = replicas ?? local

  const projects = createProjects(config, { store, git, jobStore })
  const model = await createModel(config, { onCall: metrics.modelCall })
  const indexing = parts.adopt(startIndexing(workerDataOf(config), { log, starter, env: fewArenas() }), ({ close }) =>
    close(),
  )
  const ownThreads = startResolveThreads(config, { chunksOf: name => projects.chunksOf(name), log, starter })
  parts.defer(ownThreads.close)
  const resolveThreads = replicas?.keeping(ownThreads) ?? ownThreads
  const rush = new Rush()
  const resolutions = openResolutions(config, {
    store: stores.resolutions,
    ciRuns: stores.ciRuns,
    readOnly,
    rush,
    log,
  })
  parts.defer(() => resolutions.keeper.close())
  const resolving = createResolving(config, {
    projects,
    threads: resolveThreads,
    rush,
    git,
    store,
    model,
    keeper: resolutions.keeper,
    fetchesRefs: lock !== null,
    log,
  })
  const history = parts.adopt(startHistory({ git, log, rush }), fetcher => fetcher.close())
  historyOf.current = history
  return {
    lock,
    shared,
    jobStore,
    jobSharing,
    replicas,
    metrics,
    sandbox,
    git,
    store,
    projects,
    model,
    indexing,
    resolveThreads,
    resolving,
    rush,
    resolutions,
    history,
  }
}

/** @throws {FaultlineError} DATA_DIR_LOCKED for services that only look. */
function needLock(lock: FolderLock | null): void {
  if (lock !== null) return
  throw new FaultlineError('DATA_DIR_LOCKED', 'These services only look: they hold no lock and change nothing.')
}

async function sweepFolders({ git, store, sandbox, replicas }: OpenParts): Promise<void> {
  await replicas?.requireShared() // before anything of the folders goes
  await Promise.all([git.sweep(), store.sweep(), sandbox.sweep()])
  if (replicas === null) await git.releaseMissing(await store.listProjects())
  else await replicas.releaseMissing()
}

/** The figures of a node among others; null for a process that works alone. */
function nodeSources({ name, roles, cluster }: ThisNode): MetricSources['node'] {
  if (cluster === null) return null
  const { registry } = cluster
  return {
    name,
    role: roles.join(','),
    alive: () => registry.alive(),
    heartbeatFailures: () => registry.failures,
  }
}

const indexesOf = async ({ store, projects }: { store: Store; projects: Projects }) =>
  Promise.all(
    (await store.listProjects()).map(async project => ({
      project,
      bytes: await store.storeBytes(project),
      // damaged or just deleted; GET /projects says so
      chunks: await projects.chunksOf(project).catch(() => null),
    })),
  )

/** What is read when somebody asks for the metrics. */
const metricSources = (
  { jobsConcurrency: concurrency, queueLimit }: Config,
  {
    jobs,
    store,
    projects,
    resolutions,
    node,
    replicas,
  }: {
    jobs: Jobs
    store: Store
    projects: Projects
    resolutions: Resolutions
    node: ThisNode
    replicas: Replicas | null
  },
): MetricSources => ({
  jobs: visibleTo => jobs.counts(visibleTo),
  limits: () => ({ running: jobs.running(), concurrency, queueLimit }),
  // of those that lie here: nothing is brought for a figure
  indexes: () => replicas?.cache.indexes() ?? indexesOf({ store, projects }),
  cache: replicas === null ? null : () => replicas.cache.size(),
  jobBytes: () => jobs.usedBytes(),
  feedback: () => resolutions.feedbackCounts(),
  queuedForMs: () => jobs.queuedForMs(),
  node: nodeSources(node),
})

/**
 * Builds each part once, from the bottom up, and connects them; `close` undoes it in reverse, the rest also when one
 * cannot be closed. Takes the lock of the DATA_DIR, unless they only look (`readOnly`): then no job is run, and what is
 * written fails or, as the answers that are kept, is left out.
 */
export async function createServices(
  config: Config,
  log: Log,
  { definitions = {}, requests: further = [], starter, freeBytes, version = '', ...access }: ServiceOptions = {},
): Promise<Services> {
  await using parts = new AsyncDisposableStack()
  const closing = new AbortController()
  const draining = new AbortController()
  /** Known when the pipelines are, which is before any job is handed out. */
  const known: { definitions: JobDefinitions } = { definitions: {} }
  const isBeside = (type: JobType): boolean => known.definitions[type]?.isBeside === true
  const open = await openParts(parts, { config, log, starter, freeBytes, isBeside, closing: closing.signal, ...access })
  const {
    lock,
    shared,
    jobStore,
    jobSharing,
    metrics,
    sandbox,
    git,
    store,
    projects,
    model,
    resolveThreads,
    resolving,
    resolutions,
    history,
  } = open

  const leading = createLeading(config, { shared, log })
  const callbacks = createCallbackService(config, { store, projects, git })
  const findForge = createForges(config, { projects })
  const made = Promise.withResolvers<Jobs>()
  const { retentionDays } = config
  const { ciRuns } = resolutions
  const tellOrigins = createTellOrigins({
    git,
    projects,
    resolutions,
    ciRuns,
    fetchesRefs: lock !== null,
    retentionDays,
  })
  const pipelines = {
    git,
    sandbox,
    projects,
    model,
    resolving,
    callbacks,
    findForge,
    tellOrigins,
    config,
    features: jobStore.features,
    jobs: made.promise,
    nodeName: jobSharing.node ?? null,
  }
  const opener = createOpener({
    ...open,
    threads: open.resolveThreads,
    chunksOf: name => projects.chunksOf(name),
    log,
    closing: closing.signal,
  })
  const { replicas } = open
  const own = connectJobs(pipelines, connectCloning({ ...open, opener, sharing: replicas?.sharing }))
  const others = typeof definitions === 'function' ? definitions({ model: model.asking }) : definitions
  const all = { ...own, ...others }
  known.definitions = replicas?.bringing(all) ?? all
  const disk = createDiskSpace(config, { freeBytes, makeRoom: replicas?.cache.makeRoom })
  const tidying = createTaskTidying({
    tasks: jobStore.tasks,
    jobs: jobStore,
    git,
    listProjects: () => store.listProjects(),
    log,
    closing: closing.signal,
  })
  const features = createFeatureTidying({
    features: jobStore.features,
    audit: jobStore.audit,
    jobs: jobStore,
    git,
    findForge,
    log,
    closing: closing.signal,
  })
  const notifications = createNotifications(config, {
    jobs: jobStore,
    answering: made.promise,
    deliver: callbacks.deliver,
    leads: leading.leads,
    log,
    closing: closing.signal,
  })
  const jobs = createJobService(config, {
    store: jobStore,
    sharing: { ...jobSharing, fileBytes: replicas?.fileBytes },
    definitions: known.definitions,
    sandbox,
    log,
    disk,
    projects,
    taskEnded: tidying.ended,
    featureEnded: features.ended,
    changed: notifications.changed,
  })
  made.resolve(jobs)
  parts.defer(() => tidying.idle())
  parts.defer(() => features.idle())
  parts.defer(() => notifications.close())
  parts.defer(() => jobs.stop())
  parts.defer(() => leading.close())
  const requests = connectRequests(pipelines, jobs)
  const uploads = createUploads(config, { disk, shared: replicas?.uploads, jobs })
  const removeProject = createRemoval({
    projects,
    jobs,
    audit: jobStore.audit,
    tasks: jobStore.tasks,
    features: jobStore.features,
    settleFeatures: features.settle,
    isBusy: name => jobStore.isProjectBusy(name),
    purges: [name => resolutions.removeOfProject(name)],
  })
  const following = createFollowing({ store, projects, git, jobs, requests, leads: leading.leads, log })
  parts.defer(() => following.follower.close())
  const node = await createNode(config, {
    jobs,
    store,
    version,
    shared,
    cached: replicas === null ? null : () => replicas.cache.size(),
    onForwarded: metrics.forwarded,
    log,
  })
  parts.defer(async () => {
    await node.cluster?.registry.leave()
    await node.cluster?.close()
  })
  metrics.watch(metricSources(config, { jobs, store, projects, resolutions, node, replicas }))

  /** What one process does for all; each part reports itself. */
  function lead(signal: AbortSignal): void {
    tidying.sweep()
    features.sweep()
    notifications.start(signal)
    resolutions.keeper.prune()
    collectFrom(replicas, { signal, log })
  }
  jobSharing.newsLine?.on('changed', gathered(notifications.changed))

  let swept: Promise<void> | undefined
  const sweep = (): Promise<void> => (swept ??= lock === null ? Promise.resolve() : sweepFolders(open))
  const opened = parts.move() // until here, what fails closes what there is
  let closed: Promise<void> | undefined
  return {
    jobs,
    metrics,
    projects,
    resolving,
    resolutions,
    requests,
    following,
    uploads,
    pipelineRoutes: routedRequests(requests),
    node,
    draining: draining.signal,
    closing: closing.signal,
    hasModel: config.llm !== null,
    webhookKeys: config.webhookKeys,
    withoutSecrets,
    completeRetry: retry => completeRetry([...further, ...Object.values(requests)], retry),
    async changeProject(name, changes, by) {
      needLock(lock)
      callbacks.choice.check(changes.callbackUrl)
      callbacks.choice.check(changes.deployUrl, 'deploy_url')
      checkFeatureSettings(changes)
      const changed = await projects.change(name, changes)
      const { projectName } = changed
      const settings = Object.keys(changes).map(setting => setting.replace(/[A-Z]/g, one => `_${one.toLowerCase()}`))
      await jobStore.audit.add(done(by, { action: 'project.change', projectName, target: settings.join(', ') }))
      return changed
    },
    async removeProject(...args) {
      needLock(lock)
      await removeProject(...args)
    },
    audit: createAudit(jobStore.audit, log),
    tasks: createTasks(jobStore.tasks),
    ready: createReadiness(config, {
      git,
      sandbox,
      disk,
      search: searchHere,
      node,
      onFailure: error => {
        if (!closing.signal.aborted) log.warn({ err: error }, 'the machine could not be looked at')
      },
    }),
    async readCommitted(file) {
      const bytes = await git.readBytes(file)
      return bytes === null ? null : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    },
    announce: url => lock?.announce(url),
    prove: challenge => lock?.prove(challenge) ?? null,
    sweep,
    async start() {
      needLock(lock)
      await sweep()
      replicas?.cache.start()
      await uploads.sweep()
      await jobs.start()
      await leading.start(lead)
      resumeHistories(projects, {
        hasChanges: ({ repository, projectName }) => git.hasChanges(repository, projectName),
        enqueue: history.enqueue,
      }).catch((error: unknown) => log.warn({ err: error }, 'open histories could not be looked up'))
    },
    async warmUp() {
      if ((await store.listProjects()).length > 0) await resolveThreads.warmUp()
    },
    idle: history.idle,
    async beginDraining() {
      draining.abort()
      await node.cluster?.registry.drain()
    },
    beginClosing() {
      draining.abort()
      closing.abort()
    },
    close() {
      draining.abort()
      closing.abort()
      closed ??= opened.disposeAsync()
      return closed
    },
  }
}
