import { accessSync, constants, statSync } from 'node:fs'
import { dirname } from 'node:path'

/** The user and group that own the jail's programs on this machine. */
export interface Account {
  uid: number
  gid: number
}

/** Ids that no other program uses: what runs in the jail must own nothing outside of it. */
const DEDICATED: Account = { uid: 64001, gid: 64001 }

/** The sandbox's own account, for a server that runs as root; null where programs run as the server's user. */
export function sandboxAccount(uid: number | undefined): Account | null {
  return uid === 0 ? DEDICATED : null
}

function mayPass(folder: string, account: Account | null): boolean {
  if (account === null) {
    accessSync(folder, constants.X_OK)
    return true
  }
  const { uid, gid, mode } = statSync(folder)
  if (uid === account.uid) return (mode & 0o100) !== 0
  if (gid === account.gid) return (mode & 0o010) !== 0
  return (mode & 0o001) !== 0
}

/**
 * The first folder on the way to a path that the account may not pass; null when the path can be reached. Folders that
 * do not exist yet do not count, nor do those that the server opens itself.
 */
export function closedFolder(path: string, account: Account | null, own: readonly string[] = []): string | null {
  const folders: string[] = []
  for (let at = path; at !== dirname(at); at = dirname(at)) folders.unshift(dirname(at))
  for (const folder of folders.filter(one => !own.includes(one))) {
    try {
      if (!mayPass(folder, account)) return folder
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
      return folder
    }
  }
  return null
}
