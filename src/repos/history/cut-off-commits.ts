import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isCommitId } from '../clone/refs.ts'

/** Commits whose parents the clone lacks: to git they seem to have written everything older. */
export async function cutOffCommits(gitDir: string): Promise<Set<string>> {
  try {
    return new Set((await readFile(join(gitDir, 'shallow'), 'utf8')).split('\n').filter(isCommitId))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return new Set()
    throw error
  }
}
