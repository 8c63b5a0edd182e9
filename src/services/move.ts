import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import type { Config } from '../config.ts'
import { readDatabaseUrl, type DatabaseSettings } from '../core/database-url.ts'
import { FaultlineError } from '../core/errors.ts'
import type { ObjectStoreSettings } from '../core/object-store-url.ts'
import { localFileBytes } from '../jobs/files/file-bytes.ts'
import { openJobsDatabase, readJobsDatabase } from '../jobs/store/sqlite/database.ts'
import { createClonesPart } from '../move/clones.ts'
import type { Direction } from '../move/direction.ts'
import { createFilesPart, KEPT_FILES } from '../move/files.ts'
import { readMark, removeMark } from '../move/folder-mark.ts'
import { endRecord, findMove, standingMove } from '../move/move-record.ts'
import type { Obstacle } from '../move/part.ts'
import { createProjectsPart } from '../move/projects.ts'
import { storeToFill, storeToRead } from '../move/objects.ts'
import { filledTables } from '../move/requirements.ts'
import { createRows } from '../move/rows.ts'
import { checkMove, runMove, type MoveProgress, type MoveReport, type MoveSides } from '../move/run-move.ts'
import { MOVED_TABLES } from '../move/tables.ts'
import { createUploadsPart } from '../move/uploads.ts'
import { BlobCache } from '../object-store/blobs/blob-cache.ts'
import { BlobStore } from '../object-store/blobs/blob-store.ts'
import { openObjectStore } from '../object-store/open-object-store.ts'
import { migrate, requireSchema, schemaState } from '../postgres/migrate.ts'
import type { Database } from '../postgres/database.ts'
import { openDatabase } from '../postgres/pool.ts'
import { createBlobUses } from '../replication/blob-uses.ts'
import { claimCloneName } from '../replication/clone-names.ts'
import { BLOB_GRACE_MS } from '../replication/collect-blobs.ts'
import { createSharedGenerations } from '../replication/generations.ts'
import { sharedFileBytes } from '../replication/job-file-bytes.ts'
import { createKeptClones } from '../replication/kept-clones.ts'
import { createProjectTable } from '../replication/project-table.ts'
import { shareClones, type CopiedRepository } from '../replication/shared-clones.ts'
import { shareUploads } from '../replication/shared-uploads.ts'
import { uploadsFolder } from '../repos/uploads/uploaded-remote.ts'
import type { ThreadStarter } from '../threads/entry.ts'
import { openStore, type Store } from '../vecstore/store.ts'
import { lockDataFolders } from './data-folders.ts'
import { holderOf, isHeld } from './folder-holder.ts'
import { generationTransport } from './generation-transport.ts'
import { gitOptions, startGit, type Git } from './git.ts'
import type { Log } from './log.ts'

export type { Direction, MoveProgress, MoveReport }

/** What PostgreSQL shows of this process, and the name of what it publishes. */
const NAME = 'faultline move'

/** How a move is made. */
interface MoveOptions {
  direction: Direction
  /** Looks at everything and changes nothing. */
  checkOnly: boolean
  onProgress: (progress: MoveProgress) => void
  signal: AbortSignal
  log: Log
  starter?: ThreadStarter
}

/** Where nodes and their objects are. */
interface ClusterSettings {
  database: DatabaseSettings
  objectStore: ObjectStoreSettings
}

function needCluster({ database, objectStore }: Config): ClusterSettings {
  if (database !== null && objectStore !== null) return { database, objectStore }
  throw new FaultlineError(
    'CONFIG_INVALID',
    'No DATABASE_URL is set: it names the cluster that a move goes to, or comes from.',
    'Set DATABASE_URL, and OBJECT_STORE_URL where objects do not lie in the database.',
  )
}

/** The cluster's side, without its password. */
function databaseText({ url, schema }: DatabaseSettings): string {
  const address = readDatabaseUrl(url)
  if ('problem' in address) return schema
  const hosts = address.hosts.map(({ host, port }) => `${host}:${port}`).join(',')
  return `${hosts}/${address.database} (schema ${schema})`
}

/** The store of a cluster's objects, without its keys. */
function objectsText({ address }: ObjectStoreSettings): string {
  if (address.kind === 'folder') return address.path
  if (address.kind === 'postgres') return 'the database'
  return `s3://${address.bucket}/${address.prefix} of ${address.endpoint}`
}

/** Opens the file of the single machine: only to read where it is the source. */
function openFile({ jobsDbFile }: Config, { direction, checkOnly }: MoveOptions): DatabaseSync {
  if (direction === 'from_cluster' && !checkOnly) return openJobsDatabase(jobsDbFile)
  const file = readJobsDatabase(jobsDbFile)
  if (file !== null) return file
  throw new FaultlineError(
    'CONFIG_INVALID',
    `The job database ${jobsDbFile} has the format of an earlier release.`,
    'Start the server of this release on it once, stop it, and move then.',
  )
}

