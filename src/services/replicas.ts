import { AsyncLocalStorage } from 'node:async_hooks'
import { join } from 'node:path'
import type { Config } from '../config.ts'
import { FaultlineError } from '../core/errors.ts'
import { overriding } from '../core/overriding.ts'
import type { FileBytes } from '../jobs/files/file-bytes.ts'
import type { JobDefinitions } from '../jobs/job-definition.ts'
import type { RunKey } from '../jobs/store/run-key.ts'
import { clusterIdentity } from '../move/move-record.ts'
import { BlobCache } from '../object-store/blobs/blob-cache.ts'
import { BlobDamagedError, BlobMissingError, BlobStore } from '../object-store/blobs/blob-store.ts'
import { openObjectStore } from '../object-store/open-object-store.ts'
import { withSessionLock } from '../postgres/session-lock.ts'
import { createBlobUses } from '../replication/blob-uses.ts'
import { claimCloneName } from '../replication/clone-names.ts'
import { BLOB_GRACE_MS, collectBlobs } from '../replication/collect-blobs.ts'
import { createSharedGenerations, type GenerationTransport } from '../replication/generations.ts'
import { sharedFileBytes } from '../replication/job-file-bytes.ts'
import { createKeptClones } from '../replication/kept-clones.ts'
import { isAway } from '../replication/is-away.ts'
import { createOwnClones } from '../replication/own-clones.ts'
import { createProjectTable } from '../replication/project-table.ts'
import { shareClones } from '../replication/shared-clones.ts'
import { createInUse } from '../replication/in-use.ts'
import { shareStore, type IndexSummary } from '../replication/shared-store.ts'
import { shareUploads, type SharedUploads } from '../replication/shared-uploads.ts'
import { seldom, whenThere } from '../replication/when-there.ts'
import type { ProjectClone } from '../repos/clone/clone-user.ts'
import { uploadsFolder } from '../repos/uploads/uploaded-remote.ts'
import { FORMAT_VERSION } from '../vecstore/format/stored-manifest.ts'
import type { Store } from '../vecstore/store.ts'
import { createBringing } from './bringing.ts'
import type { IndexSharing } from './cloning.ts'
import { createCloneHoldings } from './clone-holdings.ts'
import { freeBytesOf, type FreeBytes } from './disk-space.ts'
import { generationTransport } from './generation-transport.ts'
import type { Git } from './git.ts'
import type { Log } from './log.ts'
import { openNodeCache, type NodeCache } from './node-cache.ts'
import { bringingMissing } from './missing-clones.ts'
import { nodeNameOf } from './node-name.ts'
import type { SharedDatabase } from './nodes.ts'
import type { ResolveThreads } from './resolve-threads.ts'

/** What this node has on its disk, kept to what all nodes share. */
export interface Replicas {
  store: Store
  git: Git
  /** How what is indexed here is published for all. */
  sharing: IndexSharing
  /** Files that clients sent, for the node that runs their jobs. */
  uploads: SharedUploads
  /** Where the bytes of kept files are. */
  fileBytes: FileBytes
  /** What lies on this node's disk, within its limit. */
  cache: NodeCache
  /** The same threads, which find the index that they read here, and keep it meanwhile. */
  keeping(threads: ResolveThreads): ResolveThreads
  /** The same jobs, which find what they work on wherever it was made. */
  bringing(definitions: JobDefinitions): JobDefinitions
  /**
   * Looks that nothing here is this machine's alone: the other nodes would not know it.
   *
   * @throws {FaultlineError} CONFIG_INVALID
   */
  requireShared(): Promise<void>
  /** Deletes the clones of projects that were deleted while this node was away; after `requireShared`. */
  releaseMissing(): Promise<void>
  /** Deletes what nothing named for a day; one node at a time needs to. */
  collect(signal: AbortSignal): Promise<void>
  close(): Promise<void>
}

interface ReplicasDeps {
  shared: SharedDatabase
  /** Indexes and clones of this node alone. */
  local: { store: Store; git: Git }
  /** By default as the file system says. */
  freeBytes?: FreeBytes
  /** Hears of each clone that somebody asked about, and whose history is not here. */
  onShallow: (clone: ProjectClone) => void
  log: Log
  /** Fires when the server begins to stop. */
  closing: AbortSignal
}

/** What is published of a project, for nodes that have no copy; of another format it says nothing to this release. */
interface WireSummary extends IndexSummary {
  format: number
}

const CHANNEL = 'projects_changed'
/** Of projects whose published generation the object store does not have whole. */
const LOST = 'generations_lost'
const TAKEN = 'the job was claimed by another run; what this one still does is discarded'

/** Has room on the disk before anything is put together. */
function withRoom<Description extends { generation: number }>(
  transport: GenerationTransport<Description>,
  makeRoom: (bytes: number) => Promise<void>,
): GenerationTransport<Description> {
  return {
    ...transport,
    async assemble(project, description, ...rest) {
      let bytes = 0
      for (const piece of transport.piecesOf(description)) bytes += piece.bytes
      for (const piece of transport.sparePiecesOf(description)) bytes += piece.bytes // they are made here
      await makeRoom(bytes)
      return await transport.assemble(project, description, ...rest)
    },
  }
}

