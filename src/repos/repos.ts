import { mkdir, readdir, rm } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { FaultlineError } from '../core/errors.ts'
import { isProjectName, type History } from '../core/project.ts'
import { createChangeReader } from './history/change-tables.ts'
import { cloneNames, historyOf, readCloneState, type CloneState, type CloneUser } from './clone/clone-state.ts'
import { packBranch, unpackBranch, type BranchPack, type UnpackRequest } from './clone/branch-pack.ts'
import { takeInventory, type Inventory } from './clone/inventory.ts'
import type { CloneArchive } from './clone/clone-archive.ts'
import { removeLeftovers } from './clone/clone-upkeep.ts'
import { commitFiles, type CommitRequest } from './objects/commit-files.ts'
import { joinBranch, type JoinRequest } from './objects/join-branch.ts'
import { findConflicts, type ConflictRequest, type FoundConflicts } from './objects/find-conflicts.ts'
import { mergeBranch, type MergedBranch, type MergeRequest } from './objects/merge-branch.ts'
import { GIT_SEARCH_PATH } from './git/git-env.ts'
import { rememberGit } from './git/git-version.ts'
import { deepenClone, type HistoryRequest } from './history/history.ts'
import { checkedAddresses, resolveBySystem, type ResolveHost } from './remote/host-addresses.ts'
import { DEFAULT_LIMITS, type CloneLimits } from './limits.ts'
import { fetchBase, type BaseRequest, type FetchedBase } from './remote/fetch-base.ts'
import { fetchRef, type FetchedRef, type RefRequest } from './remote/fetch-ref.ts'
import { requireContained } from './remote/local-source.ts'
import {
  hasCopy,
  listCopies,
  removeCopy,
  type CopyRemoval,
  type LocalCopy,
  type RepositoryName,
} from './clone/local-copies.ts'
import { createMutexes } from './clone/mutex.ts'
import { deleteOwnBranch, listOwnBranches, type OwnBranch } from './clone/own-branches.ts'
import { pushBranch, pushOnto, type PushOntoRequest, type PushRequest } from './remote/push-branch.ts'
import { checkRef } from './clone/refs.ts'
import { plainIdentity, readPastedUrl } from './remote/pasted-url.ts'
import { releaseUsers } from './clone/release.ts'
import {
  branchesTaken,
  deleteRemoteBranch,
  type BranchNames,
  type RemoteBranch,
  type TakenBranches,
} from './remote/remote-branches.ts'
import { openRemote } from './remote/remote-session.ts'
import { parseRepositoryUrl, type RepositoryUrl } from './remote/repository-url.ts'
import { ingestUpload, type UploadRequest } from './uploads/ingest.ts'
import {
  uploadedFolder,
  uploadedProject,
  uploadedRemote,
  uploadsFolder,
  type UploadedName,
} from './uploads/uploaded-remote.ts'
import { noSuchClone, syncClone, TEMPORARY_PREFIX, type SyncedRepository, type SyncOptions } from './clone/sync.ts'

export type { GitProgress } from './remote/remote-session.ts'
export type { RepositoryUrl, SyncedRepository }

const CHECK_RESOLVE_MS = 2_000

/** Where clones lie, and what may be cloned. */
export interface ReposOptions {
  clonedReposDir: string
  /** Folders below which `/clone` may use a local repository, with everything that belongs to it. */
  allowLocalRepos: readonly string[]
  allowPrivateHosts: boolean
  /**
   * Tokens by `host` (HTTPS on port 443), `host:port` (HTTPS) or `http://host:port`. A token `user:password` is used as
   * such, any other as the password of `x-access-token`.
   */
  gitTokens: ReadonlyMap<string, string>
  limits?: Partial<CloneLimits>
  resolveHost?: ResolveHost
  /** Where git and ssh are looked for; default `/usr/bin:/bin`. */
  gitSearchPath?: string
  /** Folder with SSH keys; default `~/.ssh` of the server's account, null for none. Its `config` is never read. */
  sshKeysDir?: string | null
  /** Socket of an ssh-agent. */
  sshAuthSock?: string | null
  /** Called for a clone whose table of changes was damaged, after it was replaced. */
  onDamagedChanges?: (repository: string) => void
}

