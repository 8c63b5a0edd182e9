import { dirname, join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import type { Config } from '../config.ts'
import type { FolderLock } from '../jobs/lock.ts'
import { openJobsDatabase, readJobsDatabase } from '../jobs/store/sqlite/database.ts'
import { SpaceReserve } from '../jobs/store/space-reserve.ts'
import { requireUnmoved } from '../move/folder-mark.ts'
import { lockDataFolders } from './data-folders.ts'

/** Who opens the data folders, and what for. */
export interface DataAccess {
  /** What this process is, for a second one that wants to write: `faultline clone`. */
  program?: string
  /** Only to look: takes no lock and writes nothing, so that it also works beside the process that holds it. */
  readOnly?: boolean
}

/** The files of this process: their lock, the room that is set aside, and the database of jobs. */
interface DataFiles {
  /** Null for who only looks. */
  lock: FolderLock | null
  reserve: SpaceReserve | null
  /** Null where a server has the tables. */
  db: DatabaseSync | null
}

/**
 * Opens the data folders. Where the database first has to be brought to the present format, who only looks takes the
 * lock, too.
 *
 * @throws {FaultlineError} As `lockDataFolders`, `requireUnmoved` and `openJobsDatabase`.
 */
export function openDataFiles(
  parts: AsyncDisposableStack,
  config: Config,
  { program, readOnly = false }: DataAccess,
): DataFiles {
  const isFile = config.database === null
  if (readOnly && !isFile) return { lock: null, reserve: null, db: null }
  const readable = readOnly ? readJobsDatabase(config.jobsDbFile) : null
  if (readable !== null) return { lock: null, reserve: null, db: parts.use(readable) }
  const reserve = new SpaceReserve(join(dirname(config.jobsDbFile), '.disk-reserve'))
  reserve.hold() // of an earlier run: the folder of a first one is made with the lock
  const lock = parts.use(lockDataFolders(config, reserve, program))
  requireUnmoved(config.dataDir)
  reserve.hold()
  return { lock, reserve, db: isFile ? parts.use(openJobsDatabase(config.jobsDbFile)) : null }
}
