import { createHistoryFetcher, type HistoryFetcher } from '../pipelines/clone/history.ts'
import type { Git } from './git.ts'
import type { Log } from './log.ts'

/** Histories, fetched in the background; a project that was deleted meanwhile wants none. */
export const startHistory = ({ git, log }: { git: Git; log: Log }): HistoryFetcher =>
  createHistoryFetcher({
    fetchHistory: async request =>
      (await git.holds(request.repository, request.projectName)) ? git.fetchHistory(request) : 'full',
    onError: (error, repository) =>
      log.warn({ err: error, repository }, 'the history could not be fetched; the next clone tries again'),
  })
