import { chmod, mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'

export interface JobFoldersOptions {
  root: string
  removeFolder?: (dir: string) => Promise<void>
}

const FILES = 'files'
const WORKSPACE_NAME = /^[a-z][a-z0-9-]{0,40}$/
const JOB_ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
/** The user that a sandbox runs as has to get through, and need not see what else there is. */
const PASSABLE = 0o711

export type JobFolders = ReturnType<typeof createJobFolders>

/** One folder for each job: `files`, which is the server's alone, and the workspaces of the present run. */
export function createJobFolders({
  root,
  removeFolder = dir => rm(dir, { recursive: true, force: true }),
}: JobFoldersOptions) {
  const of = (id: string): string => join(root, id)

  const namesIn = async (dir: string): Promise<string[]> =>
    await readdir(dir).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return []
      throw error
    })

  async function removeWorkspaces(id: string): Promise<void> {
    for (const name of await namesIn(of(id))) if (name !== FILES) await removeFolder(join(of(id), name))
  }

  /** What is the server's own needs no other process to be deleted. */
  async function remove(id: string): Promise<void> {
    await removeWorkspaces(id)
    await rm(of(id), { recursive: true, force: true })
  }

  return {
    of,

    /** An empty folder; what an earlier run left in it is gone. */
    async workspace(id: string, name: string): Promise<string> {
      if (!WORKSPACE_NAME.test(name) || name === FILES) {
        throw new Error(`${JSON.stringify(name)} is no name for a workspace`)
      }
      const dir = join(of(id), name)
      await mkdir(of(id), { recursive: true, mode: PASSABLE })
      await chmod(of(id), PASSABLE) // the umask may have taken some of it
      await removeFolder(dir)
      await mkdir(dir, { mode: 0o700 })
      return dir
    },

    removeWorkspaces,
    remove,

    /**
     * At start: removes workspaces and unfinished files that a dead process left, and folders of jobs that are not
     * known.
     */
    async sweep(isKnown: (id: string) => boolean): Promise<void> {
      await mkdir(root, { recursive: true, mode: PASSABLE })
      await chmod(root, PASSABLE)
      for (const name of await namesIn(root)) {
        if (!JOB_ID.test(name)) continue
        if (!isKnown(name)) {
          await remove(name)
          continue
        }
        await removeWorkspaces(name)
        for (const file of await namesIn(join(of(name), FILES))) {
          if (file.endsWith('.tmp')) await rm(join(of(name), FILES, file))
        } // cut off while it was written
      }
    },
  }
}
