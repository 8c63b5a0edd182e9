import { setTimeout as delay } from 'node:timers/promises'
import { overriding } from '../core/overriding.ts'
import type { IndexedRepository } from '../core/project.ts'
import type { ProjectClone } from '../repos/clone/clone-user.ts'
import type { OwnBranch } from '../repos/clone/own-branches.ts'
import type { Repos } from '../repos/repos.ts'
import { isAway } from './is-away.ts'

/** What lies in a folder of its own: a clone, or what was uploaded, which its clone fetches from. */
export interface CopiedRepository {
  repository: string
  /** The project that a file was uploaded into; null for a clone. */
  uploadedInto: string | null
}

/** Copies of clones where all nodes reach them. */
export interface CloneCopies {
  /** Keeps a copy in place of the one before. */
  save(of: CopiedRepository): Promise<void>
  /** Keeps a copy where there is none of late; who makes the clone from an older one fetches the rest. */
  saveIfOld(of: CopiedRepository): Promise<void>
  /** Puts the copy where nothing lies yet. @returns Whether there is one. */
  restore(of: CopiedRepository): Promise<boolean>
  /** Keeps a branch that was committed for a project as it is now, or that it is no more. */
  saveBranch(of: OwnBranch): Promise<void>
  /**
   * Puts such branches into the clone, and takes those out that are no more.
   *
   * @returns Commits that are to be fetched before it is called again.
   */
  restoreBranches(of: ProjectClone): Promise<{ bases: readonly string[] }>
}

/** What a node's own clones become a part of. */
interface SharedClonesDeps<R extends Repos> {
  local: R
  copies: CloneCopies
  /** The name of a remote's clone on all nodes. */
  nameOf: (remote: { identity: string; names: readonly string[] }) => Promise<string>
  /** Hears of copies that could not be kept or read: what can be fetched again is fetched again. */
  onFailed: (error: unknown) => void
  /** How long what cannot be made again waits for the object store and the database. */
  patienceMs?: number
}

/** What a node needs to have of a project before a job works on it. */
export interface WantedClone extends ProjectClone, Pick<IndexedRepository, 'url' | 'branch' | 'commit'> {}

/** Brings clones to this node. */
interface BringsClones {
  /** Brings a clone to this node with the commit that is indexed and the branches that were committed. */
  bring(wanted: WantedClone, signal: AbortSignal): Promise<void>
}

const PATIENCE_MS = 600_000
const AGAIN_MS = 1_000
const FETCH_MS = 120_000
/** What a URL says of a repository that was uploaded; null for another one. */
function uploadOf(url: string): CopiedRepository | null {
  const [, uploadedInto, repository] = /^upload:\/\/([^/]+)\/([^/]+)$/.exec(url) ?? []
  return uploadedInto === undefined || repository === undefined ? null : { uploadedInto, repository }
}

/**
 * The clones of this node, each a copy that any other node can make again: from a copy in the object store where there
 * is one, which spares the remote, else from the remote. What no remote has, the branches that were committed here and
 * uploaded repositories, is kept before anybody is told of it.
 */