/** Whether a job database was ever used; one that a move made before it was killed was not. */
function hasRows(jobsDbFile: string): boolean {
  if (!existsSync(jobsDbFile)) return false
  using file = readJobsDatabase(jobsDbFile)
  return (
    file === null || MOVED_TABLES.some(({ name }) => file.prepare(`SELECT 1 FROM ${name} LIMIT 1`).get() !== undefined)
  )
}

/** What lies in the folders of a single machine that is to be made. */
async function occupiedFolders(config: Config, { store, git }: { store: Store; git: Git }): Promise<Obstacle[]> {
  const found: string[] = []
  if (hasRows(config.jobsDbFile)) found.push(`rows in ${config.jobsDbFile}`)
  if ((await store.listProjects()).length > 0) found.push(`projects in VECTOR_STORE_DIR=${config.vectorStoreDir}`)
  const { clones, uploaded } = await git.inventory()
  if (clones.length + uploaded.length > 0) found.push(`clones in CLONED_REPOS_DIR=${config.clonedReposDir}`)
  if (found.length === 0) return []
  return [
    {
      message: `The folders of the single machine are not empty: there are ${found.join(', ')}.`,
      fix: 'Name empty ones in DATA_DIR, VECTOR_STORE_DIR and CLONED_REPOS_DIR: nothing is merged.',
    },
  ]
}

/** The folders of a single machine that is taken over have to be there. */
function requireSource({ dataDir, jobsDbFile }: Config): void {
  if (existsSync(jobsDbFile)) return
  throw new FaultlineError(
    'CONFIG_INVALID',
    `DATA_DIR=${dataDir} is not that of a single machine: it has no ${jobsDbFile}.`,
    'Set DATA_DIR, VECTOR_STORE_DIR and CLONED_REPOS_DIR to the folders of the server that is to be moved.',
  )
}

/** A process that works in the folders, for who only looks: a move takes the lock. */
function holder(config: Config): Obstacle[] {
  if (!isHeld(config)) return []
  const who = holderOf(config)
  return [
    {
      message: `Another process works in DATA_DIR=${config.dataDir}${who === null ? '' : `: ${who}`}.`,
      fix: 'Stop it first.',
    },
  ]
}

interface Tables {
  hasTables: boolean
  obstacles: Obstacle[]
}

/** Brings the schema up to date, or looks how far it is. */
async function openTables(
  db: Database,
  settings: DatabaseSettings,
  { direction, checkOnly }: MoveOptions,
): Promise<Tables> {
  if (!checkOnly) {
    await (settings.migratesAtStart && direction === 'to_cluster' ? migrate : requireSchema)(db, settings.schema)
    return { hasTables: true, obstacles: [] }
  }
  const { version, newest, pending } = await schemaState(db, settings.schema)
  if (pending.length === 0) return { hasTables: true, obstacles: [] }
  const isNew = version === 0 && direction === 'to_cluster'
  const message = `The schema of the cluster has version ${version}; this release needs ${newest}.`
  return { hasTables: false, obstacles: isNew ? [] : [{ message, fix: 'Run "faultline migrate" first.' }] }
}

/** Both sides with all their parts. */
async function openSides(
  parts: AsyncDisposableStack,
  config: Config,
  { db, hasTables, options }: { db: Database; hasTables: boolean; options: MoveOptions },
): Promise<MoveSides> {
  const { database, objectStore } = needCluster(config)
  const { dataDir, jobsDbFile, vectorStoreDir, clonedReposDir, workspacesDir } = config
  const { direction, signal, log, starter } = options
  const git = startGit(gitOptions(config, log), starter)
  parts.defer(git.close)
  const store = openStore(vectorStoreDir, { minFreeBytes: config.diskReserveBytes })
  const file = parts.use(openFile(config, options))
  const objects = await openObjectStore(objectStore, db)
  parts.defer(() => objects[Symbol.asyncDispose]())
  const blobs = new BlobStore(objects)
  const uses = createBlobUses({ db, blobs, graceMs: BLOB_GRACE_MS })
  const cache = new BlobCache(blobs, { folder: join(dataDir, 'blobs'), maxBytes: 0 })
  const transport = generationTransport(vectorStoreDir, store)
  const generations = createSharedGenerations({ db, blobs, uses, transport })
  const workDir = join(dataDir, 'transfer')
  const kept = createKeptClones({ db, blobs, uses, repos: git, workDir, node: NAME })
  const save = async (of: CopiedRepository): Promise<void> => {
    await kept.keep(of, signal)
  }
  const clones = shareClones({
    local: git,
    copies: {
      save,
      saveIfOld: save,
      restore: of => kept.restore(of, signal),
      async saveBranch(of) {
        await kept.keepBranch(of, null, signal)
      },
      restoreBranches: of => kept.restoreBranches(of, signal),
    },
    nameOf: remote => claimCloneName(db, remote),
    onFailed: error => log.warn({ err: error }, 'a clone could not be had from the object store'),
  })
  return {
    db,
    schema: database.schema,
    hasTables,
    dataDir,
    direction,
    place: `${dataDir} on ${hostname()}`,
    database: databaseText(database),
    objects: objectsText(objectStore),
    async tryObjects(isFresh) {
      if (!hasTables && objectStore.address.kind === 'postgres') return []
      if (direction === 'from_cluster') return await storeToRead({ db, blobs }, signal)
      return await storeToFill(objects, { mayWrite: !options.checkOnly, isFresh, signal })
    },
    async occupied() {
      if (direction === 'to_cluster') return hasTables ? await filledTables(db) : []
      return readMark(dataDir) === null ? await occupiedFolders(config, { store, git }) : []
    },
    parts: [
      createRows({ file, path: jobsDbFile, db, direction }),
      createProjectsPart({
        store,
        table: createProjectTable(db),
        db,
        generations,
        direction,
        async measure(project, measuring) {
          await using described = await transport.describe(project, { previous: null, signal: measuring })
          return described?.description.files.reduce((sum, { bytes }) => sum + bytes, 0) ?? null
        },
      }),
      createClonesPart({ db, repos: git, kept, bring: clones.bring, store, direction }),
      createFilesPart({
        list: async () =>
          direction === 'to_cluster' ? file.prepare(KEPT_FILES).all() : (await db.query(KEPT_FILES)).rows,
        here: localFileBytes(id => join(workspacesDir, id)),
        there: sharedFileBytes({ db, blobs, cache, uses }, signal),
        blobs,
        direction,
      }),
      createUploadsPart({
        repos: git,
        uploads: shareUploads(objects, uploadsFolder(clonedReposDir)),
        objects,
        direction,
      }),
    ],
  }
}