/** The clones of a server: bringing them up to date, reading and writing them. */
export interface Repos {
  /**
   * Checks a URL as far as a request can wait: its syntax, local paths, and its host's addresses when they resolve
   * within 2 s. A name that cannot be resolved is left to `sync`. Nothing is written, and git only reads a local
   * repository's settings.
   *
   * @returns The remote; its `url` is what `sync` takes, so that of a page where one was given.
   * @throws {FaultlineError} BAD_REPOSITORY_URL, ADDRESS_REFUSED, LOCAL_REPOSITORY_REFUSED, REPOSITORY_NOT_FOUND (a
   * local path).
   */
  check(url: string): Promise<RepositoryUrl>
  /**
   * Clones a repository or brings its clone up to date, and holds the commit for the project until the next sync or
   * `release`. Depth 1 unless the clone has more. A first clone appears whole or not at all; the same repository again
   * is the same clone, whatever the project.
   *
   * @param req.url - Also the address of a page that shows a branch, a folder, a commit or the like.
   * @param req.uncommitted - Whether the files of a repository on this machine are wanted as they are in its work tree;
   * without one its commit is read.
   * @param req.cloneName - The clone's name, of those that `namesOf` gives; default: the first that is free here.
   * @param req.ref - Commit id (also shortened), tag or branch; takes precedence over `branch`.
   * @throws {FaultlineError} What `check` throws; BAD_REF, BRANCH_NOT_FOUND, REF_NOT_FOUND, EMPTY_REPOSITORY,
   * REPOSITORY_NOT_FOUND, _AUTH_FAILED, _REDIRECTED, _UNREACHABLE, _TOO_LARGE, _CORRUPT, CLONE_TIMED_OUT, CLONE_FAILED,
   * DISK_FULL, GIT_NOT_FOUND. The signal's reason when it fires; by then no process of this call is left.
   */
  sync(
    req: { url: string; branch?: string; ref?: string; uncommitted?: boolean; projectName: string; cloneName?: string },
    opts: SyncOptions,
  ): Promise<SyncedRepository>
  /**
   * Takes an uploaded file in and does the same with it; see `ingest.ts`.
   *
   * @throws {FaultlineError} What `sync` and `ingestUpload` throw.
   */
  syncUpload(
    req: UploadRequest & { branch?: string; ref?: string; cloneName?: string },
    opts: SyncOptions,
  ): Promise<SyncedRepository>
  /**
   * The names that a clone of a remote may have, the best first, and what tells the remote from others.
   *
   * @throws {FaultlineError} BAD_REPOSITORY_URL, LOCAL_REPOSITORY_REFUSED, REPOSITORY_NOT_FOUND (a local path).
   */
  namesOf(remote: { url: string } | UploadedName): Promise<{ identity: string; names: string[] }>
  /** The newest commit of a remote's branch; null where there is no such branch. Touches no clone. */
  tipOf(req: { url: string; branch: string }, signal: AbortSignal): Promise<string | null>
  /**
   * Finds a commit, tag or branch in a clone, and fetches it when it is not there; see `fetch-ref.ts`.
   */
  fetchRef(req: RefRequest, signal: AbortSignal): Promise<FetchedRef>
  /** Fetches the newest commit of the remote's default branch, or of another one; see `fetch-base.ts`. */
  fetchBase(req: BaseRequest, signal: AbortSignal): Promise<FetchedBase>
  /** Deletes an uploaded file that nothing waits for. */
  discardUpload(upload: string): Promise<void>
  /**
   * Fetches a year of history before the project's commit, or 5,000 commits, whichever comes first, records what they
   * changed, and learns their tags.
   *
   * @returns `full` when every project that uses the clone has its history; `interrupted` when a `sync` or a `release`
   * needed the clone meanwhile: call it again.
   * @throws {FaultlineError} NOT_FOUND, and what `sync` throws.
   */
  fetchHistory(req: HistoryRequest): Promise<History | 'interrupted'>
  /** The history of a clone; `shallow` also for a missing one. */
  history(repository: string): Promise<History>
  /** Whether an intact table of what the commits up to the project's one changed exists. */
  hasChanges(repository: string, projectName: string): Promise<boolean>
  /** Whether the clone exists and holds a commit for the project. */
  holds(repository: string, projectName: string): Promise<boolean>
  /** Commits changed files onto a branch of the project's own; see `commit-files.ts`. */
  commitFiles(request: CommitRequest, signal: AbortSignal): Promise<{ commit: string }>
  /** Puts a commit in the place of what such a branch holds; see `join-branch.ts`. */
  joinBranch(request: JoinRequest, signal: AbortSignal): Promise<{ commit: string }>
  /** The branches that were committed for a project, in all its clones. */
  ownBranches(projectName: string): Promise<OwnBranch[]>
  /** Deletes such a branch; see `own-branches.ts`. */
  deleteBranch(request: OwnBranch, signal: AbortSignal): Promise<void>
  /** Which names for branches are taken, here or on the remote; see `remote-branches.ts`. */
  branchesTaken(request: BranchNames, signal: AbortSignal): Promise<TakenBranches>
  /** Deletes a branch of ours on the remote; see `remote-branches.ts`. */
  deleteRemoteBranch(request: RemoteBranch, signal: AbortSignal): Promise<'deleted' | 'missing' | 'kept'>
  /** With which commits another one conflicts; see `find-conflicts.ts`. */
  findConflicts(request: ConflictRequest, signal: AbortSignal): Promise<FoundConflicts>
  /** Merges such a branch into a commit; see `merge-branch.ts`. */
  mergeBranch(request: MergeRequest, signal: AbortSignal): Promise<MergedBranch>
  /** Pushes such a branch to the remote; see `push-branch.ts`. */
  push(request: PushRequest, signal: AbortSignal): Promise<void>
  /** Moves a branch of the remote on to a commit of the clone; see `push-branch.ts`. */
  pushOnto(request: PushOntoRequest, signal: AbortSignal): Promise<'pushed' | 'moved'>
  /** All clones, and what was uploaded; see `inventory.ts`. */
  inventory(): Promise<Inventory>
  /** Writes a clone into a tar; see `clone-archive.ts`. */
  archive(request: CloneArchive, signal: AbortSignal): Promise<{ commits: string[] }>
  /** Makes a clone of such a tar. @returns Whether it was made, or there was one. */
  unarchive(request: CloneArchive, signal: AbortSignal): Promise<boolean>
  /** What lies on this machine, with sizes; see `local-copies.ts`. */
  listCopies(): Promise<LocalCopy[]>
  /** Whether a clone, or an upload, lies here. */
  hasCopy(of: RepositoryName): Promise<boolean>
  /** Removes one that others can have again; see `local-copies.ts`. @returns Whether it is gone. */
  removeCopy(request: CopyRemoval, signal: AbortSignal): Promise<boolean>
  /** Packs a branch that was committed for a project; see `branch-pack.ts`. */
  packBranch(request: OwnBranch, signal: AbortSignal): Promise<BranchPack>
  /** Puts such a branch into a clone. @returns Whether it is there: its bases are to be fetched before. */
  unpackBranch(request: UnpackRequest, signal: AbortSignal): Promise<boolean>
  /**
   * Gives up everything that a project took from any clone, with the branches committed for it, and deletes the clones
   * that no other project uses. Project names are compared ignoring case. Ends a `fetchHistory` of those clones and
   * does not wait for it.
   */
  release(projectName: string): Promise<void>
  /**
   * Releases every project that is not among these, such as one that was deleted when its clone could not be. Call it
   * at start.
   */
  releaseMissing(projects: readonly string[]): Promise<void>
  /** Removes half-made clones and the lock files of killed processes. Call it once at start, before anything else. */
  sweep(): Promise<void>
  /** The installed git; null when there is none. Looked up once a minute at most. */
  gitVersion(): Promise<{ version: string; warning: string | null } | null>
  /** Stops what is running and waits for it. Later calls that would start git fail with SHUTTING_DOWN. */
  close(): Promise<void>
}

