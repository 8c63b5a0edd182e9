import type { Config } from '../config.ts'
import { done, type Actor } from '../core/audit.ts'
import { FaultlineError } from '../core/errors.ts'
import type { JobType, JsonObject } from '../core/job.ts'
import type { ProjectInfo, ProjectSettings } from '../core/project.ts'
import type { Projects } from '../indexer/projects.ts'
import type { JobDefinitions } from '../jobs/job-definition.ts'
import type { Jobs } from '../jobs/jobs.ts'
import type { FolderLock } from '../jobs/lock.ts'
import { resumeHistories } from '../pipelines/clone/history.ts'
import type { PreparedRequest } from '../pipelines/pipeline.ts'
import { routedRequests, type PreparedRequests, type RoutedRequest } from '../pipelines/registry.ts'
import { completeRetry, type RetryRequest } from '../pipelines/retry.ts'
import type { AskModel } from '../pipelines/steps/model/ask-model.ts'
import type { ThreadStarter } from '../threads/entry.ts'
import { searchHere } from '../vecstore/probe.ts'
import { createAudit, type Audit } from './audit.ts'
import { createCallbackService } from './callbacks.ts'
import { connectCloning } from './cloning.ts'
import type { CodeTools } from './code-tools.ts'
import type { DataAccess } from './data-files.ts'
import { createDiskSpace, type FreeBytes } from './disk-space.ts'
import { createFollowing, type Following } from './following.ts'
import type { FindForge } from '../forges/forge-site.ts'
import { createForges } from './forges.ts'
import { createHighlighting, type Highlighting } from './highlighting.ts'
import { createJobService } from './jobs.ts'
import { createLeading } from './leading.ts'
import type { Log } from './log.ts'
import { createTellOrigins } from './ci-origins.ts'
import type { Metrics } from './prometheus.ts'
import { connectChecks, connectJobs, connectRequests } from './pipelines.ts'
import { createNode, type ThisNode } from './nodes.ts'
import { metricSources } from './metric-sources.ts'
import { createNotifications } from './notifications.ts'
import { openParts, sweepFolders } from './open-parts.ts'
import { createOpener } from './opening.ts'
import { createRemoval, type RemoveProject } from './removal.ts'
import { createReadiness, type AskReadiness } from './readiness.ts'
import type { Replicas } from './replicas.ts'
import type { Resolving } from './resolving.ts'
import type { Resolutions } from './resolutions.ts'
import type { ChecksOf } from '../pipelines/environment/plan.ts'
import { checkFeatureSettings } from '../pipelines/feature/rules.ts'
import { createFeatureTidying } from './feature-tidying.ts'
import { createSessions, type Sessions } from './sessions.ts'
import { createTaskTidying } from './task-branches.ts'
import { createTasks, type Tasks } from './tasks.ts'
import { createUploads, type Uploads } from './uploads.ts'
import { withoutSecrets } from './without-secrets.ts'

export type { Log } from './log.ts'

/** What the server and the commands work with. */
export interface Services {
  jobs: Jobs
  metrics: Metrics
  projects: Projects
  resolving: Resolving
  /** Read-only questions about the code of projects. */
  codeTools: CodeTools
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
  /** Who is signed in to the pages. */
  sessions: Sessions
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
  /** The commands that hold for a project at a commit, with what its files and `.faultline.toml` say. */
  checksOf: ChecksOf
  /** The forge of a project's repository. */
  findForge: FindForge
  /** Pieces of files as lines of markup, for pages. */
  highlight: Highlighting['highlight']
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

/** @throws {FaultlineError} DATA_DIR_LOCKED for services that only look. */
function needLock(lock: FolderLock | null): void {
  if (lock !== null) return
  throw new FaultlineError('DATA_DIR_LOCKED', 'These services only look: they hold no lock and change nothing.')
}

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
    codeTools,
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
    codeTools,
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
  const highlighting = createHighlighting(log)
  parts.defer(() => highlighting.close())
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
    codeTools,
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
    sessions: createSessions(jobStore.sessions, jobStore.audit),
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
    checksOf: connectChecks(pipelines),
    findForge,
    highlight: highlighting.highlight,
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
