import { readdir, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { callGit } from '../git/git-client.ts'
import { filesBelow } from './disk-space.ts'
import { gitEnv, LOCAL_SETTINGS } from '../git/git-env.ts'

const MAX_PACKS = 50
/** Objects that are no part of a pack; snapshots of work trees leave some. Git itself packs so many. */
const MAX_LOOSE = 6_700
/** Objects are spread evenly over as many folders, so that one tells how many there are in all. */
const LOOSE_FOLDERS = 256

/** Removes what killed git processes of ours may have left. Call it only when none is at work in this clone. */
export async function removeLeftovers(gitDir: string): Promise<void> {
  for await (const file of filesBelow(gitDir)) {
    // No ref's name ends in .lock, but a branch may be called tmp_pack_1.
    const isDraft = file.startsWith(join(gitDir, 'objects')) && /^tmp_[a-z]+_/.test(basename(file))
    if (file.endsWith('.lock') || isDraft || file.startsWith(join(gitDir, 'fast_import_crash_'))) {
      await rm(file, { force: true })
    }
  }
}

/**
 * Merges the packs of a clone, and its single objects, when there are many, as each update adds some. Unlike `git gc`
 * it keeps what no ref reaches, because a published index may still name it.
 */
export async function packWhenMany(
  gitDir: string,
  {
    searchPath,
    signal,
    maxPacks = MAX_PACKS,
    maxLoose = MAX_LOOSE,
  }: { searchPath: string; signal: AbortSignal; maxPacks?: number; maxLoose?: number },
): Promise<void> {
  const packs = (await readdir(join(gitDir, 'objects', 'pack'))).filter(name => name.endsWith('.pack'))
  const sample = await readdir(join(gitDir, 'objects', '17')).catch(() => [])
  if (packs.length <= maxPacks && sample.length * LOOSE_FOLDERS <= maxLoose) return
  await callGit({
    args: ['repack', '-a', '-d', '-k', '-q'],
    cwd: gitDir,
    env: gitEnv({ gitDir, searchPath }),
    settings: LOCAL_SETTINGS,
    signal,
  })
}
