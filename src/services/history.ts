import { createHistoryFetcher, type HistoryFetcher, type HistoryRequest } from '../pipelines/clone/history.ts'
import type { Git } from './git.ts'
import type { Log } from './log.ts'
import type { Rush } from './rush.ts'

/** What a fetch has done in this time may be lost. */
const EARLY_MS = 5_000
/** So often one after the other a fetch is given up for a rush. */
const MAX_GIVEN_UP = 5

interface HistoryDeps {
  git: Pick<Git, 'holds' | 'fetchHistory'>
  log: Log
  rush: Rush
}

/**
 * Histories, fetched in the background when few answers are asked for: one that has just begun when many are is given
 * up, and begins again after them. A project that was deleted meanwhile wants none.
 */
export function startHistory({ git, log, rush }: HistoryDeps): HistoryFetcher {
  let givenUp = 0

  async function fetchInCalm(request: HistoryRequest & { signal: AbortSignal }): ReturnType<Git['fetchHistory']> {
    await rush.untilCalm(request.signal)
    const early = new AbortController()
    const stay = givenUp < MAX_GIVEN_UP ? rush.onRush(() => early.abort()) : () => {}
    const timer = setTimeout(stay, EARLY_MS)
    try {
      const outcome = await git.fetchHistory({ ...request, signal: AbortSignal.any([request.signal, early.signal]) })
      givenUp = 0
      return outcome
    } catch (error) {
      if (!early.signal.aborted || request.signal.aborted) throw error
      givenUp++
      return 'interrupted'
    } finally {
      clearTimeout(timer)
      stay()
    }
  }

  return createHistoryFetcher({
    fetchHistory: async request =>
      (await git.holds(request.repository, request.projectName)) ? fetchInCalm(request) : 'full',
    onError: (error, repository) =>
      log.warn({ err: error, repository }, 'the history could not be fetched; the next clone tries again'),
  })
}
