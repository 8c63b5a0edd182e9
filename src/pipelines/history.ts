export interface HistoryDeps {
  fetchHistory: (request: { repository: string, projectName: string, signal: AbortSignal }) => Promise<unknown>
  onError: (error: unknown, repository: string) => void
}

export interface HistoryRequest { repository: string, projectName: string, url: string }

export interface HistoryFetcher {
  /** Asks for the history of a repository; returns at once. */
  enqueue (request: HistoryRequest): void
  /** Ends the fetch of this remote's history, if one runs, so that a clone job need not wait for it; the job asks for it again. */
  interrupt (url: string): void
  /** Resolves when nothing is left to fetch. */
  idle (): Promise<void>
  close (): Promise<void>
}

/**
 * Fetches history and tag names in the background, one repository at a time, once its index is there. It is a convenience (blame, tags),
 * so a failure is logged and tried again at the next clone or start.
 */
export function createHistoryFetcher ({ fetchHistory, onError }: HistoryDeps): HistoryFetcher {
  const closing = new AbortController()
  const queued = new Set<string>()
  let current: { url: string, controller: AbortController } | null = null
  let last: Promise<void> = Promise.resolve()

  async function fetchOne ({ repository, projectName, url }: HistoryRequest): Promise<void> {
    queued.delete(repository)
    const controller = new AbortController()
    const signal = AbortSignal.any([closing.signal, controller.signal])
    if (signal.aborted) return
    current = { url, controller }
    try {
      await fetchHistory({ repository, projectName, signal })
    } catch (error) {
      if (!signal.aborted) onError(error, repository)
    } finally {
      current = null
    }
  }

  return {
    enqueue (request) {
      if (queued.has(request.repository) || closing.signal.aborted) return
      queued.add(request.repository)
      last = last.then(() => fetchOne(request))
    },
    interrupt (url) {
      if (current?.url === url) current.controller.abort()
    },
    idle: () => last,
    async close () {
      closing.abort()
      await last
    },
  }
}
