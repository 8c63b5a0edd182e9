import { Worker } from 'node:worker_threads'
import type { DamagedChanges, GitCalls, GitWorkerData } from './git-worker.ts'
import type { CommitReader } from '../repos/objects/commit-reader.ts'
import type { Repos } from '../repos/repos.ts'
import type { SearchSuspects } from '../repos/history/suspects.ts'
import { callerOf } from './rpc.ts'

// `tsc` rewrites the suffix of imports, not of URLs: the sources run as .ts, the package as .js.
const SUFFIX = import.meta.url.endsWith('.ts') ? 'ts' : 'js'

/** What `startGitThread` starts; the functions may be passed on by themselves. */
export type GitThread = Repos &
  CommitReader & {
    searchSuspects: SearchSuspects
    /**
     * A file's text as a commit of a clone has it, byte order mark and line ends included; null when it is not there,
     * or is not UTF-8.
     */
    readText: (file: { repository: string; commit: string; path: string }) => Promise<string | null>
  }

export interface GitThreadOptions extends GitWorkerData {
  onDamagedChanges: (repository: string) => void
  /** Told why the thread ended that was not to end; the next call starts another. */
  onCrash: (error: unknown) => void
}

/**
 * Clones, as `createRepos` and `createSuspectSearch` have them, in a thread of their own, which the first call starts;
 * `close` ends it, and again is the same once.
 */
export function startGitThread({ onDamagedChanges, onCrash, ...workerData }: GitThreadOptions): GitThread {
  function start(): Worker {
    const thread = new Worker(new URL(`./git-worker.${SUFFIX}`, import.meta.url), { workerData })
    return thread.on('message', (message: DamagedChanges | object) => {
      if ('damagedChanges' in message) onDamagedChanges(message.damagedChanges)
    })
  }
  const { call, end } = callerOf<GitCalls>(start, { onCrash })

  return {
    check: url => call('check', url),
    sync: (request, options) => call('sync', request, options),
    fetchHistory: ({ signal, ...request }) => call('fetchHistory', request, { signal }),
    history: repository => call('history', repository),
    hasChanges: (repository, projectName) => call('hasChanges', { repository, projectName }),
    holds: (repository, projectName) => call('holds', { repository, projectName }),
    release: projectName => call('release', projectName),
    releaseMissing: projects => call('releaseMissing', projects),
    sweep: () => call('sweep', undefined),
    gitVersion: () => call('gitVersion', undefined),
    searchSuspects: ({ signal, ...search }) => call('searchSuspects', search, { signal }),
    listFiles: (at, signal) => call('listFiles', at, { signal }),
    readTexts: (of, signal) => call('readTexts', of, { signal }),
    checkout: (what, signal) => call('checkout', what, { signal }),
    formatPatch: at => call('formatPatch', at),
    checkPatch: what => call('checkPatch', what),
    commitFiles: (request, signal) => call('commitFiles', request, { signal }),
    push: (request, signal) => call('push', request, { signal }),
    readText: file => call('readText', file),
    close: () => end('close'),
  }
}
