import { Worker } from 'node:worker_threads'
import type { DamagedChanges, GitCalls, GitWorkerData } from './git-worker.ts'
import type { Repos } from './repos/repos.ts'
import type { SearchSuspects } from './repos/suspects.ts'
import { callerOf } from './thread-calls.ts'

// `tsc` rewrites the suffix of imports, not of URLs: the sources run as .ts, the package as .js.
const SUFFIX = import.meta.url.endsWith('.ts') ? 'ts' : 'js'

/** What `startGitThread` starts; the functions may be passed on by themselves. */
export type GitThread = Repos & {
  searchSuspects: SearchSuspects
  /** A file's text as a commit of a clone has it, byte order mark and line ends included; null when it is not there, or is not UTF-8. */
  readText: (file: { repository: string, commit: string, path: string }) => Promise<string | null>
}

/** Clones, as `createRepos` and `createSuspectSearch` have them, in a thread of their own; `close` ends it. */
export function startGitThread ({ onDamagedChanges, ...workerData }: GitWorkerData & { onDamagedChanges: (repository: string) => void }): GitThread {
  const thread = new Worker(new URL(`./git-worker.${SUFFIX}`, import.meta.url), { workerData })
  const { call, end } = callerOf<GitCalls>(thread)
  thread.on('message', (message: DamagedChanges | object) => { if ('damagedChanges' in message) onDamagedChanges(message.damagedChanges) })

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
    readText: file => call('readText', file),
    async close () {
      await call('close', undefined)
      await end()
    },
  }
}
