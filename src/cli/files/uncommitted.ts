import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import type { ResolutionAnswer } from '../../contract/resolution.ts'
import { decodeSource } from '../../core/source-text.ts'
import type { Backend } from '../backend/backend.ts'

/** The index contains no larger files. */
const MAX_BYTES = 8 * 1024 * 1024

/** The content of a file; null when it is missing, no regular file, or too large to be indexed. */
async function readRegular(path: string): Promise<Buffer | null> {
  try {
    await using file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW)
    const stat = await file.stat()
    return stat.isFile() && stat.size <= MAX_BYTES ? await file.readFile() : null
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'ELOOP', 'EACCES'].includes((error as NodeJS.ErrnoException).code ?? '')) return null
    throw error
  }
}

/**
 * How many of the files that frames were mapped to differ between the work tree and the commit that was read. The texts
 * are compared without git, because the repository's configuration decides what git would run to look at a work tree.
 *
 * @returns 0 for a bare repository, and where the backend cannot tell.
 */
export async function countUncommitted(
  workTree: string,
  { frames, commit }: Pick<ResolutionAnswer, 'frames' | 'commit'>,
  readCommitted: Backend['readCommitted'],
): Promise<number> {
  const files = new Map(
    frames.flatMap(({ repository, path }) =>
      repository === null || path === null ? [] : [[path, repository] as const],
    ),
  )
  const differ = await Promise.all(
    [...files].map(async ([path, repository]) => {
      const committed = await readCommitted({ repository, commit, path })
      if (committed === null) return false
      const present = await readRegular(join(workTree, path))
      return present === null || decodeSource(present) !== decodeSource(committed)
    }),
  )
  return differ.filter(Boolean).length
}
