import { randomUUID } from 'node:crypto'
import { mkdir, open, rename, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { FaultlineError } from '../../core/errors.ts'
import { isFullDisk } from '../../core/full-disk.ts'
import type { History, UncommittedChanges } from '../../core/project.ts'
import { NOTHING_COMMITTED } from '../../core/uncommitted.ts'
import { letTableGo } from '../history/change-tables.ts'
import {
  chooseFolder,
  historyOf,
  isOurs,
  newCloneState,
  readCloneState,
  withUser,
  writeCloneState,
  type CloneState,
  type CloneUser,
} from './clone-state.ts'
import { packWhenMany, removeLeftovers } from './clone-upkeep.ts'
import { isDamaged, isToBlame } from './damage.ts'
import { diskFull, requireFreeSpace } from './disk-space.ts'
import { fetchCommit, isShallow } from '../remote/fetch-commit.ts'
import { FETCHED_REFS, planFetch, readPage, type Wanted } from '../remote/fetch-plan.ts'
import { withinLimits, type CloneLimits } from '../limits.ts'
import { keepBranches } from './keep-branches.ts'
import { openLocalGit, projectRef, uncommittedRef, type LocalGit } from './local-git.ts'
import type { Mutexes } from './mutex.ts'
import { listTree } from '../objects/objects.ts'
import { emptyRepository } from '../remote/remote-refs.ts'
import { openRemote, type GitProgress, type RemoteOptions, type RemoteSession } from '../remote/remote-session.ts'
import type { RepositoryUrl } from '../remote/repository-url.ts'
import { findWorkTree } from '../work-tree/find-work-tree.ts'
import { takeSnapshot, writeNothing, type Snapshot } from '../work-tree/snapshot.ts'
import type { WorkTreeSource } from '../work-tree/work-view.ts'

interface SyncRequest extends Wanted {
  remote: RepositoryUrl
  projectName: string
  /** Whether the files of a local work tree are wanted as they are there. */
  uncommitted?: boolean
  /** The clone's name, where other machines know the remote by it. */
  cloneName?: string
}

/** The result of a sync: the clone, and the commit that it now holds for the project. */
export interface SyncedRepository {
  /** Name of the clone's folder below CLONED_REPOS_DIR, and the repository's name for clients. */
  repository: string
  gitDir: string
  /** The remote's URL without credentials. */
  url: string
  /** Null when a commit or a tag was asked for without one, or the remote's HEAD is detached. */
  branch: string | null
  commit: string
  /** Left out where nothing differs in the work tree, or nobody asked. */
  uncommitted?: UncommittedChanges
  history: History
  /** The folder that the page which was named for the repository shows; null for all of it. */
  folder: string | null
  /** Branches of jobs that could not be read any more when a damaged clone was made anew. */
  lostBranches?: string[]
}

/** How a sync is cancelled and followed. */
export interface SyncOptions {
  signal: AbortSignal
  onProgress: (progress: GitProgress) => void
}

/** What all work on clones shares. */
export interface CloneContext extends RemoteOptions {
  limits: CloneLimits
  /** One queue per folder, and one for choosing folders. */
  mutexes: Mutexes
  /** Folders that a running sync is about to fill, in lower case. */
  reserved: Map<string, { identity: string; holders: number }>
}

/** Prefix of folders that are not clones yet; the start removes them. */
export const TEMPORARY_PREFIX = '.tmp-'
const CHOOSING = ' choosing a folder' // no folder's name holds a space

async function reserveFolder(
  { clonedReposDir, reserved }: CloneContext,
  { remote, cloneName }: SyncRequest,
): Promise<string> {
  const taken = new Map([...reserved].map(([folder, { identity }]) => [folder, identity]))
  const folder = cloneName ?? (await chooseFolder(clonedReposDir, remote, taken))
  const key = folder.toLowerCase()
  reserved.set(key, { identity: remote.identity, holders: (reserved.get(key)?.holders ?? 0) + 1 })
  return folder
}

function releaseFolder({ reserved }: CloneContext, folder: string): void {
  const key = folder.toLowerCase()
  const entry = reserved.get(key)
  if (entry === undefined) return
  if (entry.holders > 1) reserved.set(key, { ...entry, holders: entry.holders - 1 })
  else reserved.delete(key)
}

/**
 * Applies the limits of readers to a commit when it is fetched, so that a first clone that exceeds them is refused as a
 * whole.
 *
 * @throws {FaultlineError} REPOSITORY_TOO_LARGE
 */
async function requireBoundedTree(
  gitDir: string,
  commit: string,
  maxEntries: number,
  signal: AbortSignal,
): Promise<void> {
  const entries = listTree(gitDir, commit, signal, maxEntries)
  while ((await entries.next()).done !== true);
}

/** Refuses a folder that the commit lacks before anything of it is kept. */
async function requireFolder(git: LocalGit, commit: string, folder: string | null): Promise<void> {
  if (folder === null) return
  const { stdout } = await git.run(['cat-file', '--batch-check=%(objecttype)'], `${commit}:${folder}\n`)
  if (stdout.toString().startsWith('tree')) return
  throw new FaultlineError(
    'NOTHING_TO_INDEX',
    `The repository has no folder ${JSON.stringify(folder)} at commit ${commit.slice(0, 12)}.`,
    'Check the address, or give the one of the repository itself.',
  )
}

/** The commits that the projects' own refs hold: each was checked to be a commit before its ref was set. */
export async function heldCommits(git: LocalGit, { users }: CloneState): Promise<Set<string>> {
  const held = await Promise.all(
    users.map(async ({ project, commit }) => ((await git.readRef(projectRef(project))) === commit ? [commit] : [])),
  )
  return new Set(held.flat())
}

/** Whether history that was fetched on leads through a commit that is here without what was before it. */
async function isCutOff(git: LocalGit, commit: string, { cutOff = [] }: CloneState): Promise<boolean> {
  if (cutOff.length === 0) return false
  const asked = [...cutOff, `^${commit}`].join('\n')
  const { stdout } = await git.run(['rev-list', '--ignore-missing', '--stdin'], `${asked}\n`)
  const apart = new Set(stdout.toString().split('\n'))
  return cutOff.some(spot => !apart.has(spot))
}

/** What is to be held of a repository: what its remote has, or the nothing that it has so far. */
async function fetchWanted(
  session: RemoteSession,
  git: LocalGit,
  {
    request,
    deep,
    state,
    hasWorkTree,
  }: { request: SyncRequest; deep: boolean; state: CloneState; hasWorkTree: boolean },
  { context, ...options }: SyncOptions & { context: CloneContext },
): Promise<
  Pick<CloneUser, 'branch' | 'commit' | 'source' | 'target'> &
    Pick<CloneState, 'defaultBranch'> & { folder: string | null }
> {
  const refs = await session.listRefs(options.signal, context.limits.answerMs)
  if (hasWorkTree && refs.head === null) {
    const commit = await writeNothing(git.gitDir, { ...context, ...options })
    return { branch: null, commit, source: 'HEAD', target: `${FETCHED_REFS}/HEAD`, folder: null }
  }
  const { folder, ...wanted } = readPage(request, refs)
  const plan = planFetch(refs, session.remote, wanted)
  const held = await heldCommits(git, state)
  // a person's HEAD is what is checked out
  const known = session.remote.kind === 'local' ? null : refs.defaultBranch
  return {
    branch: plan.branch,
    folder,
    ...(known === null ? {} : { defaultBranch: known }),
    ...(await fetchCommit(session, git, plan, { deep, held, ...options })),
  }
}

/** What is not committed in the work tree, where it is wanted. The last snapshot of the project tells what is known. */
async function uncommittedIn(
  source: WorkTreeSource | null,
  git: LocalGit,
  { base, previous, projectName }: { base: string; previous: CloneUser | undefined; projectName: string },
  context: CloneContext & { signal: AbortSignal },
): Promise<Snapshot | null> {
  if (source === null) return null
  const { uncommitted = null } = previous?.commit === base ? previous : {}
  const isThere = uncommitted !== null && (await git.readRef(uncommittedRef(projectName))) === uncommitted.commit
  return await takeSnapshot({ source, git, base, previous: isThere ? uncommitted : null }, context)
}

/** What callers get of a snapshot. */
const shownUncommitted = (snapshot: Snapshot | null): Pick<SyncedRepository, 'uncommitted'> =>
  snapshot === null ? {} : { uncommitted: { commit: snapshot.commit, files: snapshot.files } }

/** Lets refs hold what a project has now, and nothing else of it. */
async function holdForProject(
  git: LocalGit,
  { project, commit, uncommitted }: CloneUser,
  previous: CloneUser | undefined,
): Promise<void> {
  const own = projectRef(project)
  const spent = await git.readRefNames(FETCHED_REFS)
  const updates: Array<{ ref: string; commit: string | null }> = spent.map(ref => ({ ref, commit: null }))
  if (spent.length > 0 || (await git.readRef(own)) !== commit) updates.unshift({ ref: own, commit })
  if (previous?.uncommitted?.commit !== uncommitted?.commit) {
    updates.push({ ref: uncommittedRef(project), commit: uncommitted?.commit ?? null })
  }
  await git.updateRefs(updates)
}

async function fill(
  context: CloneContext,
  session: RemoteSession,
  { gitDir, state }: Clone,
  request: SyncRequest,
  options: SyncOptions,
): Promise<Filled> {
  const { signal } = options
  const { projectName } = request
  const git = openLocalGit(gitDir, { ...context, signal })
  const deep = state.users.some(({ history }) => history === 'full')
  const workTree = request.uncommitted === true ? await findWorkTree(session.remote) : null
  const {
    folder,
    defaultBranch = state.defaultBranch,
    ...fetched
  } = await fetchWanted(session, git, { request, deep, state, hasWorkTree: workTree !== null }, { context, ...options })
  const { commit } = fetched
  await requireFolder(git, commit, folder)
  if (state.users.length === 0) await requireBoundedTree(gitDir, commit, context.limits.maxEntries, signal)
  const previous = state.users.find(({ project }) => project === projectName)
  const uncommitted = await uncommittedIn(
    workTree,
    git,
    { base: commit, previous, projectName },
    { ...context, signal },
  )
  if (commit === NOTHING_COMMITTED && uncommitted === null) throw emptyRepository(session.remote)
  const isWhole = deep ? !(await isCutOff(git, commit, state)) : !(await isShallow(gitDir))
  const user: CloneUser = {
    project: projectName,
    ...fetched,
    history: isWhole ? 'full' : 'shallow',
    ...(uncommitted === null ? {} : { uncommitted }),
    ...(previous?.branches === undefined ? {} : { branches: previous.branches }),
  }
  const about = defaultBranch === undefined ? {} : { defaultBranch }
  const next = withUser({ ...state, url: session.remote.url, ...about }, user)
  await holdForProject(git, user, previous)
  if (previous !== undefined && previous.commit !== commit) await letTableGo(gitDir, previous.commit)
  if (!isDeepStrictEqual(next, state)) await writeCloneState(gitDir, next)
  const { branch } = fetched
  return { branch, commit, ...shownUncommitted(uncommitted), folder, history: historyOf(next) }
}

/**
 * Takes the branches of jobs over from a damaged clone; those that no project is known to own go to this one.
 *
 * @returns Those that cannot be read.
 */
async function keepOwnBranches(
  from: string,
  to: string,
  projectName: string,
  options: { searchPath: string; signal: AbortSignal },
): Promise<string[]> {
  const { kept, lost } = await keepBranches(from, to, options)
  const state = await readCloneState(to)
  if (state === null) return lost
  const owned = new Set(state.users.flatMap(({ branches = [] }) => branches))
  const users = state.users.map(({ branches = [], ...user }): CloneUser => {
    const orphans = user.project === projectName ? kept.filter(branch => !owned.has(branch)) : []
    const own = [...branches.filter(branch => kept.includes(branch)), ...orphans]
    return own.length === 0 ? user : { ...user, branches: own }
  })
  await writeCloneState(to, { ...state, users })
  return lost
}

async function flushFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

const IN_THE_WAY: ReadonlySet<string> = new Set(['ENOTEMPTY', 'EEXIST', 'ENOTDIR'])

const notOurs = (folder: string, cause: Error): FaultlineError =>
  new FaultlineError(
    'CLONE_FAILED',
    `The clone belongs into the folder ${JSON.stringify(folder)}, which holds something else.`,
    'Move that folder out of CLONED_REPOS_DIR, then try again.',
    { cause },
  )

async function cloneFirst(
  context: CloneContext,
  session: RemoteSession,
  { gitDir, state, replaces = false }: Clone & { replaces?: boolean },
  request: SyncRequest,
  options: SyncOptions,
): Promise<Filled> {
  const draft = join(context.clonedReposDir, `${TEMPORARY_PREFIX}${randomUUID()}`)
  const previous = `${draft}-previous`
  await mkdir(draft, { mode: 0o700 })
  try {
    const filled = await withinLimits(draft, context.limits, options.signal, async signal => {
      await openLocalGit(draft, { ...context, signal }).init()
      const result = await fill(context, session, { gitDir: draft, state }, request, { ...options, signal })
      if (!replaces) return result
      return {
        ...result,
        lostBranches: await keepOwnBranches(gitDir, draft, request.projectName, { ...context, signal }),
      }
    })
    if (replaces) await rename(gitDir, previous)
    await rename(draft, gitDir).catch((error: NodeJS.ErrnoException) => {
      const { code = '' } = error
      throw IN_THE_WAY.has(code) ? notOurs(basename(gitDir), error) : error
    })
    await flushFolder(context.clonedReposDir)
    return filled
  } finally {
    await rm(draft, { recursive: true, force: true })
    await rm(previous, { recursive: true, force: true })
  }
}

/**
 * Replaces a damaged clone. Git assumes that what it has is whole, and would never fetch what got lost. The branches
 * that jobs committed are kept as far as they can be read. Other projects stay users of the clone; their commits, whose
 * refs are gone, return with their own next sync.
 */
async function cloneAnew(
  context: CloneContext,
  session: RemoteSession,
  { gitDir, state }: Clone,
  request: SyncRequest,
  options: SyncOptions,
): Promise<Filled> {
  const users = state.users
    .filter(({ project }) => project !== request.projectName)
    .map((user): CloneUser => ({ ...user, history: 'shallow' }))
  return await cloneFirst(context, session, { gitDir, state: { ...state, users }, replaces: true }, request, options)
}

async function update(
  context: CloneContext,
  session: RemoteSession,
  clone: Clone,
  request: SyncRequest,
  options: SyncOptions,
): Promise<Filled> {
  try {
    return await withinLimits(clone.gitDir, context.limits, options.signal, async signal => {
      const filled = await fill(context, session, clone, request, { ...options, signal })
      await packWhenMany(clone.gitDir, { ...context, signal })
      return filled
    })
  } catch (error) {
    await removeLeftovers(clone.gitDir) // the lock files of a git that was killed would stop every later one
    if (!(await isToBlame(clone.gitDir, error, { ...context, signal: options.signal }))) throw error
    return await cloneAnew(context, session, clone, request, options)
  }
}

const anotherRepository = (folder: string): FaultlineError =>
  new FaultlineError(
    'CLONE_FAILED',
    `The folder "${folder}", by which other machines know this repository, holds the clone of another one here.`,
    'Move that folder out of CLONED_REPOS_DIR, or give this node an empty one.',
  )

async function syncFolder(
  context: CloneContext,
  session: RemoteSession,
  folder: string,
  request: SyncRequest,
  options: SyncOptions,
): Promise<SyncedRepository> {
  const gitDir = join(context.clonedReposDir, folder)
  const known = await readCloneState(gitDir)
  if (known !== null && known.identity !== session.remote.identity) throw anotherRepository(folder)
  const clone = { gitDir, state: known ?? newCloneState(session.remote) }
  let result: Filled
  if (known === null && !(await isOurs(gitDir))) result = await cloneFirst(context, session, clone, request, options)
  else if (known === null || (await isDamaged(gitDir))) {
    result = await cloneAnew(context, session, clone, request, options)
  } else result = await update(context, session, clone, request, options)
  return { repository: folder, gitDir, url: session.remote.url, ...result }
}

/**
 * Brings the clone of a remote to the requested commit; a first clone appears whole or not at all. See `Repos.sync`.
 */
export async function syncClone(
  context: CloneContext,
  request: SyncRequest,
  options: SyncOptions,
): Promise<SyncedRepository> {
  const { clonedReposDir, limits, mutexes } = context
  try {
    await mkdir(clonedReposDir, { recursive: true })
    await requireFreeSpace(clonedReposDir, limits.minFreeBytes)
    const session = await openRemote(request.remote, context, options.signal)
    const folder = await mutexes.run(CHOOSING, async () => await reserveFolder(context, request), options.signal)
    try {
      return await mutexes.run(
        folder.toLowerCase(),
        async () => await syncFolder(context, session, folder, request, options),
        options.signal,
      )
    } finally {
      releaseFolder(context, folder)
    }
  } catch (error) {
    throw !(error instanceof FaultlineError) && isFullDisk(error) ? diskFull('The disk became full', error) : error
  }
}

type Filled = Pick<SyncedRepository, 'branch' | 'commit' | 'uncommitted' | 'folder' | 'history' | 'lostBranches'>

interface Clone {
  gitDir: string
  state: CloneState
}

/** The error for a project that holds no such clone. */
export function noSuchClone(repository: string): FaultlineError {
  return new FaultlineError(
    'NOT_FOUND',
    `The repository "${repository}" is not cloned here.`,
    'Clone it with POST /clone.',
  )
}
