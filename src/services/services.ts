import { dirname } from 'node:path'
import { composeResolver, LOCATE_LIMITS, resolveRequest } from './compose-resolver.ts'
import type { Config } from '../config.ts'
import { writeResolution } from '../contract/resolution-json.ts'
import { FaultlineError } from '../core/errors.ts'
import type { ParsedTrace } from '../core/frame.ts'
import { LARGE_CHUNKS, type IndexResult, type ProjectSettings } from '../core/project.ts'
import type { Resolution, SearchAnswer } from '../core/resolution.ts'
import type { GenerationInputs } from './generation-inputs.ts'
import { generationDefinitions, generationInputs, type GenerationParts } from './generation-pipelines.ts'
import { startGit } from './git.ts'
import { Projects, type ProjectInfo } from '../indexer/projects.ts'
import { createJobInputs, type JobInputs, type JobRequestKind } from './job-inputs.ts'
import { openJobsDatabase } from '../jobs/store/sqlite/database.ts'
import { SqliteJobStore } from '../jobs/store/sqlite/sqlite-job-store.ts'
import type { JobDefinitions } from '../jobs/job-definition.ts'
import { Jobs } from '../jobs/jobs.ts'
import { lockFolders } from '../jobs/lock.ts'
import { createLlm } from '../llm/client/client.ts'
import { completeJson } from '../llm/json/complete-json.ts'
import { createEstimate, type Estimate } from '../llm/client/estimate.ts'
import { createPrompts } from '../llm/prompts.ts'
import { createMetrics, type Metrics } from './metrics.ts'
import { createCallbacks } from '../outbound/callbacks.ts'
import { createCallbackChoice } from '../pipelines/callback/callback-choice.ts'
import { createClonePipeline, projectKey } from '../pipelines/clone/run.ts'
import { createHistoryFetcher, resumeHistories } from '../pipelines/clone/history.ts'
import type { Readiness } from '../contract/readiness.ts'
import type { ResolveInput } from '../contract/resolution.ts'
import { createResolvePipeline } from '../pipelines/resolve/run.ts'
import { createAskModel, type AskModel } from '../pipelines/steps/model/ask-model.ts'
import { withCallback } from '../pipelines/callback/with-callback.ts'
import { createCloneReader } from '../repos/objects/clone-reader.ts'
import type { ResolveHooks } from '../resolver/resolver.ts'
import { parseStackTrace } from '../stack-trace/parse.ts'
import { embeddingOf, readiness, sandboxOptions } from './readiness.ts'
import { createResolveThreads } from './resolve-threads.ts'
import { startSandbox } from './sandbox.ts'
import { createSharedThread } from '../threads/shared-thread.ts'
import type { ThreadStarter } from '../threads/entry.ts'
import { createThreadPool } from '../threads/pool.ts'
import { countTokens } from '../tokens/o200k.ts'
import { openChunks } from '../vecstore/reader-cache.ts'
import { openStore } from '../vecstore/store.ts'

export { readFolder, type FolderFiles } from './folder-files.ts'
export type { Estimate } from '../llm/client/estimate.ts'
export { findGitDirs } from '../repos/remote/local-source.ts'
export { diagnose, type Diagnosis } from './readiness.ts'

/** What the composition root needs of a logger; pino's has it. */
export interface Log {
  info(context: object, message: string): void
  warn(context: object, message: string): void
  error(context: object, message: string): void
}

export interface Services {
  jobs: Jobs
  metrics: Metrics
  projects: Projects
  /** Fires when the server begins to stop: streams end. */
  closing: AbortSignal
  /** What jobs keep of the bodies of requests. */
  inputs: JobInputs
  /** Of the pipelines that write code. */
  generation: GenerationInputs
  /**
   * Changes the settings that are given. @throws {FaultlineError} as `projects.change`; for a callbackUrl that nothing
   * can be sent to.
   */
  changeProject(name: string, changes: Partial<ProjectSettings>): Promise<ProjectInfo>
  /** What webhooks are signed with, by provider. */
  webhookKeys: Config['webhookKeys']
  resolve(input: ResolveInput, hooks?: ResolveHooks): Promise<Resolution>
  /** The same as the JSON of the contract. */
  resolveToJson(input: ResolveInput, hooks?: ResolveHooks): Promise<Uint8Array[]>
  /** What a model would be asked, and what that would cost. Calls none, nor one for embeddings. */
  dryRunOfResolve(input: ResolveInput, signal?: AbortSignal): Promise<Estimate>
  /** The exceptions and frames of a text, without any project. */
  parse(stackTrace: string, signal?: AbortSignal): Promise<ParsedTrace>
  search(projectName: string, query: string, limit: number, signal?: AbortSignal): Promise<SearchAnswer>
  ready(): Promise<Readiness>
  /** A file as a commit of a clone has it; null when it is not there. */
  readCommitted(file: { repository: string; commit: string; path: string }): Promise<Buffer | null>
  /** Tells other processes where this one listens. */
  announce(url: string): void
  /** Takes up the jobs of a former process and begins to run new ones. */
  start(): Promise<void>
  /** Makes the first request as quick as the later ones; for a server, not for a command that ends. */
  warmUp(): Promise<void>
  /** Resolves when no background work (history) is left. */
  idle(): Promise<void>
  beginClosing(): void
  close(): Promise<void>
}

