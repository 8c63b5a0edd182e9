import { randomUUID } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { mkdir, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { FaultlineError } from '../../core/errors.ts'
import { isProjectName } from '../../core/project.ts'
import { threadCaches } from '../../core/cache-budget.ts'
import { RecentlyUsed } from '../../core/recently-used.ts'
import { safePath } from '../../core/safe-path.ts'
import { decodeText } from '../../core/source-text.ts'
import { readCloneState } from '../clone/clone-state.ts'
import { formatBytes } from '../clone/disk-space.ts'
import { GIT_SEARCH_PATH } from '../git/git-env.ts'
import { runGit } from '../git/git-process.ts'
import { openLocalGit } from '../clone/local-git.ts'
import { listTree, readBlobs, type TreeEntry } from './objects.ts'
import { isCommitId } from '../clone/refs.ts'
import { noSuchClone, TEMPORARY_PREFIX } from '../clone/sync.ts'

/** One commit of a clone. */
export interface CommitOfClone {
  repository: string
  commit: string
}

/** A regular file of a commit. */
export interface CommittedFile {
  path: string
  mode: '100644' | '100755'
  /** Size in bytes. */
  size: number
  oid: string
}

/**
 * The contents of a commit. `others` are paths that nothing can be written to: links, submodules, and names that no
 * program should see.
 */
export interface CommitListing {
  files: CommittedFile[]
  others: string[]
}

/**
 * Files of a checkout written before other work of the process gets its turn. Each one asynchronously takes several
 * times as long.
 */
const WRITES_AT_ONCE = 50
/** A larger workspace would exceed its limit anyway. */
const MAX_CHECKOUT_BYTES = 400 * 1_048_576
const BINARY_LOOK_BYTES = 8_000
/** Of a file in a cached listing: a job that runs a program again and again lists the same commit each time. */
const FILE_BYTES = 200
const FORMAT_PATCH = [
  'format-patch',
  '--stdout',
  '--no-signature',
  '--no-numbered',
  '--no-attach',
  '--no-thread',
  '--no-cover-letter',
  '--no-notes',
  '--no-stat',
  '--subject-prefix=PATCH',
  '--full-index',
  '--binary',
  '--no-renames',
  '--no-ext-diff',
  '--no-textconv',
  '--no-color',
  '--src-prefix=a/',
  '--dst-prefix=b/',
]

/**
 * Reads commits to work on, from the local objects alone: no work tree of git's, no filter, no attribute. Any name is
 * safe. All of it throws NOT_FOUND for a missing clone or commit, and REPOSITORY_CORRUPT for one that cannot be read.
 */
export interface CommitReader {
  /**
   * About 20 ms for 2,400 files, and nothing when it is cached.
   *
   * @throws {FaultlineError} REPOSITORY_TOO_LARGE
   */
  listFiles(at: CommitOfClone, signal?: AbortSignal): Promise<CommitListing>
  /**
   * The contents behind object ids that `listFiles` returned; null for what is not UTF-8 text. One git process for all.
   */
  readTexts(of: { repository: string; oids: readonly string[] }, signal?: AbortSignal): Promise<Array<string | null>>
  /**
   * Writes the files of a commit except some into an empty folder of ours. Executable files stay so.
   *
   * @throws {FaultlineError} REPOSITORY_TOO_LARGE: more than 400 MiB.
   */
  checkout(what: CommitOfClone & { dir: string; without: readonly string[] }, signal?: AbortSignal): Promise<void>
  /** A commit as a mail for `git am`; with `since` all commits after that one, a mail each. */
  formatPatch(what: CommitOfClone & { since?: string }): Promise<string>
  /** The reason why `git apply` refuses a patch at a commit; null when it applies. */
  checkPatch(what: CommitOfClone & { patch: string }): Promise<string | null>
}

const isFile = (entry: TreeEntry): entry is TreeEntry & CommittedFile =>
  (entry.mode === '100644' || entry.mode === '100755') &&
  entry.size !== null &&
  !entry.path.includes('\uFFFD') &&
  safePath(entry.path) === entry.path

const isBinary = (bytes: Buffer): boolean => bytes.subarray(0, BINARY_LOOK_BYTES).includes(0)

/** The error for a commit that is gone, because its clone was deleted or replaced. */
export function noSuchCommit(repository: string, commit: string): FaultlineError {
  return new FaultlineError(
    'NOT_FOUND',
    `The clone of "${repository}" does not hold the commit ${commit.slice(0, 40)} any more.`,
    'POST /clone the repository again, then send the request again.',
  )
}

/** Reads commits of the clones below one folder. */
export function createCommitReader({
  clonedReposDir,
  searchPath = GIT_SEARCH_PATH,
  maxCheckoutBytes = MAX_CHECKOUT_BYTES,
}: {
  clonedReposDir: string
  searchPath?: string
  maxCheckoutBytes?: number
}): CommitReader {
  async function cloneOf(repository: string): Promise<string> {
    const gitDir = join(clonedReposDir, repository)
    if (!isProjectName(repository) || (await readCloneState(gitDir)) === null) throw noSuchClone(repository)
    return gitDir
  }

  async function cloneWith({ repository, commit }: CommitOfClone): Promise<string> {
    const gitDir = await cloneOf(repository)
    if (!isCommitId(commit) || (await openLocalGit(gitDir, { searchPath }).commitOf(commit)) === null) {
      throw noSuchCommit(repository, commit)
    }
    return gitDir
  }

  const listings = new RecentlyUsed<string, CommitListing>(
    threadCaches,
    ({ files, others }) => FILE_BYTES * (files.length + others.length + 1),
  )

  async function list(at: CommitOfClone, signal?: AbortSignal): Promise<CommitListing> {
    const gitDir = await cloneOf(at.repository)
    const { ino } = await stat(gitDir) // another one after it was made anew
    const key = `${at.repository} ${ino} ${at.commit}`
    const known = listings.find(key)
    if (known !== undefined) return known
    const listing: CommitListing = { files: [], others: [] }
    for await (const entry of listTree(await cloneWith(at), at.commit, signal)) {
      if (isFile(entry)) listing.files.push({ path: entry.path, mode: entry.mode, size: entry.size, oid: entry.oid })
      else listing.others.push(entry.path)
    }
    listings.set(key, listing)
    return listing
  }

  return {
    listFiles: list,

    async readTexts({ repository, oids }, signal) {
      const texts: Array<string | null> = []
      if (oids.length === 0) return texts
      for await (const { bytes } of readBlobs(await cloneOf(repository), oids, signal)) {
        texts.push(isBinary(bytes) ? null : decodeText(bytes))
      }
      return texts
    },

    async checkout({ dir, without, ...at }, signal) {
      const left = new Set(without)
      const files = (await list(at, signal)).files.filter(({ path }) => !left.has(path))
      if (files.reduce((sum, { size }) => sum + size, 0) > maxCheckoutBytes) {
        throw new FaultlineError(
          'REPOSITORY_TOO_LARGE',
          `The files of the commit take more than ${formatBytes(maxCheckoutBytes)}; no workspace holds that.`,
        )
      }
      const made = new Set<string>()
      let next = 0
      for await (const { bytes } of readBlobs(
        await cloneOf(at.repository),
        files.map(({ oid }) => oid),
        signal,
      )) {
        const file = files[next++]
        if (file === undefined) break
        const target = join(dir, file.path)
        const folder = dirname(target)
        if (!made.has(folder)) mkdirSync(folder, { recursive: true, mode: 0o755 })
        made.add(folder)
        writeFileSync(target, bytes, { flag: 'wx', mode: file.mode === '100755' ? 0o755 : 0o644 })
        if (next % WRITES_AT_ONCE === 0) await nextTurn()
      }
    },

    async formatPatch({ since, ...at }) {
      const gitDir = await cloneWith(at)
      if (since !== undefined) await cloneWith({ repository: at.repository, commit: since })
      const commits = since === undefined ? ['--max-count=1', at.commit] : [`${since}..${at.commit}`]
      const { exitCode, stdout, stderr } = await runGit([...FORMAT_PATCH, ...commits], {
        gitDir,
        searchPath,
      })
      if (exitCode !== 0) throw new Error(`git format-patch failed: ${stderr}`)
      return stdout.toString()
    },

    async checkPatch({ patch, ...at }) {
      const gitDir = await cloneWith(at)
      // the next start deletes what a kill leaves
      const folder = join(clonedReposDir, `${TEMPORARY_PREFIX}${randomUUID()}`)
      await mkdir(folder, { mode: 0o700 })
      try {
        const env = { GIT_INDEX_FILE: join(folder, 'index') }
        const read = await runGit(['read-tree', at.commit], { gitDir, searchPath, env })
        if (read.exitCode !== 0) throw new Error(`git read-tree failed: ${read.stderr}`)
        const { exitCode, stderr } = await runGit(['apply', '--cached', '--check', '--whitespace=nowarn'], {
          gitDir,
          searchPath,
          env,
          input: patch,
        })
        return exitCode === 0 ? null : stderr.trim().slice(0, 500) || 'git gave no reason'
      } finally {
        await rm(folder, { recursive: true, force: true })
      }
    },
  }
}