const superseded = (projectName: string): FaultlineError =>
  new FaultlineError(
    'PROJECT_BUSY',
    `Another run published a newer index of the project ${JSON.stringify(projectName)} meanwhile.`,
    'POST /clone indexes the newest commit.',
  )

const notShared = (projects: readonly string[], folder: string): FaultlineError =>
  new FaultlineError(
    'CONFIG_INVALID',
    `VECTOR_STORE_DIR=${folder} holds projects of this machine alone: ${projects.slice(0, 10).join(', ')}.`,
    '"faultline move --to-cluster" takes the folders of a single machine over into an empty cluster; otherwise give ' +
      'this node empty folders (DATA_DIR, VECTOR_STORE_DIR, CLONED_REPOS_DIR). docs/scale.md says how.',
  )

/**
 * Opens what the nodes share beside rows of jobs.
 *
 * @throws {FaultlineError} CONFIG_INVALID: OBJECT_STORE_URL lacks what it needs.
 */
export async function openReplicas(
  config: Config,
  { shared: { db, listener }, local, freeBytes = freeBytesOf, onShallow, log, closing }: ReplicasDeps,
): Promise<Replicas> {
  const { objectStore, database, vectorStoreDir, clonedReposDir, dataDir } = config
  if (objectStore === null || database === null) throw new Error('there is no database for several nodes')
  const node = nodeNameOf(config)
  const objects = await openObjectStore(objectStore, db)
  const blobs = new BlobStore(objects)
  const { cacheBytes: maxBytes } = objectStore
  const fileCache = new BlobCache(blobs, { folder: join(dataDir, 'blobs'), maxBytes: maxBytes ?? Infinity })
  const uses = createBlobUses({ db, blobs, graceMs: BLOB_GRACE_MS })
  const inUse = createInUse()
  let cache: NodeCache | null = null
  const transport = withRoom(generationTransport(vectorStoreDir, local.store), async bytes => {
    const free = await freeBytes(vectorStoreDir).catch(() => Infinity)
    const missing = bytes + config.diskReserveBytes - free
    if (missing > 0) await cache?.makeRoom(missing)
  })
  const generations = createSharedGenerations({ db, blobs, uses, transport })
  /** The run that a call comes from: what it keeps is checked to be that of the present run of its job. */
  const runs = new AsyncLocalStorage<RunKey>()
  const kept = createKeptClones({ db, blobs, uses, repos: local.git, workDir: join(dataDir, 'transfer'), node })
  const onAway = seldom(error =>
    log.warn({ err: error }, 'what nodes share is away; this one goes on with what it has'),
  )

  async function summaryOf(project: string): Promise<IndexSummary | null> {
    const summary = (await generations.published(project))?.summary as WireSummary | null | undefined
    return summary?.format === FORMAT_VERSION ? summary : null
  }

  const table = createProjectTable(db)
  const store = shareStore({
    local: local.store,
    table,
    inUse,
    summaryOf,
    async restore(project) {
      try {
        if ((await generations.restore(project, closing)) === 'restored') cache?.grew()
      } catch (error) {
        // a node that has the generation puts again what the store lost
        if (error instanceof BlobMissingError || error instanceof BlobDamagedError) listener.notify(LOST, project)
        throw error
      }
    },
    forget: async project => {
      await generations.forget(project)
      await kept.forgetProject(project)
    },
    notify: project => listener.notify(CHANNEL, project),
    onChange: hears => listener.on(CHANNEL, hears),
    onAway,
  })
  /** A repository as projects have it indexed. */
  async function indexedOf(repository: string) {
    const found = await Promise.all(
      (await generations.projectsWith(repository)).map(async projectName => {
        const manifest = await store.readManifest(projectName).catch(() => null) // the others may be readable
        return (manifest?.repositories ?? []).map(one => ({ projectName, ...one }))
      }),
    )
    return found.flat().filter(one => one.repository === repository)
  }

  const cluster = () => clusterIdentity(db)
  const ownClones = createOwnClones({ clonedReposDir, db, table, repos: local.git, cluster })
  const clonesHere = createCloneHoldings({
    local: local.git,
    kept,
    repositoriesOf: async project => (await summaryOf(project))?.manifest.repositories ?? [],
    inUse,
    clonedReposDir,
    grew: () => cache?.grew(),
  })

  /** Known after `requireShared`: before, nothing may be taken for what is left of a project. */
  let isShared = false

  /** What is left here of projects that were deleted on another node. */
  async function tidy(): Promise<void> {
    if (!isShared) return
    const known = new Set((await table.list()).map(name => name.toLowerCase()))
    const here = [...(await local.store.listProjects()), ...clonesHere.projects]
    for (const project of new Set(here)) {
      if (known.has(project.toLowerCase()) || inUse.isHeld(project)) continue
      if ((await table.find(project)) !== null) continue // it was made a moment ago
      await local.store.mirrorProject(project, null)
      await local.git.release(project)
    }
  }

  const opened = await openNodeCache({
    store: local.store,
    root: vectorStoreDir,
    blobs: fileCache,
    inUse,
    release: (project, signal) =>
      generations.release(
        project,
        () => {
          if (inUse.isHeld(project)) return false
          store.evicting(project)
          return true
        },
        signal,
      ),
    clones: () => clonesHere.list(),
    tidy,
    maxBytes,
    log,
    closing,
  })
  cache = opened
  listener.on(CHANNEL, () => opened.grew())
  const uploads = shareUploads(objects, uploadsFolder(clonedReposDir))
  const clones = shareClones({
    local: local.git,
    copies: {
      async save(of) {
        await kept.keep(of, closing)
      },
      async saveIfOld(of) {
        if (!(await kept.isFresh(of))) await kept.keep(of, closing)
      },
      restore: of => kept.restore(of, closing),
      async saveBranch(of) {
        if (!(await kept.keepBranch(of, runs.getStore() ?? null, closing))) throw new Error(TAKEN)
      },
      restoreBranches: of => kept.restoreBranches(of, closing),
    },
    async nameOf(remote) {
      const name = await claimCloneName(db, remote)
      await clonesHere.settled(name) // what begins to be given up later sees that the job has it
      return name
    },
    onFailed: onAway,
  })

  listener.on(LOST, projects => {
    for (const project of projects ?? []) {
      generations.mend(project, closing).catch((error: unknown) => {
        if (!closing.aborted) log.warn({ err: error, project }, 'what the object store lost could not be put again')
      })
    }
  })
  const sharedGit = overriding(clones, {
    async syncUpload(...[request, options]: Parameters<Git['syncUpload']>) {
      await uploads.bring(request.upload, options.signal)
      return await clones.syncUpload(request, options)
    },
    async discardUpload(upload: string) {
      await clones.discardUpload(upload)
      await uploads.discard(upload, closing)
    },
    ...bringingMissing({
      local: local.git,
      git: clones,
      indexedOf,
      bring: wanted => clones.bring(wanted, closing),
      onShallow,
      onFailed: onAway,
    }),
  })

  const git = clonesHere.keeping(sharedGit)

  async function summaryHere(projectName: string): Promise<IndexSummary> {
    const manifest = await local.store.readManifest(projectName)
    if (manifest === null || manifest.indexState === 'foreign') throw new Error(`${projectName} has no index here`)
    return { manifest, bytes: await local.store.storeBytes(projectName) }
  }

  const { keeping, bringing } = createBringing({
    store,
    async bringClone(wanted, signal) {
      await clonesHere.settled(wanted.repository) // no other one is given up while the job runs
      await git.bring(wanted, signal)
    },
    inUse,
    asRun: (run, body) => runs.run(run, body),
    grew: () => opened.grew(),
  })

  return {
    store,
    git,
    sharing: {
      async begin(projectName, signal) {
        signal.throwIfAborted()
        await store.bring(projectName)
        if (await generations.giveUpLost(projectName, signal)) {
          log.warn({ project: projectName }, 'the object store lost the index of a project; it is built anew')
        }
        return await generations.hold(projectName)
      },
      async publish(projectName, { seq, attempt }, signal) {
        const summary: WireSummary = { format: FORMAT_VERSION, ...(await summaryHere(projectName)) }
        const publish = () => generations.publish(projectName, { seq, attempt, node }, { summary, signal })
        const { outcome } = await whenThere(publish, { signal, onAway })
        if (outcome !== 'published') throw superseded(projectName)
        opened.grew()
        listener.notify(CHANNEL, projectName)
      },
      exclusively: (projectName, work, signal) =>
        withSessionLock(database, { key: projectName.toLowerCase(), name: `faultline ${node}`, signal }, work),
    },
    uploads,
    fileBytes: sharedFileBytes({ db, blobs, cache: fileCache, uses }, closing),
    cache: opened,
    keeping,
    bringing,
    async requireShared() {
      const own = []
      for (const { project, createdAt } of await local.store.ownProjects()) {
        if ((await table.find(project))?.createdAt !== createdAt) own.push(project)
      }
      if (own.length > 0) throw notShared(own, vectorStoreDir)
      await ownClones.requireShared(closing)
      isShared = true
    },
    async releaseMissing() {
      try {
        await ownClones.releaseMissing()
      } catch (error) {
        if (!isAway(error)) throw error
        onAway(error) // they stay until the next start
      }
    },
    async collect(signal) {
      await uploads.collect(signal)
      const { blobs: seen, deleted } = await collectBlobs({ blobs, uses, signal })
      if (deleted > 0) log.info({ seen, deleted }, 'blobs that nothing needs were deleted')
    },
    async close() {
      await opened.close()
      await objects[Symbol.asyncDispose]()
    },
  }
}
