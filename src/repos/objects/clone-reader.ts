import { join } from 'node:path'
import { isProjectName } from '../../core/project.ts'
import { readCloneState } from '../clone/clone-state.ts'
import { createTagReader } from '../clone/clone-tags.ts'
import { GIT_SEARCH_PATH } from '../git/git-env.ts'
import { openLocalGit } from '../clone/local-git.ts'
import { createFileReader } from './read-file.ts'
import { isCommitId } from '../clone/refs.ts'

/** Reads clones by their names for clients. Never uses the network, and any name is safe. */
export interface CloneReader {
  /** The commit that a commit id, a tag or a branch means in the clone; null when there is none. About 5 ms. */
  resolveCommit(repository: string, ref: string): Promise<string | null>
  /** The content of a regular file at a commit of the clone, or null. See `FileReader.readFile`. */
  readFile(repository: string, commit: string, path: string): Promise<Buffer | null>
  /** Names of the tags whose commit is in the clone; empty for a missing clone. */
  tags(repository: string): Promise<readonly string[]>
}

/** Reads the clones below one folder. */
export function createCloneReader({
  clonedReposDir,
  searchPath = GIT_SEARCH_PATH,
}: {
  clonedReposDir: string
  searchPath?: string
}): CloneReader {
  const files = createFileReader({ searchPath })
  const listTags = createTagReader({ searchPath })

  /** The git directory of a clone; null for a name that no clone can have, and for a missing clone. */
  async function cloneOf(repository: string): Promise<string | null> {
    if (!isProjectName(repository)) return null
    const gitDir = join(clonedReposDir, repository)
    return (await readCloneState(gitDir)) === null ? null : gitDir
  }

  return {
    async resolveCommit(repository, ref) {
      const gitDir = await cloneOf(repository)
      return gitDir === null ? null : await openLocalGit(gitDir, { searchPath }).resolve(ref)
    },
    async readFile(repository, commit, path) {
      const gitDir = isCommitId(commit) ? await cloneOf(repository) : null
      return gitDir === null ? null : await files.readFile(gitDir, commit, path)
    },
    async tags(repository) {
      const gitDir = await cloneOf(repository)
      return gitDir === null ? [] : await listTags(gitDir)
    },
  }
}
