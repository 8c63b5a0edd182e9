import {
  createHistoryFetcher,
  historyKey,
  type HistoryFetcher,
  type HistoryRequest,
} from '../pipelines/clone/history.ts'
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
  /** How often the fetch of each was given up, since its last end. */
  const givenUp = new Map<string, number>()

  async function fetchInCalm(request: HistoryRequest & { signal: AbortSignal }): ReturnType<Git['fetchHistory']> {
    await rush.untilCalm(request.signal)
    const key = historyKey(request)
    const before = givenUp.get(key) ?? 0
    const early = new AbortController()
    const stay = before < MAX_GIVEN_UP ? rush.onRush(() => early.abort()) : () => {}
    const timer = setTimeout(stay, EARLY_MS)
    try {
      const outcome = await git.fetchHistory({ ...request, signal: AbortSignal.any([request.signal, early.signal]) })
      givenUp.delete(key)
      return outcome
    } catch (error) {
      const gaveWay = early.signal.aborted && !request.signal.aborted
      if (gaveWay) givenUp.set(key, before + 1)
      else givenUp.delete(key)
      if (!gaveWay) throw error
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
