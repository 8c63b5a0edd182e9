import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { CloneState } from '../clone/clone-state.ts'
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

/**
 * The state of a clone after a fetch that did not take all that led to a commit. Where that cut off is noted, so that
 * nobody takes the history of a project for whole that leads through there.
 *
 * @param before - The result of `cutOffCommits` before the fetch.
 */
export async function noteCutOff(state: CloneState, gitDir: string, before: ReadonlySet<string>): Promise<CloneState> {
  const added = [...(await cutOffCommits(gitDir))].filter(commit => !before.has(commit))
  const { cutOff = [] } = state
  return added.length === 0 ? state : { ...state, cutOff: [...new Set([...cutOff, ...added])] }
}
