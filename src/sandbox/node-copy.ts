import { copyFile, link, mkdir, readdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'

const FOLDER = '.node'

/**
 * The server's own Node at a place that the sandbox's account can reach, for one in a closed home. A second name for the same file where
 * the disk is the same, else a copy (about 120 MB); what another version left is deleted.
 */
export async function reachableNode (workspacesDir: string, execPath: string): Promise<string> {
  const { size, mtimeMs } = await stat(execPath)
  const folder = join(workspacesDir, FOLDER)
  const name = `node-${size}-${Math.floor(mtimeMs)}`
  const place = join(folder, name)
  await mkdir(folder, { recursive: true, mode: 0o711 })
  const present = await readdir(folder)
  if (present.includes(name)) return place
  for (const other of present) await rm(join(folder, other), { force: true })
  await link(execPath, place).catch(async () => {
    const fresh = `${place}.tmp`
    await copyFile(execPath, fresh)
    await rename(fresh, place)
  })
  return place
}
