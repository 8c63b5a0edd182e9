import { FaultlineError } from '../core/errors.ts'
import type { IndexedRepository } from '../core/project.ts'
import type { Git } from './git.ts'

/** A clone as a project has it indexed. */
type IndexedClone = { projectName: string } & IndexedRepository

/** What brings clones that are asked about to this node. */
interface MissingClonesDeps {
  /** The clones of this node. */
  local: Pick<Git, 'hasCopy'>
  /** What reads them. */
  git: Pick<Git, 'searchSuspects' | 'searchChangesSince' | 'readLineLog' | 'fetchRef' | 'listFiles'>
  /** What is indexed of a repository, by project. */
  indexedOf: (repository: string) => Promise<IndexedClone[]>
  bring: (wanted: IndexedClone) => Promise<void>
  /** Hears of each clone that came, or is here, without its history. */
  onShallow: (clone: Pick<IndexedClone, 'repository' | 'projectName'>) => void
  onFailed: (error: unknown) => void
  /** A monotonic clock, in ms. */
  now?: () => number
}

/** A clone that could not be had is asked for again after this time. */
const AGAIN_MS = 60_000
/** A history that did not come is asked for again after this time: a remote may have none. */
const HISTORY_AGAIN_MS = 600_000
const MAX_REMEMBERED = 10_000

const isTooLarge = (error: unknown): boolean => error instanceof FaultlineError && error.code === 'REPOSITORY_TOO_LARGE'

/**
 * The same functions for a node that may lack the clone, as one that runs no jobs does. Whoever names a commit waits
 * for the clone; suspects and changes since do not: what is asked again later has them, as after a first clone.
 */
export function bringingMissing({
  local,
  git,
  indexedOf,
  bring,
  onShallow,
  onFailed,
  now = () => performance.now(),
}: MissingClonesDeps): MissingClonesDeps['git'] {
  const coming = new Map<string, Promise<void>>()
  /** When a clone was last looked for that could not be had. */
  const missed = new Map<string, number>()
  /** When the history of a clone was last asked for. */
  const deepened = new Map<string, number>()

  function askForHistory({ repository, projectName }: IndexedClone): void {
    if (deepened.size >= MAX_REMEMBERED) deepened.clear()
    deepened.set(repository, now())
    onShallow({ repository, projectName })
  }

  async function bringClone(repository: string): Promise<void> {
    if (await local.hasCopy({ repository, uploadedInto: null })) return
    const [indexed] = await indexedOf(repository)
    if (indexed === undefined) return
    await bring(indexed)
    askForHistory(indexed)
  }

  /** Calls for one clone share its way here. */
  function bringOnce(repository: string): Promise<void> {
    const known = coming.get(repository)
    if (known !== undefined) return known
    if (now() - (missed.get(repository) ?? -Infinity) < AGAIN_MS) return Promise.resolve()
    const own = bringClone(repository)
      .catch((error: unknown) => {
        if (missed.size >= MAX_REMEMBERED) missed.clear()
        missed.set(repository, now())
        onFailed(error)
      })
      .finally(() => coming.delete(repository))
    coming.set(repository, own)
    return own
  }

  /** The clone, or the history of one that is here: a job needs none and brings none. */
  async function bringHistory(repository: string): Promise<void> {
    await bringOnce(repository)
    if (now() - (deepened.get(repository) ?? -Infinity) < HISTORY_AGAIN_MS) return
    const [indexed] = await indexedOf(repository)
    if (indexed !== undefined) askForHistory(indexed)
  }

  /** A search that looks for what it lacked: asked again later, it has it. */
  const deepening =
    <Search extends { repository: string }, Found extends { status: string }>(
      search: (wanted: Search) => Promise<Found>,
    ) =>
    async (wanted: Search): Promise<Found> => {
      const found = await search(wanted)
      if (found.status === 'shallow_history') bringHistory(wanted.repository).catch(onFailed)
      return found
    }

  return {
    searchSuspects: deepening(git.searchSuspects),
    searchChangesSince: deepening(git.searchChangesSince),
    readLineLog: deepening(git.readLineLog),
    async fetchRef(request, signal) {
      await bringOnce(request.repository)
      return await git.fetchRef(request, signal)
    },
    async listFiles(at, signal) {
      try {
        return await git.listFiles(at, signal)
      } catch (error) {
        if (isTooLarge(error) || signal?.aborted === true) throw error
        const indexed = (await indexedOf(at.repository)).find(({ commit }) => commit === at.commit)
        if (indexed === undefined) throw error
        await bring(indexed)
        return await git.listFiles(at, signal)
      }
    },
  }
}
