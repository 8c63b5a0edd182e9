import { parentPort, workerData, type MessagePort } from 'node:worker_threads'
import { decodeText } from '../core/source-text.ts'
import { createSuspectSearch, type SearchSuspects } from '../repos/history/suspects.ts'
import { createCloneReader } from '../repos/objects/clone-reader.ts'
import { createCommitReader, type CommitReader } from '../repos/objects/commit-reader.ts'
import { createRepos, type Repos, type ReposOptions } from '../repos/repos.ts'
import { noticeTo, serve } from './rpc.ts'

/**
 * Composition root of the thread that works on clones. To start a program copies the tables of all the memory of this
 * process, and takes ten milliseconds and more: never on the thread of HTTP.
 */
export type GitWorkerData = Pick<
  ReposOptions,
  'clonedReposDir' | 'allowLocalRepos' | 'allowPrivateHosts' | 'gitTokens' | 'sshAuthSock' | 'limits'
>

/** What the thread serves. */
export type GitFunctions = Repos &
  CommitReader & {
    searchSuspects: SearchSuspects
    /**
     * A file's text as a commit of a clone has it, byte order mark and line ends included; null when it is not there,
     * or is not UTF-8.
     */
    readText: (file: { repository: string; commit: string; path: string }) => Promise<string | null>
  }

/** What the thread says unasked. */
export type GitNotices = Pick<ReposOptions, 'onDamagedChanges'>

/** Serves what works on clones to the other side of the port. */
export function serveGit(port: MessagePort, data: GitWorkerData): void {
  const options: ReposOptions = { ...data, onDamagedChanges: noticeTo<[string]>(port, 'onDamagedChanges') }
  const clones = createCloneReader(options)
  const others: Pick<GitFunctions, 'searchSuspects' | 'readText'> = {
    searchSuspects: createSuspectSearch(options),
    readText: async ({ repository, commit, path }) => decodeText(await clones.readFile(repository, commit, path)),
  }
  serve(port, createRepos(options), createCommitReader(options), others)
}

if (parentPort !== null) serveGit(parentPort, workerData as GitWorkerData)
