import { statfs } from 'node:fs/promises'
import type { Config } from '../config.ts'
import type { Readiness } from '../contract/readiness.ts'
import { FaultlineError } from '../core/errors.ts'
import type { DiskRoom } from '../jobs/disk-room.ts'

const MIB = 1_048_576
/** With this much the prompt, the reply and the files of a call of a model can be kept. */
const REPLY_BYTES = 32 * MIB

/** The bytes that this process may still write where a folder lies. */
export type FreeBytes = (folder: string) => Promise<number>

/** The room on all disks that this process writes to. */
export interface DiskSpace extends DiskRoom {
  /** `full`: new work is refused. `low`: that is near, less than twice as much is free. */
  state(): Promise<Readiness['disk']>
}

/** As the file system says. */
export const freeBytesOf: FreeBytes = async folder => {
  const { bavail, bsize } = await statfs(folder)
  return bavail * bsize
}

type Folders = Pick<Config, 'dataDir' | 'vectorStoreDir' | 'clonedReposDir' | 'workspacesDir' | 'diskReserveBytes'>

function diskFull(setting: string, freeBytes: number, neededBytes: number): FaultlineError {
  const [free, needed] = [freeBytes, neededBytes].map(bytes => Math.floor(bytes / MIB))
  return new FaultlineError(
    'DISK_FULL',
    `Only ${free} MiB are free on the disk that holds ${setting}; new work begins with ${needed} MiB or more.`,
    'Free some space (DELETE /jobs/{id} and DELETE /projects/{name} do), or set DISK_RESERVE_MB lower.',
  )
}

/**
 * Looks at the disks of the data folders, which exist, at each question: that takes some microseconds.
 *
 * @param makeRoom - Gives up what can be fetched again, before work is refused; returns the bytes that went.
 */
export function createDiskSpace(
  config: Folders,
  { freeBytes = freeBytesOf, makeRoom }: { freeBytes?: FreeBytes; makeRoom?: (bytes: number) => Promise<number> } = {},
): DiskSpace {
  const { dataDir, vectorStoreDir, clonedReposDir, workspacesDir, diskReserveBytes } = config
  const folders = Object.entries({
    DATA_DIR: dataDir,
    VECTOR_STORE_DIR: vectorStoreDir,
    CLONED_REPOS_DIR: clonedReposDir,
    WORKSPACES_DIR: workspacesDir,
  })

  /** The disk with the least room. One that cannot be looked at counts as one with room: to use it says why. */
  async function fullest(): Promise<{ setting: string; free: number }> {
    const looks = folders.map(async ([setting, folder]) => ({
      setting,
      free: await freeBytes(folder).catch(() => Infinity),
    }))
    return (await Promise.all(looks)).reduce((a, b) => (b.free < a.free ? b : a))
  }

  async function refusalBelow(neededBytes: number): Promise<FaultlineError | null> {
    const { setting, free } = await fullest()
    if (free >= neededBytes) return null
    if (makeRoom !== undefined && (await makeRoom(neededBytes - free)) > 0) {
      const left = await fullest()
      return left.free < neededBytes ? diskFull(left.setting, left.free, neededBytes) : null
    }
    return diskFull(setting, free, neededBytes)
  }

  return {
    refusal: () => refusalBelow(diskReserveBytes),
    async requireForReply() {
      const refusal = await refusalBelow(Math.min(diskReserveBytes, REPLY_BYTES))
      if (refusal !== null) throw refusal
    },
    async state() {
      const { free } = await fullest()
      if (free < diskReserveBytes) return 'full'
      return free < 2 * diskReserveBytes ? 'low' : 'ok'
    },
  }
}
