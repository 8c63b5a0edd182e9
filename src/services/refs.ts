import type { FetchedRef } from '../repos/remote/fetch-ref.ts'
import type { Store } from '../vecstore/store.ts'
import type { Git } from './git.ts'

/** Makes sure that a commit, tag or branch of a project can be read. */
export type ProvideRef = (projectName: string, ref: string, signal?: AbortSignal) => Promise<MissingRef | null>

/** Why a name cannot be read, as the end of a sentence. */
export interface MissingRef {
  reason: string
}

const LIMIT_MS = 20_000
/** What a remote lacks, or did not answer, is not asked for again for so long: the same crash comes again and again. */
const REMEMBERED_MS = 60_000
const MAX_REMEMBERED = 1_000

interface RefsDeps {
  git: Pick<Git, 'fetchRef'>
  store: Pick<Store, 'readManifest'>
  /** All that an answer waits for a remote; 0 asks none. */
  limitMs?: number
  now?: () => number
}

/**
 * Looks for what a request named in the clones of its project, and fetches it where none has it. The only thing that an
 * answer waits for on the network, and only for a name that was given as one.
 */
export function createProvideRef({ git, store, limitMs = LIMIT_MS, now = () => Date.now() }: RefsDeps): ProvideRef {
  const missing = new Map<string, { until: number; reason: string }>()
  const running = new Map<string, Promise<FetchedRef>>()

  async function fetchOnce(repository: string, ref: string): Promise<FetchedRef> {
    const key = JSON.stringify([repository, ref])
    const known = missing.get(key)
    if (known !== undefined && known.until > now()) return { commit: null, reason: known.reason }
    missing.delete(key)
    // whoever asks first may leave before the others
    const own = running.get(key) ?? git.fetchRef({ repository, ref, timeoutMs: limitMs }, new AbortController().signal)
    running.set(key, own)
    try {
      const fetched = await own
      if (fetched.commit === null) {
        missing.set(key, { until: now() + REMEMBERED_MS, reason: fetched.reason })
        const [oldest] = missing.keys()
        if (missing.size > MAX_REMEMBERED && oldest !== undefined) missing.delete(oldest)
      }
      return fetched
    } finally {
      if (running.get(key) === own) running.delete(key)
    }
  }

  return async (projectName, ref, signal = new AbortController().signal) => {
    const repositories = (await store.readManifest(projectName))?.repositories ?? []
    for (const { repository } of repositories) {
      if ((await git.fetchRef({ repository, ref, timeoutMs: 0 }, signal)).commit !== null) return null
    }
    const fetched = await Promise.all(repositories.map(async ({ repository }) => fetchOnce(repository, ref)))
    signal.throwIfAborted()
    if (fetched.some(({ commit }) => commit !== null)) return null
    const reasons = fetched.flatMap(one => (one.commit === null ? [one.reason] : []))
    return { reason: [...new Set(reasons)].join('; ') }
  }
}
