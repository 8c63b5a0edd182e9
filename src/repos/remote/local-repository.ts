import { realpath, stat } from 'node:fs/promises'
import { isAbsolute, normalize, sep } from 'node:path'
import { pathToFileURL } from 'node:url'
import { FaultlineError } from '../../core/errors.ts'

function refused(path: string): FaultlineError {
  return new FaultlineError(
    'LOCAL_REPOSITORY_REFUSED',
    `The path "${path.slice(0, 120)}" is not below a folder that repositories may be taken from.`,
    'Set ALLOW_LOCAL_REPOS to a folder above it.',
  )
}

/** Whether a path is at or below a root, compared by segments: `/srv/repos-old` is not below `/srv/repos`. */
export function isBelow(path: string, root: string): boolean {
  return path === root || path.startsWith(root.endsWith(sep) ? root : root + sep)
}

async function realFolder(path: string): Promise<string | null> {
  if (!isAbsolute(path)) return null
  try {
    const real = await realpath(path)
    return (await stat(real)).isDirectory() ? real : null
  } catch {
    return null // missing, not readable or too long: in each case nothing that can be cloned
  }
}

/** The real paths of those that are folders. */
export async function realFolders(paths: readonly string[]): Promise<string[]> {
  return (await Promise.all(paths.map(realFolder))).filter(path => path !== null)
}

/**
 * The real folder behind a local path that a client named, when it lies below one of the allowed folders. Symbolic
 * links are followed first, on both sides, so none leads out. A path elsewhere is refused without saying whether it
 * exists.
 *
 * @throws {FaultlineError} LOCAL_REPOSITORY_REFUSED, REPOSITORY_NOT_FOUND.
 */
export async function findLocalRepository(
  path: string,
  allowedFolders: readonly string[],
): Promise<{ path: string; url: string }> {
  const roots = await realFolders(allowedFolders)
  const wanted = normalize(path)
  const real = await realFolder(wanted)
  if (real === null) {
    const known = [...roots, ...allowedFolders.map(folder => normalize(folder))]
    if (known.some(root => isBelow(wanted, root))) {
      throw new FaultlineError('REPOSITORY_NOT_FOUND', `There is no repository at "${path}".`)
    }
    throw refused(path)
  }
  if (!roots.some(root => isBelow(real, root))) throw refused(path)
  return { path: real, url: pathToFileURL(real).href }
}
