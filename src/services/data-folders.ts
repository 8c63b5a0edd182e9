import { dirname } from 'node:path'
import type { Config } from '../config.ts'
import { lockFolders, type FolderLock } from '../jobs/lock.ts'

/** Locks every folder that this process writes to. @throws {FaultlineError} DATA_DIR_LOCKED: another one has it. */
export const lockDataFolders = (config: Config): FolderLock =>
  lockFolders({
    DATA_DIR: config.dataDir,
    VECTOR_STORE_DIR: config.vectorStoreDir,
    CLONED_REPOS_DIR: config.clonedReposDir,
    WORKSPACES_DIR: config.workspacesDir,
    AI_PIPELINE_DB_PATH: dirname(config.jobsDbFile),
  })
