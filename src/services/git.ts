import type { Config } from '../config.ts'
import { WORKER_THREADS, type ThreadStarter } from '../threads/entry.ts'
import type { GitFunctions, GitNotices, GitWorkerData } from '../threads/git-worker.ts'
import { remoteOf } from '../threads/rpc.ts'
import type { Log } from './log.ts'
import { cacheBytesOf } from './worker-data.ts'

/** The functions that work on clones; each may be passed on by itself. */
export type Git = GitFunctions

/** What the process that works on clones is started with. */
export interface GitOptions extends GitWorkerData, Required<GitNotices> {
  /** Gets the reason why the process ended that was not to end; the next call starts another. */
  onCrash: (error: unknown) => void
}

/** What the configuration says of git, and what the log gets of it. */
export const gitOptions = (config: Config, log: Log): GitOptions => ({
  clonedReposDir: config.clonedReposDir,
  allowLocalRepos: config.allowLocalRepos,
  allowPrivateHosts: config.allowPrivateHosts,
  gitTokens: config.gitTokens,
  sshAuthSock: config.sshAuthSock,
  cacheBytes: cacheBytesOf(config, 'git'),
  limits: { minFreeBytes: config.diskReserveBytes },
  onDamagedChanges: repository =>
    log.warn({ repository }, 'the table of what its commits changed was damaged and was made anew'),
  onCrash: error =>
    log.error({ err: error }, 'the process that works on clones broke down; the next call starts another'),
})

/** What reads only, and what finds its own work done: a second call of it does no harm. */
const REPEATABLE = [
  'check',
  'namesOf',
  'history',
  'hasChanges',
  'holds',
  'commitFiles',
  'joinBranch',
  'ownBranches',
  'inventory',
  'deleteBranch',
  'branchesTaken',
  'deleteRemoteBranch',
  'findConflicts',
  'mergeBranch',
  'pushOnto',
  'tipOf',
  'fetchRef',
  'fetchBase',
  'discardUpload',
  'listCopies',
  'hasCopy',
  'release',
  'releaseMissing',
  'sweep',
  'gitVersion',
  'listFiles',
  'readTexts',
  'formatPatch',
  'checkPatch',
  'searchSuspects',
  'searchChangesSince',
  'readLineLog',
  'bisectRange',
  'nextToBisect',
  'describeCommits',
  'changedLines',
  'isAncestor',
  'readText',
  'readBytes',
] as const satisfies ReadonlyArray<keyof Git>

/** Clones in the process that starts programs, which the first call starts; `close` ends their part of it. */
export const startGit = (
  { onDamagedChanges, onCrash, ...workerData }: GitOptions,
  starter: ThreadStarter = WORKER_THREADS,
): Git =>
  remoteOf<Git, GitNotices>(() => starter.process('git-worker', workerData), {
    onCrash,
    repeatable: REPEATABLE,
    recover: 'sweep',
    notices: { onDamagedChanges },
  })
