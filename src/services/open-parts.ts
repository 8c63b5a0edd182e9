import type { Config } from '../config.ts'
import { fewArenas } from '../config/client.ts'
import { threadCaches } from '../core/cache-budget.ts'
import type { JobType } from '../core/job.ts'
import type { Projects } from '../indexer/projects.ts'
import type { FolderLock } from '../jobs/lock.ts'
import type { JobStore } from '../jobs/store/job-store.ts'
import type { HistoryFetcher } from '../pipelines/clone/history.ts'
import type { Sandbox } from '../sandbox/sandbox.ts'
import type { ThreadStarter } from '../threads/entry.ts'
import { openStore, type Store } from '../vecstore/store.ts'
import { openDataFiles, type DataAccess } from './data-files.ts'
import type { FreeBytes } from './disk-space.ts'
import { gitOptions, startGit, type Git } from './git.ts'
import { startHistory } from './history.ts'
import { startIndexing, type Indexing } from './indexing.ts'
import type { Log } from './log.ts'
import { createCodeTools, type CodeTools } from './code-tools.ts'
import { createMetrics } from './metrics.ts'
import { createModel, type Model } from './model.ts'
import type { SharedDatabase } from './nodes.ts'
import type { Metrics } from './prometheus.ts'
import { createProvideRef } from './refs.ts'
import { createProjects } from './projects.ts'
import type { openReplicas as OpenReplicas, Replicas } from './replicas.ts'
import { openResolutions, type Resolutions } from './resolutions.ts'
import { startResolveThreads, type ResolveThreads } from './resolve-threads.ts'
import { createResolving, type Resolving } from './resolving.ts'
import { Rush } from './rush.ts'
import { sandboxProcessOptions } from './sandbox-options.ts'
import { startSandbox } from './sandbox.ts'
import { openSharedDatabase } from './shared-database.ts'
import type { Stores } from './store-set.ts'
import { openStores } from './stores.ts'
import { cacheBytesOf, workerDataOf } from './worker-data.ts'

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
  codeTools: CodeTools
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
export async function openParts(
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
          onShallow: clone => historyOf.current?.enqueue(clone),
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
  const codeTools = createCodeTools({
    projects,
    threads: resolveThreads,
    git,
    provideRef: createProvideRef({ git, store, limitMs: lock === null ? 0 : undefined }),
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
    codeTools,
    rush,
    resolutions,
    history,
  }
}

/** Removes what a killed process left in the folders. */
export async function sweepFolders({ git, store, sandbox, replicas }: OpenParts): Promise<void> {
  await replicas?.requireShared() // before anything of the folders goes
  await Promise.all([git.sweep(), store.sweep(), sandbox.sweep()])
  if (replicas === null) await git.releaseMissing(await store.listProjects())
  else await replicas.releaseMissing()
}