export function shareClones<R extends Repos>({
  local,
  copies,
  nameOf,
  onFailed,
  patienceMs = PATIENCE_MS,
}: SharedClonesDeps<R>): R & BringsClones {
  /** What would be lost is kept, however long that takes. */
  async function insist(work: () => Promise<void>, signal: AbortSignal): Promise<void> {
    const until = performance.now() + patienceMs
    for (;;) {
      try {
        return await work()
      } catch (error) {
        if (!isAway(error) || performance.now() >= until) throw error
        onFailed(error)
      }
      await delay(AGAIN_MS, undefined, { signal })
    }
  }

  const unlessFailed = <T>(work: Promise<T>, otherwise: T): Promise<T> =>
    work.catch((error: unknown) => {
      onFailed(error)
      return otherwise
    })

  const restoreClone = (repository: string): Promise<boolean> =>
    unlessFailed(copies.restore({ repository, uploadedInto: null }), false)

  async function hasCommit({ repository, projectName, commit }: WantedClone, signal: AbortSignal): Promise<boolean> {
    if (!(await local.holds(repository, projectName))) return false
    return (await local.fetchRef({ repository, ref: commit, timeoutMs: 0 }, signal)).commit !== null
  }

  /** The clone by a copy, or as its remote has it. */
  async function makeClone(wanted: WantedClone, signal: AbortSignal): Promise<void> {
    const { repository, projectName, url, branch, commit } = wanted
    const uploaded = uploadOf(url)
    if ((await restoreClone(repository)) && (await hasCommit(wanted, signal))) return
    const request = { url, ref: commit, branch: branch ?? undefined, projectName, cloneName: repository }
    if (uploaded === null) await local.sync(request, { signal, onProgress: () => {} })
  }

  const saveBranch = ({ repository, projectName, branch }: OwnBranch, signal: AbortSignal): Promise<void> =>
    insist(() => copies.saveBranch({ repository, projectName, branch }), signal)

  const keepingBranch =
    <R extends OwnBranch, T>(work: (request: R, signal: AbortSignal) => Promise<T>) =>
    async (request: R, signal: AbortSignal): Promise<T> => {
      const done = await work(request, signal)
      await saveBranch(request, signal)
      return done
    }

  async function restoreBranches(of: ProjectClone, signal: AbortSignal): Promise<void> {
    const { bases } = await copies.restoreBranches(of)
    if (bases.length === 0) return
    const { repository } = of
    for (const ref of bases) await local.fetchRef({ repository, ref, timeoutMs: FETCH_MS }, signal)
    await copies.restoreBranches(of)
  }

  const shared: BringsClones & Partial<Repos> = {
    async bring(wanted, signal) {
      const { repository, projectName, url } = wanted
      const uploaded = uploadOf(url)
      if (uploaded !== null) await copies.restore(uploaded) // which its clone fetches from
      if (!(await hasCommit(wanted, signal))) await makeClone(wanted, signal)
      await restoreBranches({ repository, projectName }, signal)
    },
    async sync(request, options) {
      const cloneName = request.cloneName ?? (await nameOf(await local.namesOf({ url: request.url })))
      await restoreClone(cloneName) // fetching what is new is less work than all
      const synced = await local.sync({ ...request, cloneName }, options)
      const { repository, uncommitted } = synced
      const keep = uncommitted === undefined ? copies.saveIfOld : copies.save // no remote has what is not committed
      await unlessFailed(keep({ repository, uploadedInto: null }), undefined)
      return synced
    },
    async syncUpload(request, options) {
      const { projectName, repository: uploaded } = request
      const cloneName = await nameOf(await local.namesOf({ projectName, repository: uploaded }))
      await copies.restore({ repository: uploaded, uploadedInto: projectName })
      const synced = await local.syncUpload({ ...request, cloneName }, options)
      const { repository } = synced
      for (const of of [
        { repository: uploaded, uploadedInto: projectName },
        { repository, uploadedInto: null },
      ]) {
        await insist(() => copies.save(of), options.signal) // no remote has it
      }
      return synced
    },
    async holds(repository, projectName) {
      if (await local.holds(repository, projectName)) return true
      return (await restoreClone(repository)) && (await local.holds(repository, projectName))
    },
    commitFiles: keepingBranch(local.commitFiles),
    joinBranch: keepingBranch(local.joinBranch),
    deleteBranch: keepingBranch(local.deleteBranch),
    async fetchBase(request, signal) {
      const base = await local.fetchBase(request, signal)
      const { hold } = request
      if (hold !== undefined) await saveBranch({ ...request, branch: hold }, signal)
      return base
    },
  }
  return overriding(local, shared) as R & BringsClones
}