/** Connects to the database of a cluster, for one move. */
function connect(parts: AsyncDisposableStack, settings: DatabaseSettings): Database {
  const db = openDatabase({ ...settings, readUrl: null }, { name: NAME, onError() {} })
  parts.defer(() => db.close())
  return db
}

/**
 * Moves what the folders of a single machine hold to a cluster, or back; or looks whether that can be done. What was
 * cut off goes on.
 *
 * @throws {FaultlineError} CONFIG_INVALID: a setting is missing, or a side has the format of another release.
 * DATA_DIR_LOCKED, DATABASE_UNAVAILABLE, OBJECT_STORE_UNAVAILABLE, DISK_FULL. The signal's reason.
 */
export async function move(config: Config, options: MoveOptions): Promise<MoveReport> {
  const { direction, checkOnly, onProgress, signal } = options
  const { database } = needCluster(config)
  if (direction === 'to_cluster') requireSource(config)
  await using parts = new AsyncDisposableStack()
  const held = checkOnly ? holder(config) : []
  if (!checkOnly) parts.use(lockDataFolders(config, { giveUp: () => false }, NAME))
  const db = connect(parts, database)
  const { hasTables, obstacles } = await openTables(db, database, options)
  const sides = await openSides(parts, config, { db, hasTables, options })
  if (!checkOnly) {
    await rm(join(config.dataDir, 'transfer'), { recursive: true, force: true }) // of one that was killed
    return await runMove(sides, { onProgress, signal })
  }
  if (!hasTables && direction === 'from_cluster') {
    return { direction, outcome: 'refused', isContinued: false, parts: [], obstacles, checks: [] }
  }
  const report = await checkMove(sides, { onProgress, signal })
  const all = [...held, ...obstacles, ...report.obstacles]
  return { ...report, obstacles: all, outcome: all.length > 0 ? 'refused' : report.outcome }
}

/** What was undone; null: there was nothing. */
interface Undone {
  /** Whether the move had ended: what changed on the other side since then stays there. */
  wasOver: boolean
  since: string
}

/** Goes on with the folders that were moved, or were about to be. */
async function undoToCluster(config: Config): Promise<Undone | null> {
  await using parts = new AsyncDisposableStack()
  if (!existsSync(config.dataDir)) return null
  parts.use(lockDataFolders(config, { giveUp: () => false }, NAME))
  const mark = readMark(config.dataDir)
  if (mark === null || mark.direction !== 'to_cluster') return null
  if (mark.state === 'moving' && config.database !== null) {
    const db = connect(parts, config.database)
    const { pending } = await schemaState(db, config.database.schema)
    const record = pending.length === 0 ? await findMove(db, mark.id) : null
    if (record?.state === 'moving') await endRecord(db, mark.id, 'given_up')
  }
  removeMark(config.dataDir)
  return { wasOver: mark.state === 'moved', since: mark.since }
}

/** Goes on with the cluster whose data was moved to a single machine, or was about to be. */
async function undoFromCluster(config: Config): Promise<Undone | null> {
  await using parts = new AsyncDisposableStack()
  const { database } = needCluster(config)
  const db = connect(parts, database)
  await requireSchema(db, database.schema)
  const standing = await standingMove(db)
  if (standing === null || standing.direction !== 'from_cluster') return null
  await endRecord(db, standing.id, 'undone')
  return { wasOver: standing.state === 'done', since: standing.startedAt }
}

/**
 * Lets the source of a move be used again, as it is. Nothing is copied or deleted.
 *
 * @throws {FaultlineError} As `move`.
 */
export const undoMove = (config: Config, direction: Direction): Promise<Undone | null> =>
  direction === 'to_cluster' ? undoToCluster(config) : undoFromCluster(config)
