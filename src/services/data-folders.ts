import { accessSync, constants, mkdirSync, statfsSync, statSync, type Stats } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Config } from '../config.ts'
import { DEFAULT_ROOT, USER_DATA } from '../config/client.ts'
import { FaultlineError } from '../core/errors.ts'
import { isFullDisk } from '../core/full-disk.ts'
import { lockFolders, noRoomError, type FolderLock } from '../jobs/lock.ts'
import type { SpaceReserve } from '../jobs/store/space-reserve.ts'

/** File systems that the kernel makes up, by the type that `statfs` names: /proc, /sys, control groups. */
const VIRTUAL = new Set([0x9fa0, 0x62656572, 0x27e0eb, 0x63677270])
/** May be passed, but not listed. */
const ON_THE_WAY = 0o711
const OWN = 0o700

/** Why a file system refuses, in words. */
const REASONS = new Map([
  ['EACCES', 'this account may not write there'],
  ['EPERM', 'this account may not write there'],
  ['EROFS', 'its file system is read-only'],
  ['ENOTDIR', 'a part of the path is a file'],
  ['ENAMETOOLONG', 'the path is too long'],
  ['ELOOP', 'its links lead in a circle'],
])

function reasonOf(error: unknown): string {
  const { code = '', message } = error as NodeJS.ErrnoException
  return REASONS.get(code) ?? message
}

const refused = (setting: string, folder: string, reason: string, fix?: string): FaultlineError =>
  new FaultlineError(
    'CONFIG_INVALID',
    `${setting}=${folder} cannot be used: ${reason}.`,
    fix ?? `Set ${setting} to a folder on a disk that this account may write to.`,
  )

function statsOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOTDIR') return undefined
    throw error
  }
}

/** The missing folders of a path, the outermost first, and the one that exists above them. */
function missingOn(path: string): { existing: string; missing: string[] } {
  const missing: string[] = []
  let at = path
  for (; statsOf(at) === undefined && dirname(at) !== at; at = dirname(at)) missing.unshift(at)
  return { existing: at, missing }
}

/** Makes a folder that can be kept in, or says why not. `mkdir` with `recursive` never ends below /proc. */
function makeFolder(setting: string, folder: string): void {
  try {
    const { existing, missing } = missingOn(folder)
    if (VIRTUAL.has(statfsSync(existing).type)) {
      throw refused(setting, folder, 'what lies there is made up by the kernel')
    }
    if (!statSync(existing).isDirectory()) throw refused(setting, folder, `${existing} is a file`)
    accessSync(existing, constants.W_OK | constants.X_OK)
    for (const one of missing) mkdirSync(one, { mode: one === folder ? OWN : ON_THE_WAY })
  } catch (error) {
    if (error instanceof FaultlineError) throw error
    if (isFullDisk(error)) throw noRoomError(setting, folder, error)
    throw refused(setting, folder, reasonOf(error))
  }
}

/** What the folders are judged by beside the disk. */
interface FolderRules {
  uid: number | undefined
  /** Folders that may be made on the way to a data folder: those that no setting names. */
  defaultParents: readonly string[]
}

/**
 * A folder on the way that root would make is nobody else's: who may pass it is for the operator to decide, since the
 * account that runs programs has to.
 */
function requireParent(setting: string, folder: string, { uid, defaultParents }: FolderRules): void {
  const parent = dirname(folder)
  if (uid !== 0 || defaultParents.includes(parent) || statsOf(parent) !== undefined) return
  throw refused(
    setting,
    folder,
    `${parent} does not exist, and the account that runs programs has to pass it`,
    `Make it first: mkdir -p ${parent}.`,
  )
}

function requireLocalRepos(folders: readonly string[]): void {
  for (const folder of folders) {
    const found = statsOf(folder)
    if (found?.isDirectory() === true) continue
    const reason = found === undefined ? 'there is no such folder' : 'it is a file'
    throw refused('ALLOW_LOCAL_REPOS', folder, reason, 'Make it, or leave it out of ALLOW_LOCAL_REPOS.')
  }
}

/**
 * Makes every folder that this process writes to, and looks whether it can be kept in.
 *
 * @throws {FaultlineError} CONFIG_INVALID naming the setting, the folder and the reason. DISK_FULL.
 */
export function makeDataFolders(
  config: Config,
  rules: FolderRules = { uid: process.getuid?.(), defaultParents: [DEFAULT_ROOT, USER_DATA] },
): Record<string, string> {
  const { dataDir, vectorStoreDir, clonedReposDir, workspacesDir, jobsDbFile } = config
  const folders = {
    DATA_DIR: dataDir,
    VECTOR_STORE_DIR: vectorStoreDir,
    CLONED_REPOS_DIR: clonedReposDir,
    WORKSPACES_DIR: workspacesDir,
    AI_PIPELINE_DB_PATH: dirname(jobsDbFile),
  }
  requireLocalRepos(config.allowLocalRepos)
  // of the way to programs: the other folders are for the server alone
  requireParent('DATA_DIR', dataDir, rules)
  const ofDataDir = { ...rules, defaultParents: [...rules.defaultParents, dataDir] }
  if (workspacesDir !== join(dataDir, 'workspaces')) requireParent('WORKSPACES_DIR', workspacesDir, ofDataDir)
  for (const [setting, folder] of Object.entries(folders)) makeFolder(setting, folder)
  return folders
}

/**
 * Makes and locks every folder that this process writes to. On a full disk the room that was set aside is given up, so
 * that a server starts there and projects and jobs can be deleted.
 *
 * @param program - What this process is, for a second one.
 * @throws {FaultlineError} CONFIG_INVALID: one cannot be used. DATA_DIR_LOCKED: another process has it. DISK_FULL: no
 * room is left even then.
 */
export function lockDataFolders(config: Config, reserve: Pick<SpaceReserve, 'giveUp'>, program?: string): FolderLock {
  const lock = () => lockFolders(makeDataFolders(config), program)
  try {
    return lock()
  } catch (error) {
    if (!isFullDisk(error) || !reserve.giveUp()) throw error
    return lock()
  }
}