/**
 * What one commit adds to a known history can wait until no further commit comes; the next one is searchable sooner.
 */
const HISTORY_CALM_MS = 2_000
/** Of the code behind a failed run. */
const HEAL_CONTEXT_TOKENS = 4_000
const INDEX_THREADS = 1 // one of two cores stays free for HTTP and searches
/** What indexing a large repository took goes back with the thread; the next one starts while git works. */
const INDEX_IDLE_MS = 120_000
const RESOLVE_THREADS = 2
/** Threads that ask an embedding server mostly wait for it. */
const RESOLVE_THREADS_WITH_API = 6

/** `POST /parse` for a command: in this thread, without any store. */
export const parseOnly = (stackTrace: string): ParsedTrace => parseStackTrace(stackTrace)

/** What pipelines are built of. */
export interface PipelineParts {
  model: AskModel
}

export interface ServiceOptions {
  /** Further pipelines, or others in place of those of this version. */
  definitions?: JobDefinitions | ((parts: PipelineParts) => JobDefinitions)
  /** The kinds of requests that make their jobs. */
  requests?: readonly JobRequestKind[]
  /** Starts the threads; by default each is one. */
  starter?: ThreadStarter
}

/** A project may be deleted or made anew at any time. */
const isGone = (error: unknown): boolean =>
  error instanceof FaultlineError && (error.code === 'PROJECT_NOT_FOUND' || error.code === 'INDEX_NOT_READY')

/**
 * Builds each part once and connects them; `close` undoes it in reverse, the rest also when one cannot be closed. Takes
 * the lock of the DATA_DIR.
 */
