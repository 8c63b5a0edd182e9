import { chmod, mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'

const FILES = 'files'
const WORKSPACE_NAME = /^[a-z][a-z0-9-]{0,40}$/
const JOB_ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
/** The user that a sandbox runs as has to get through, and need not see what else there is. */
const PASSABLE = 0o711

async function namesIn(dir: string): Promise<string[]> {
  try {
    return await readdir(dir)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return []
    throw error
  }
}

/** Makes a folder that a sandbox's user can pass. */
async function makePassable(dir: string): Promise<void> {
  await mkdir(dir, { recursive: true, mode: PASSABLE })
  await chmod(dir, PASSABLE) // the umask may have taken some of it
}

/** One folder for each job: `files`, which is the server's alone, and the workspaces of the present run. */
export class JobFolders {
  readonly #root: string
  readonly #removeFolder: (dir: string) => Promise<void>

  /** @param removeFolder - Deletes a workspace, whatever was left in it; default: as far as this process may. */
  constructor(root: string, removeFolder?: (dir: string) => Promise<void>) {
    this.#root = root
    this.#removeFolder = removeFolder ?? (dir => rm(dir, { recursive: true, force: true }))
  }

  of(id: string): string {
    return join(this.#root, id)
  }

  /** Makes an empty folder; what an earlier run left in it is gone. */
  async workspace(id: string, name: string): Promise<string> {
    if (!WORKSPACE_NAME.test(name) || name === FILES) {
      throw new Error(`${JSON.stringify(name)} is no name for a workspace`)
    }
    const dir = join(this.of(id), name)
    await makePassable(this.of(id))
    await this.#removeFolder(dir)
    await mkdir(dir, { mode: 0o700 })
    return dir
  }

  async removeWorkspaces(id: string): Promise<void> {
    for (const name of await namesIn(this.of(id))) {
      if (name !== FILES) await this.#removeFolder(join(this.of(id), name))
    }
  }

  /** Deletes all that a job has on the disk; `files` is the server's own and needs no other process for it. */
  async remove(id: string): Promise<void> {
    await this.removeWorkspaces(id)
    await rm(this.of(id), { recursive: true, force: true })
  }

  /**
   * Removes, at the start, workspaces and unfinished files that a dead process left, and folders of jobs that are not
   * known.
   */
  async sweep(isKnown: (id: string) => Promise<boolean>): Promise<void> {
    await makePassable(this.#root)
    for (const name of await namesIn(this.#root)) {
      if (!JOB_ID.test(name)) continue
      if (await isKnown(name)) await this.#sweepOne(name)
      else await this.remove(name)
    }
  }

  async #sweepOne(id: string): Promise<void> {
    await this.removeWorkspaces(id)
    for (const file of await namesIn(join(this.of(id), FILES))) {
      if (file.endsWith('.tmp')) await rm(join(this.of(id), FILES, file)) // cut off while it was written
    }
  }
}
