import { FaultlineError } from '../../core/errors.ts'
import type { Projects } from '../../indexer/projects.ts'

/** A repository as a project holds it. */
export interface HistoryRequest {
  repository: string
  projectName: string
}

/** What fetching histories needs. */
interface HistoryDeps {
  /** `interrupted`: a clone job or a deletion needed the repository meanwhile. */
  fetchHistory: (request: HistoryRequest & { signal: AbortSignal }) => Promise<'full' | 'shallow' | 'interrupted'>
  onError: (error: unknown, repository: string) => void
}

/** A queue of histories that are to be fetched. */
export interface HistoryFetcher {
  /**
   * Asks for the history of a project's repository; returns at once.
   *
   * @param calmMs - Waits until nobody has asked for it for so long: where most of it is there, it must not slow down
   * the next commit.
   */
  enqueue(request: HistoryRequest, options?: { calmMs?: number }): void
  /** Resolves when nothing is left to fetch; what waits for calm begins at once. */
  idle(): Promise<void>
  close(): Promise<void>
}

/** Names a history: two projects on one clone may want it from different commits. */
export const historyKey = ({ repository, projectName }: HistoryRequest): string => `${repository} ${projectName}`

/** Its project was deleted meanwhile, and the clone with it. */
const isGone = (error: unknown): boolean => error instanceof FaultlineError && error.code === 'NOT_FOUND'

/**
 * Fetches history and tag names in the background, one at a time, once the index is there. It is a convenience (blame,
 * tags), so a failure is logged and tried again at the next clone or start.
 */
export function createHistoryFetcher({ fetchHistory, onError }: HistoryDeps): HistoryFetcher {
  const closing = new AbortController()
  const queue = new Map<string, HistoryRequest>()
  const waiting = new Map<string, { request: HistoryRequest; timer: NodeJS.Timeout }>()
  let working: Promise<void> | null = null

  async function work(): Promise<void> {
    for (
      let next = queue.entries().next().value;
      next !== undefined && !closing.signal.aborted;
      next = queue.entries().next().value
    ) {
      const [key, request] = next
      queue.delete(key)
      try {
        const outcome = await fetchHistory({ ...request, signal: closing.signal })
        if (outcome === 'interrupted') queue.set(key, request)
      } catch (error) {
        if (!closing.signal.aborted && !isGone(error)) onError(error, request.repository)
      }
    }
    working = null
  }

  function begin(request: HistoryRequest): void {
    const key = historyKey(request)
    clearTimeout(waiting.get(key)?.timer)
    waiting.delete(key)
    queue.set(key, request)
    working ??= work()
  }

  return {
    enqueue(request, { calmMs = 0 } = {}) {
      if (closing.signal.aborted) return
      if (calmMs === 0) return begin(request)
      const key = historyKey(request)
      clearTimeout(waiting.get(key)?.timer)
      waiting.set(key, { request, timer: setTimeout(() => begin(request), calmMs) })
    },
    async idle() {
      for (const { request } of [...waiting.values()]) begin(request)
      await working
    },
    async close() {
      closing.abort()
      for (const { timer } of waiting.values()) clearTimeout(timer)
      waiting.clear()
      await working
    },
  }
}

/** A server that was stopped while a history was fetched asks for it again, as does one that finds it incomplete. */
export async function resumeHistories(
  projects: Pick<Projects, 'list'>,
  {
    hasChanges,
    enqueue,
  }: Pick<HistoryFetcher, 'enqueue'> & { hasChanges: (request: HistoryRequest) => Promise<boolean> },
): Promise<void> {
  let after: string | null = null
  do {
    const page: Awaited<ReturnType<Projects['list']>> = await projects.list(50, after)
    for (const { projectName, repositories } of page.projects) {
      for (const { repository, history } of repositories) {
        if (history === 'shallow' || !(await hasChanges({ repository, projectName }))) {
          enqueue({ repository, projectName })
        }
      }
    }
    after = page.next
  } while (after !== null)
}
