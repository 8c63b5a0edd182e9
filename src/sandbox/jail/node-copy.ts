import { copyFile, cp, link, mkdir, readdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'

const FOLDER = '.node'
const NPM = join('lib', 'node_modules', 'npm')

/** Errors of linking to another disk, another owner's file (protected_hardlinks), or on a file system without links. */
const CANNOT_LINK = new Set(['EXDEV', 'EPERM', 'EACCES', 'EMLINK', 'ENOTSUP'])

/**
 * The server's own Node at a place that the sandbox's account can reach, for one in a closed home, with its npm beside
 * it when it has one. A hard link where the disk is the same, else a copy (about 120 MB); copies of other versions are
 * deleted.
 */
export async function reachableNode(workspacesDir: string, execPath: string): Promise<string> {
  const { size, mtimeMs } = await stat(execPath)
  const folder = join(workspacesDir, FOLDER)
  const name = `node-${size}-${Math.floor(mtimeMs)}`
  const place = join(folder, name)
  const node = join('bin', 'node')
  await mkdir(folder, { recursive: true, mode: 0o711 })
  const present = await readdir(folder)
  if (present.includes(name)) return join(place, node)
  for (const other of present) await rm(join(folder, other), { recursive: true, force: true })
  const fresh = `${place}.tmp`
  await mkdir(join(fresh, 'bin'), { recursive: true, mode: 0o755 })
  await link(execPath, join(fresh, node)).catch((error: NodeJS.ErrnoException) => {
    if (!CANNOT_LINK.has(error.code ?? '')) throw error
    return copyFile(execPath, join(fresh, node))
  })
  await cp(join(dirname(dirname(execPath)), NPM), join(fresh, NPM), { recursive: true }).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error // a Node without npm
    },
  )
  await rename(fresh, place)
  return join(place, node)
}
