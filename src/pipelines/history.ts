export interface HistoryDeps {
  fetchHistory: (request: { repository: string, projectName: string, signal: AbortSignal }) => Promise<unknown>
  onError: (error: unknown, repository: string) => void
}

export interface HistoryFetcher {
  /** Asks for the history of a repository; returns at once. */
  enqueue (request: { repository: string, projectName: string }): void
  /** Resolves when nothing is left to fetch. */
  idle (): Promise<void>
  close (): Promise<void>
}

/**
 * Fetches history and tag names in the background, one repository at a time, once its index is there. It is a convenience (blame, tags),
 * so a failure is logged and tried again at the next clone or start.
 */
export function createHistoryFetcher ({ fetchHistory, onError }: HistoryDeps): HistoryFetcher {
  const controller = new AbortController()
  const queued = new Set<string>()
  let last: Promise<void> = Promise.resolve()

  return {
    enqueue ({ repository, projectName }) {
      if (queued.has(repository) || controller.signal.aborted) return
      queued.add(repository)
      last = last.then(async () => {
        queued.delete(repository)
        if (controller.signal.aborted) return
        try {
          await fetchHistory({ repository, projectName, signal: controller.signal })
        } catch (error) {
          if (!controller.signal.aborted) onError(error, repository)
        }
      })
    },
    idle: () => last,
    async close () {
      controller.abort()
      await last
    },
  }
}