/** Two projects never differ in case alone. */
const isProject =
  (name: string) =>
  ({ project }: CloneUser): boolean =>
    project.toLowerCase() === name.toLowerCase()

/** @throws {FaultlineError} BAD_REQUEST: one of the names would be no folder of its own. */
function requireNames(...names: Array<string | undefined>): void {
  if (names.every(name => name === undefined || isProjectName(name))) return
  throw new FaultlineError('BAD_REQUEST', 'The name of the project or of the repository is not allowed.')
}

/** Loaded where several nodes share clones: a process that works alone makes no files of them. */
const clonesAsFiles = () => import('./clone/clone-archive.ts')

/** Manages the clones below one folder. */
export function createRepos(options: ReposOptions): Repos {
  const { clonedReposDir, allowLocalRepos, allowPrivateHosts } = options
  const searchPath = options.gitSearchPath ?? GIT_SEARCH_PATH
  const context = {
    clonedReposDir,
    allowLocalRepos,
    allowPrivateHosts,
    searchPath,
    gitTokens: new Map([...options.gitTokens].map(([host, token]) => [host.toLowerCase(), token])),
    resolveHost: options.resolveHost ?? resolveBySystem,
    sshKeysDir: options.sshKeysDir === undefined ? join(homedir(), '.ssh') : options.sshKeysDir,
    sshAuthSock: options.sshAuthSock ?? null,
    onDamagedChanges: options.onDamagedChanges ?? (() => {}),
    limits: { ...DEFAULT_LIMITS, ...options.limits },
    mutexes: createMutexes(),
    reserved: new Map<string, { identity: string; holders: number }>(),
  }
  const closing = new AbortController()
  const running = new Set<Promise<unknown>>()

  async function track<T>(signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    closing.signal.throwIfAborted()
    const own = work(AbortSignal.any([signal, closing.signal]))
    running.add(own)
    try {
      return await own
    } finally {
      running.delete(own)
    }
  }

  /** The state of a clone; null for a name that no clone can have, and for a missing clone. */
  async function stateOf(repository: string): Promise<CloneState | null> {
    return isProjectName(repository) ? await readCloneState(join(clonedReposDir, repository)) : null
  }

  return {
    async check(given) {
      const { url, address, page } = readPastedUrl(given)
      const parsed = await parseRepositoryUrl(url, context)
      const remote = page === null ? parsed : { ...parsed, url: address }
      if (remote.kind === 'local') await requireContained(remote, context)
      if (remote.host === null || allowPrivateHosts) return remote
      try {
        await checkedAddresses(remote.host, { ...context, timeoutMs: CHECK_RESOLVE_MS })
      } catch (error) {
        if (!(error instanceof FaultlineError) || error.code !== 'REPOSITORY_UNREACHABLE') throw error
      }
      return remote
    },

    async namesOf(given) {
      const remote =
        'url' in given
          ? await parseRepositoryUrl(readPastedUrl(given.url).url, context)
          : uploadedRemote(clonedReposDir, given)
      const { repository } = remote
      const identity = plainIdentity(remote.identity)
      return { identity, names: cloneNames({ repository, identity }) }
    },

    async sync({ url, branch, ref, uncommitted, projectName, cloneName }, { signal, onProgress }) {
      const wanted = {
        branch: branch === undefined ? undefined : checkRef('branch', branch),
        ref: ref === undefined ? undefined : checkRef('ref', ref),
      }
      requireNames(projectName, cloneName)
      const { url: repositoryUrl, page } = readPastedUrl(url)
      const parsed = await parseRepositoryUrl(repositoryUrl, context)
      const remote = { ...parsed, identity: plainIdentity(parsed.identity) }
      return await track(
        signal,
        async both =>
          await syncClone(
            context,
            { remote, ...wanted, page, uncommitted, projectName, cloneName },
            { signal: both, onProgress },
          ),
      )
    },

    async syncUpload({ branch, ref, cloneName, ...request }, { signal, onProgress }) {
      const { projectName, repository } = request
      const wanted = {
        branch: branch === undefined ? undefined : checkRef('branch', branch),
        ref: ref === undefined ? undefined : checkRef('ref', ref),
      }
      requireNames(projectName, repository, cloneName)
      return await track(signal, async both => {
        const remote = await ingestUpload(context, request, both)
        return await syncClone(
          { ...context, allowLocalRepos: [uploadedFolder(clonedReposDir)] },
          { remote, ...wanted, projectName, cloneName },
          { signal: both, onProgress },
        )
      })
    },

    async tipOf({ url, branch }, signal) {
      const remote = await parseRepositoryUrl(readPastedUrl(url).url, context)
      return await track(signal, async both => {
        const session = await openRemote(remote, context, both)
        return (await session.listRefs(both, context.limits.answerMs)).branches.get(branch) ?? null
      })
    },

    fetchRef: async (request, signal) => await track(signal, async both => await fetchRef(context, request, both)),

    fetchBase: async (request, signal) => await track(signal, async both => await fetchBase(context, request, both)),

    async discardUpload(upload) {
      if (/^upl_[0-9a-f]+$/.test(upload)) await rm(join(uploadsFolder(clonedReposDir), upload), { force: true })
    },

    async fetchHistory(request) {
      if (!isProjectName(request.repository)) throw noSuchClone(request.repository)
      return await track(request.signal, async signal => await deepenClone(context, { ...request, signal }))
    },

    async history(repository) {
      const state = await stateOf(repository)
      return state === null ? 'shallow' : historyOf(state)
    },

    async hasChanges(repository, projectName) {
      const user = (await stateOf(repository))?.users.find(isProject(projectName))
      return user !== undefined && (await createChangeReader({ clonedReposDir })(repository, user.commit)) !== null
    },

    async holds(repository, projectName) {
      const state = await stateOf(repository)
      return state?.users.some(isProject(projectName)) ?? false
    },

    commitFiles: async (request, signal) =>
      await track(signal, async both => await commitFiles(context, request, both)),
    joinBranch: async (request, signal) => await track(signal, async both => await joinBranch(context, request, both)),
    ownBranches: async projectName => await listOwnBranches(context, projectName),
    deleteBranch: async (request, signal) =>
      await track(signal, async both => {
        await deleteOwnBranch(context, request, both)
      }),
    branchesTaken: async (request, signal) =>
      await track(signal, async both => await branchesTaken(context, request, both)),
    deleteRemoteBranch: async (request, signal) =>
      await track(signal, async both => await deleteRemoteBranch(context, request, both)),
    findConflicts: async (request, signal) =>
      await track(signal, async both => await findConflicts(context, request, both)),
    mergeBranch: async (request, signal) =>
      await track(signal, async both => await mergeBranch(context, request, both)),
    pushOnto: async (request, signal) => await track(signal, async both => await pushOnto(context, request, both)),
    push: async (request, signal) =>
      await track(signal, async both => {
        await pushBranch(context, request, both)
      }),

    inventory: () => takeInventory(clonedReposDir),
    archive: async (request, signal) =>
      await track(signal, async both => await (await clonesAsFiles()).archiveClone(context, request, both)),
    listCopies: async () => await listCopies(context),
    hasCopy: async of => await hasCopy(context, of),
    removeCopy: async (request, signal) => await track(signal, async both => await removeCopy(context, request, both)),
    unarchive: async (request, signal) =>
      await track(signal, async both => await (await clonesAsFiles()).unarchiveClone(context, request, both)),
    packBranch: async (request, signal) => await track(signal, async both => await packBranch(context, request, both)),
    unpackBranch: async (request, signal) =>
      await track(signal, async both => await unpackBranch(context, request, both)),

    async release(projectName) {
      await releaseUsers(context, isProject(projectName))
      await rm(uploadedProject(clonedReposDir, projectName), { recursive: true, force: true })
    },

    async releaseMissing(projects) {
      const known = new Set(projects.map(name => name.toLowerCase()))
      await releaseUsers(context, ({ project }) => !known.has(project.toLowerCase()))
      const folder = uploadedFolder(clonedReposDir)
      for (const name of await readdir(folder).catch(() => [])) {
        if (!known.has(name)) await rm(join(folder, name), { recursive: true, force: true })
      }
    },

    async sweep() {
      await mkdir(clonedReposDir, { recursive: true })
      for (const entry of await readdir(clonedReposDir, { withFileTypes: true })) {
        const path = join(clonedReposDir, entry.name)
        if (entry.name.startsWith(TEMPORARY_PREFIX)) await rm(path, { recursive: true, force: true })
        else if (entry.isDirectory() && (await readCloneState(path)) !== null) await removeLeftovers(path)
      }
    },

    gitVersion: rememberGit(searchPath),

    async close() {
      closing.abort(new FaultlineError('SHUTTING_DOWN', 'The server is shutting down.'))
      await Promise.allSettled(running)
    },
  }
}
