import { stat } from 'node:fs/promises'
import { openLocalGit } from './local-git.ts'
import { stateFileOf } from './clone-state.ts'

const PREFIX = 'refs/tags/'
const MAX_CACHED_CLONES = 8

/**
 * Lists the names of a clone's tags. They change only when its state is written, so they are read once for each state;
 * about 5 ms.
 */
type ListTags = (gitDir: string) => Promise<readonly string[]>

async function listTags(gitDir: string, searchPath: string): Promise<string[]> {
  const refs = await openLocalGit(gitDir, { searchPath }).refNames('refs/tags')
  return refs.filter(ref => ref.startsWith(PREFIX)).map(ref => ref.slice(PREFIX.length))
}

/** Reads tags with git and remembers them for each state of a clone. */
export function createTagReader({ searchPath }: { searchPath: string }): ListTags {
  // the least recently used one first
  const known = new Map<string, { state: string; tags: Promise<readonly string[]> }>()
  return async gitDir => {
    const { mtimeMs, ino, size } = await stat(stateFileOf(gitDir))
    const state = `${mtimeMs} ${ino} ${size}`
    const cached = known.get(gitDir)
    const entry = cached?.state === state ? cached : { state, tags: listTags(gitDir, searchPath) }
    known.delete(gitDir)
    known.set(gitDir, entry)
    const oldest = known.keys().next().value
    if (known.size > MAX_CACHED_CLONES && oldest !== undefined) known.delete(oldest)
    try {
      return await entry.tags
    } catch (error) {
      known.delete(gitDir)
      throw error
    }
  }
}
