import { decodeText } from '../core/source-text.ts'
import { createBisecting, type Bisecting } from '../repos/history/bisect.ts'
import { createCommitDifferences, type CommitDifferences } from '../repos/history/changed-lines.ts'
import { createChangesSinceSearch, type SearchChangesSince } from '../repos/history/changes-since.ts'
import { GitTurns } from '../repos/history/git-turns.ts'
import { createLineLog, type ReadLineLog } from '../repos/history/line-log.ts'
import { createSuspectSearch, type SearchSuspects } from '../repos/history/suspects.ts'
import { createCloneReader } from '../repos/objects/clone-reader.ts'
import { createCommitReader, type CommitReader } from '../repos/objects/commit-reader.ts'
import { createRepos, type Repos, type ReposOptions } from '../repos/repos.ts'
import { noticeTo, serve, type Channel } from './rpc.ts'

/** Composition root of what works on clones; `child-entry.ts` says why it has a process of its own. */
export type GitWorkerData = Pick<
  ReposOptions,
  'clonedReposDir' | 'allowLocalRepos' | 'allowPrivateHosts' | 'gitTokens' | 'sshAuthSock' | 'limits'
> & {
  /** What all caches of the process may take together. */
  cacheBytes?: number
}

interface FileOfCommit {
  repository: string
  commit: string
  path: string
}

/** What is served of clones. */
export type GitFunctions = Repos &
  CommitReader &
  Bisecting &
  CommitDifferences & {
    searchSuspects: SearchSuspects
    searchChangesSince: SearchChangesSince
    readLineLog: ReadLineLog
    /**
     * A file's text as a commit of a clone has it, byte order mark and line ends included; null when it is not there,
     * or is not UTF-8.
     */
    readText: (file: FileOfCommit) => Promise<string | null>
    /** A file's bytes as a commit of a clone has them; null when it is not there. */
    readBytes: (file: FileOfCommit) => Promise<Uint8Array | null>
  }

/** What is said unasked. */
export type GitNotices = Pick<ReposOptions, 'onDamagedChanges'>

/** What is served beside whole groups of functions. */
type OtherName = 'searchSuspects' | 'searchChangesSince' | 'readLineLog' | 'readText' | 'readBytes'

/** Serves what works on clones to the other side of the channel. */
export function serveGit(channel: Channel, data: GitWorkerData): void {
  const options: ReposOptions = { ...data, onDamagedChanges: noticeTo<[string]>(channel, 'onDamagedChanges') }
  const clones = createCloneReader(options)
  const turns = new GitTurns()
  const others: Pick<GitFunctions, OtherName> = {
    searchSuspects: createSuspectSearch({ ...options, turns }),
    searchChangesSince: createChangesSinceSearch({ ...options, turns }),
    readLineLog: createLineLog({ ...options, turns }),
    readText: async ({ repository, commit, path }) => decodeText(await clones.readFile(repository, commit, path)),
    readBytes: ({ repository, commit, path }) => clones.readFile(repository, commit, path),
  }
  const history = { ...createBisecting(options), ...createCommitDifferences(options) }
  serve(channel, createRepos(options), createCommitReader(options), history, others)
}
