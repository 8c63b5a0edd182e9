import { join } from 'node:path'
import type { IndexedRepository } from '../core/project.ts'
import type { Holding } from '../replication/disk-cache.ts'
import { createInUse, type InUse } from '../replication/in-use.ts'
import type { createKeptClones } from '../replication/kept-clones.ts'
import type { LocalCopy } from '../repos/clone/local-copies.ts'
import { noteUse } from '../vecstore/local-copy.ts'
import type { Git } from './git.ts'

interface CloneHoldingsDeps {
  /** The clones of this node. */
  local: Pick<Git, 'listCopies' | 'removeCopy'>
  kept: Pick<ReturnType<typeof createKeptClones>, 'keptCommits' | 'keep'>
  /** What is published of a project, for all nodes; brings nothing. */
  repositoriesOf: (project: string) => Promise<readonly IndexedRepository[]>
  /** Projects that are being worked on. */
  inUse: InUse
  clonedReposDir: string
  /** Hears that a clone may have grown, and is not in use any more. */
  grew: () => void
}

/** The clones of this node that it can have again. */
interface CloneHoldings {
  list(): Promise<Holding[]>
  /** Projects that had something of a clone here when they were listed last. */
  readonly projects: readonly string[]
  /** Resolves when a clone that is being given up is gone, or stays; one that is held is not given up. */
  settled(repository: string): Promise<void>
  /** The same functions, during which the clone that they name is not given up. */
  keeping<G extends object>(git: G): G
}

/** Functions whose first argument is the name of a clone. */
const BY_NAME: ReadonlySet<PropertyKey> = new Set(['holds', 'history', 'hasChanges'])

/** Functions that make a clone, or add to it, in the background. */
const ADDING: ReadonlySet<PropertyKey> = new Set(['holds', 'fetchHistory'])

/** The clone that a call is about; null where it names none. */
function cloneOf(name: PropertyKey, [first]: readonly unknown[]): string | null {
  if (BY_NAME.has(name)) return typeof first === 'string' ? first : null
  if (typeof first !== 'object' || first === null || !('repository' in first)) return null
  return typeof first.repository === 'string' ? first.repository : null
}

/** What jobs and answers read of clones stays; the rest may go where its commits are kept for all nodes. */
export function createCloneHoldings({
  local,
  kept,
  repositoriesOf,
  inUse,
  clonedReposDir,
  grew,
}: CloneHoldingsDeps): CloneHoldings {
  const clonesInUse = createInUse()
  const going = new Map<string, Promise<unknown>>()
  let projects: string[] = []

  async function settled(repository: string): Promise<void> {
    await going.get(repository.toLowerCase())?.catch(() => {})
  }

  /** Commits that a project had indexed before: what it has indexed now is elsewhere. */
  async function leftBehind({ repository, users }: LocalCopy): Promise<string[]> {
    const old: string[] = []
    for (const { project, commit } of users) {
      if (commit === null) continue
      const now = (await repositoriesOf(project)).find(one => one.repository === repository)?.commit
      if (now !== undefined && now !== commit) old.push(commit)
    }
    return old
  }

  /** Commits that may go from here; null: nothing may. */
  async function safeCommits(copy: LocalCopy, signal: AbortSignal): Promise<string[] | null> {
    const first = await kept.keptCommits(copy, signal)
    if (first.tar !== null) {
      const safe = [...first.tar, ...first.branches, ...(await leftBehind(copy))]
      // the tar may be of a commit before
      if (copy.users.every(({ commit }) => commit === null || safe.includes(commit))) return safe
    }
    // of an upload the newest tar counts, whoever made it
    if (copy.uploadedInto !== null) return null
    await kept.keep(copy, signal)
    const { tar, branches } = await kept.keptCommits(copy, signal)
    return tar === null ? null : [...tar, ...branches]
  }

  const isUsed = ({ repository, users }: LocalCopy): boolean =>
    clonesInUse.isHeld(repository) || users.some(({ project }) => inUse.isHeld(project))

  async function evict(copy: LocalCopy, signal: AbortSignal): Promise<boolean> {
    const { repository, uploadedInto } = copy
    const key = repository.toLowerCase()
    if (isUsed(copy) || going.has(key)) return false
    const safe = await safeCommits(copy, signal)
    if (safe === null || isUsed(copy) || going.has(key)) return false
    const projects = copy.users.map(({ project }) => project)
    const removing = local.removeCopy({ repository, uploadedInto, kept: safe, projects }, signal)
    going.set(key, removing)
    try {
      return await removing
    } finally {
      going.delete(key)
    }
  }

  async function lastUse(copy: LocalCopy): Promise<number> {
    const { repository, uploadedInto, users, changedAt } = copy
    const used = Math.max(0, ...users.map(({ project }) => inUse.lastUse(project) ?? 0))
    if (used > changedAt && uploadedInto === null) await noteUse(join(clonedReposDir, repository), used)
    return Math.max(used, changedAt)
  }

  return {
    settled,
    async list() {
      const holdings: Holding[] = []
      const copies = await local.listCopies()
      projects = [...new Set(copies.flatMap(({ users }) => users.map(({ project }) => project)))]
      for (const copy of copies) {
        const { repository, uploadedInto, bytes } = copy
        holdings.push({
          name: uploadedInto === null ? `clone ${repository}` : `upload ${uploadedInto}/${repository}`,
          bytes,
          usedAt: await lastUse(copy),
          evict: signal => evict(copy, signal),
        })
      }
      return holdings
    },
    get projects() {
      return projects
    },
    keeping<G extends object>(git: G): G {
      return new Proxy(git, {
        get(target, name) {
          const call = Reflect.get(target, name) as unknown
          if (typeof call !== 'function') return call
          return (...args: unknown[]): unknown => {
            const repository = cloneOf(name, args)
            if (repository === null) return Reflect.apply(call, undefined, args) as unknown
            const working = clonesInUse.during(repository, async () => {
              await settled(repository)
              return await (Reflect.apply(call, undefined, args) as Promise<unknown>)
            })
            return ADDING.has(name) ? working.finally(grew) : working
          }
        },
      })
    },
  }
}
