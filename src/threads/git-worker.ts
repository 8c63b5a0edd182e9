import { parentPort, workerData } from 'node:worker_threads'
import { decodeText } from '../core/source-text.ts'
import { createCloneReader } from '../repos/objects/clone-reader.ts'
import type { CommitRequest } from '../repos/objects/commit-files.ts'
import { createCommitReader, type CommitOfClone } from '../repos/objects/commit-reader.ts'
import type { PushRequest } from '../repos/remote/push-branch.ts'
import { createRepos, type Repos, type ReposOptions } from '../repos/repos.ts'
import { createSuspectSearch, type SuspectSearch } from '../repos/history/suspects.ts'
import { serveCalls, type ServedOptions } from './rpc.ts'

/**
 * Composition root of the thread that works on clones. To start a program copies the tables of all the memory of this
 * process, and takes ten milliseconds and more: never on the thread of HTTP.
 */
export type GitWorkerData = Pick<
  ReposOptions,
  'clonedReposDir' | 'allowLocalRepos' | 'allowPrivateHosts' | 'gitTokens' | 'sshAuthSock'
>

/** What it says unasked. */
export interface DamagedChanges {
  damagedChanges: string
}

type SyncTask = Parameters<Repos['sync']>[0]
type HistoryTask = Omit<Parameters<Repos['fetchHistory']>[0], 'signal'>

export type GitCalls = ReturnType<typeof gitCalls>

function gitCalls(options: ReposOptions) {
  const repos = createRepos(options)
  const clones = createCloneReader(options)
  const commits = createCommitReader(options)
  const searchSuspects = createSuspectSearch(options)
  return {
    check: (url: string) => repos.check(url),
    sync: (task: SyncTask, { signal, onProgress }: ServedOptions) => repos.sync(task, { signal, onProgress }),
    fetchHistory: (task: HistoryTask, { signal }: ServedOptions) => repos.fetchHistory({ ...task, signal }),
    history: (repository: string) => repos.history(repository),
    hasChanges: ({ repository, projectName }: HistoryTask) => repos.hasChanges(repository, projectName),
    holds: ({ repository, projectName }: HistoryTask) => repos.holds(repository, projectName),
    release: (projectName: string) => repos.release(projectName),
    releaseMissing: (projects: readonly string[]) => repos.releaseMissing(projects),
    sweep: () => repos.sweep(),
    gitVersion: () => repos.gitVersion(),
    close: () => repos.close(),
    readText: async ({ repository, commit, path }: { repository: string; commit: string; path: string }) =>
      decodeText(await clones.readFile(repository, commit, path)),
    listFiles: (at: CommitOfClone, { signal }: ServedOptions) => commits.listFiles(at, signal),
    readTexts: (of: { repository: string; oids: readonly string[] }, { signal }: ServedOptions) =>
      commits.readTexts(of, signal),
    checkout: (what: CommitOfClone & { dir: string; without: readonly string[] }, { signal }: ServedOptions) =>
      commits.checkout(what, signal),
    formatPatch: (at: CommitOfClone) => commits.formatPatch(at),
    checkPatch: (what: CommitOfClone & { patch: string }) => commits.checkPatch(what),
    commitFiles: (request: CommitRequest, { signal }: ServedOptions) => repos.commitFiles(request, signal),
    push: (request: PushRequest, { signal }: ServedOptions) => repos.push(request, signal),
    searchSuspects: (task: Omit<SuspectSearch, 'signal'>, { signal }: ServedOptions) =>
      searchSuspects({ ...task, signal }),
  }
}

const onDamagedChanges = (damagedChanges: string): void => {
  parentPort?.postMessage({ damagedChanges } satisfies DamagedChanges)
}
if (parentPort !== null) serveCalls(parentPort, gitCalls({ ...(workerData as GitWorkerData), onDamagedChanges }))