export async function createServices(
  config: Config,
  log: Log,
  { definitions = {}, requests = [], starter }: ServiceOptions = {},
): Promise<Services> {
  const prompts = createPrompts({ promptsDir: config.promptsDir ?? undefined })
  const estimate = createEstimate({ model: config.llm?.model ?? null, prices: config.modelPrices, countTokens })
  await using parts = new AsyncDisposableStack()
  const lock = parts.use(
    lockFolders({
      DATA_DIR: config.dataDir,
      VECTOR_STORE_DIR: config.vectorStoreDir,
      CLONED_REPOS_DIR: config.clonedReposDir,
      WORKSPACES_DIR: config.workspacesDir,
      AI_PIPELINE_DB_PATH: dirname(config.jobsDbFile),
    }),
  )
  const db = parts.use(openJobsDatabase(config.jobsDbFile))
  const closing = new AbortController()

  const metrics = createMetrics(
    {
      jobs: () => jobs.counts(),
      limits: () => ({ running: jobs.running(), concurrency: config.jobsConcurrency, queueLimit: config.queueLimit }),
      indexes: async () =>
        Promise.all(
          (await store.listProjects()).map(async project => ({
            project,
            bytes: await store.storeBytes(project),
            // damaged or just deleted; GET /projects says so
            chunks: await projects.chunksOf(project).catch(() => null),
          })),
        ),
      jobBytes: () => jobs.usedBytes(),
    },
    config.llm === null ? [] : [config.llm.model, ...config.llm.fallbackModels],
  )
  const sandbox = startSandbox(
    {
      ...sandboxOptions(config),
      onRun: metrics.sandboxRun,
      onUnsafeRun: () => log.warn({}, 'a program is run without any isolation (SANDBOX=unsafe-host)'),
      onConnection: (host, allowed) => log.info({ host, allowed }, 'a program asked for a package registry'),
      onCrash: error =>
        log.error(
          { err: error },
          'the thread that runs programs broke down, and they ended with it; the next call starts another',
        ),
    },
    starter,
  )
  parts.defer(() => sandbox.close())

  const git = startGit(
    {
      clonedReposDir: config.clonedReposDir,
      allowLocalRepos: config.allowLocalRepos,
      allowPrivateHosts: config.allowPrivateHosts,
      gitTokens: config.gitTokens,
      sshAuthSock: config.sshAuthSock,
      onDamagedChanges: repository =>
        log.warn({ repository }, 'the table of what its commits changed was damaged and was made anew'),
      onCrash: error =>
        log.error({ err: error }, 'the thread that works on clones broke down; the next call starts another'),
    },
    starter,
  )
  parts.defer(git.close)
  const clones = createCloneReader({ clonedReposDir: config.clonedReposDir })
  const store = openStore(config.vectorStoreDir)
  await Promise.all([git.sweep(), store.sweep(), sandbox.sweep()])
  await git.releaseMissing(await store.listProjects())

  const workerData = {
    vectorStoreDir: config.vectorStoreDir,
    clonedReposDir: config.clonedReposDir,
    embedding: config.embedding,
    chunker: config.chunker,
  }
  const indexThreads = createThreadPool('index-worker', {
    threads: INDEX_THREADS,
    idleMs: INDEX_IDLE_MS,
    workerData,
    starter,
  })
  parts.defer(indexThreads.close)
  const atOnce = config.embedding === null ? RESOLVE_THREADS : RESOLVE_THREADS_WITH_API
  const resolveThreads = createResolveThreads({
    common: createThreadPool('resolve-worker', {
      threads: atOnce,
      starter,
      workerData: { ...workerData, maxOpenChunks: Math.floor(openChunks() / atOnce) },
    }),
    // Begins with the first large index. Without another service to wait for, a second task in it would only wait for
    // the first.
    large: createSharedThread({
      tasks: config.embedding === null ? 1 : RESOLVE_THREADS_WITH_API,
      workerData,
      starter,
    }),
    chunksOf: project => projects.chunksOf(project),
  })
  parts.defer(resolveThreads.close)
  const llm =
    config.llm === null
      ? null
      : createLlm({
          ...config.llm,
          onCall: metrics.modelCall,
          prices: config.modelPrices,
          sizes: { contexts: config.modelContexts, countTokens },
        })
  const model = createAskModel({ complete: llm?.complete ?? null, completeJson, prompts, estimate })
  const resolver = composeResolver({ llm, threads: resolveThreads, git, store, log, prompts })

  const history = createHistoryFetcher({
    // A project that was deleted meanwhile wants none.
    fetchHistory: async request =>
      (await git.holds(request.repository, request.projectName)) ? git.fetchHistory(request) : 'full',
    onError: (error, repository) =>
      log.warn({ err: error, repository }, 'the history could not be fetched; the next clone tries again'),
  })
  parts.defer(history.close)
  const callbacks = createCallbacks({
    keys: config.webhookKeys.get('ci') ?? [],
    allowPrivateHosts: config.allowPrivateHosts,
  })
  const generationParts: GenerationParts = {
    model,
    sandbox,
    git,
    projects: {
      commitOf: (name, repository) => projects.commitOf(name, repository),
      settings: name => projects.settings(name),
      needIndex: name => projects.needIndex(name),
    },
    search: (name, query, limit, signal) => services.search(name, query, limit, signal),
    resolve: (input, hooks) => services.resolve(input, hooks),
    diagnoseRun: (run, program) =>
      resolveThreads.run('diagnose', { run, program, maxTokens: HEAL_CONTEXT_TOKENS }, LOCATE_LIMITS),
  }
  const jobs: Jobs = new Jobs({
    store: new SqliteJobStore(db),
    definitions: {
      clone: withCallback(
        'clone',
        createClonePipeline({
          createProject: name => store.createProject(name),
          cloneRepository(request, options) {
            // while git works; the step that needs the thread would meet the same error
            indexThreads.warmUp().catch(() => {})
            return git.sync(request, options)
          },
          async indexRepository(request, options) {
            const result = await indexThreads.run<IndexResult, { phase: string; done: number; total: number | null }>(
              'indexRepository',
              { request },
              options,
            )
            // before another thread opens what was made
            if (result.chunksTotal >= LARGE_CHUNKS) await indexThreads.endIdle()
            return result
          },
          hasClone: git.holds,
          indexed({ history: known, ...request }) {
            history.enqueue(request, { calmMs: known === 'full' ? HISTORY_CALM_MS : 0 })
            // Whoever indexes a project soon asks it: a thread opens it now. It may be gone by then, and asking opens
            // it, too.
            resolveThreads
              .runFor(request.projectName, 'prepare', { projectName: request.projectName })
              .catch((error: unknown) => {
                if (!closing.signal.aborted && !isGone(error)) {
                  log.warn({ err: error, project: request.projectName }, 'a thread could not open what was indexed')
                }
              })
          },
        }),
        callbacks.deliver,
      ),
      resolve: withCallback(
        'resolve',
        createResolvePipeline({
          resolve: (input, hooks) => services.resolve(input, hooks),
          prompts,
          async describeProject(name) {
            const { projectName, indexState, repositories } = await projects.get(name)
            return { projectName, indexState, commit: repositories[0]?.commit ?? '' }
          },
        }),
        callbacks.deliver,
      ),
      ...generationDefinitions(generationParts, callbacks.deliver),
      ...(typeof definitions === 'function' ? definitions({ model }) : definitions),
    },
    concurrency: config.jobsConcurrency,
    queueLimit: config.queueLimit,
    retentionDays: config.retentionDays,
    replyTimeoutDays: config.replyTimeoutDays,
    knowsPrices: config.modelPrices.size > 0,
    workspacesDir: config.workspacesDir,
    removeFolder: sandbox.remove,
    retentionBytes: config.retentionBytes,
    onError: (error, job) =>
      log.error(
        { err: error, job: job?.id, type: job?.type },
        job === null ? 'the upkeep of jobs failed' : 'job failed',
      ),
  })
  parts.defer(() => jobs.stop())
  const embedding = embeddingOf(config)
  const projects = new Projects({
    store,
    historyOf: git.history,
    releaseClones: git.release,
    isBusy: projectName => jobs.isProjectBusy(projectName),
    isCloning: projectName => jobs.isActive(projectKey(projectName)),
    embedding,
  })

  const callback = createCallbackChoice({
    checkUrl: callbacks.check,
    canSign: config.webhookKeys.has('ci'),
    defaultOf: async name =>
      (await store.findProject(name)) === null ? null : (await projects.settings(name)).callbackUrl,
  })

  const generation = generationInputs(generationParts, {
    callback,
    filesOfJob: async id => ({
      job: await jobs.get(id),
      files: await Promise.all(
        (await jobs.files(id)).map(async ({ path }) => ({ path, content: await jobs.readFile(id, path) })),
      ),
    }),
  })

  const services: Services = {
    jobs,
    metrics,
    projects,
    closing: closing.signal,
    inputs: createJobInputs({ checkUrl: git.check, projects, callback, kinds: [...requests, ...generation.kinds] }),
    generation,
    async changeProject(name, changes) {
      callback.check(changes.callbackUrl)
      return projects.change(name, changes)
    },
    webhookKeys: config.webhookKeys,
    resolve: async (input, hooks) => resolver.resolve(await resolveRequest(input, projects), hooks),
    async resolveToJson(input, hooks) {
      const { resolution, json } = await resolver.resolveWritten(await resolveRequest(input, projects), hooks)
      return writeResolution(resolution, json)
    },
    dryRunOfResolve: async (input, signal) =>
      estimate(
        await resolver.question(
          { ...(await resolveRequest(input, projects)), wordsOnly: config.embedding === null ? undefined : true },
          signal,
        ),
        input.model,
      ),
    parse: (stackTrace, signal) => resolveThreads.run('parse', { stackTrace }, { signal, ...LOCATE_LIMITS }),
    async search(name, query, limit, signal) {
      const { projectName } = await projects.needIndex(name)
      return resolveThreads.runFor(projectName, 'search', { projectName, query, limit }, { signal, ...LOCATE_LIMITS })
    },
    ready: () => readiness(config, git, sandbox),
    readCommitted: ({ repository, commit, path }) => clones.readFile(repository, commit, path),
    announce: lock.announce,
    async start() {
      await jobs.start()
      resumeHistories(projects, {
        hasChanges: ({ repository, projectName }) => git.hasChanges(repository, projectName),
        enqueue: history.enqueue,
      }).catch((error: unknown) => log.warn({ err: error }, 'open histories could not be looked up'))
    },
    warmUp: resolveThreads.warmUp,
    idle: history.idle,
    beginClosing: () => closing.abort(),
    close() {
      closing.abort()
      closed ??= opened.disposeAsync()
      return closed
    },
  }
  const opened = parts.move() // until here, what fails closes what there is
  let closed: Promise<void> | undefined
  return services
}
