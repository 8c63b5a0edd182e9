import { FaultlineError } from '../core/errors.ts'
import type { Database } from '../postgres/database.ts'
import { claimCloneName } from '../replication/clone-names.ts'
import type { createKeptClones } from '../replication/kept-clones.ts'
import type { shareClones } from '../replication/shared-clones.ts'
import type { FoundClone } from '../repos/clone/inventory.ts'
import type { OwnBranch } from '../repos/clone/own-branches.ts'
import type { Repos } from '../repos/repos.ts'
import type { Store } from '../vecstore/store.ts'
import type { Direction } from './direction.ts'
import type { MovePart, Obstacle } from './part.ts'

interface ClonesDeps {
  db: Database
  repos: Pick<Repos, 'inventory' | 'packBranch'>
  kept: Pick<ReturnType<typeof createKeptClones>, 'keep' | 'keepBranch' | 'restoreBranches' | 'restore'>
  /** Makes a clone on this machine, from what is kept or else from its remote. */
  bring: ReturnType<typeof shareClones>['bring']
  store: Pick<Store, 'listProjects' | 'readManifest'>
  direction: Direction
}

/** A branch that jobs committed, with the commit that the cluster keeps. */
interface KeptBranch extends OwnBranch {
  commit: string
}

/** The clones, what was uploaded into projects, and the branches that jobs committed. */
export function createClonesPart({ db, repos, kept, bring, store, direction }: ClonesDeps): MovePart {
  /** Branches of projects that there are: those of others the server deletes at its next start. */
  async function ownBranches(clones: readonly FoundClone[]): Promise<OwnBranch[]> {
    const known = new Set((await store.listProjects()).map(name => name.toLowerCase()))
    return clones.flatMap(({ branches }) => branches).filter(({ projectName }) => known.has(projectName.toLowerCase()))
  }

  async function keptBranches(): Promise<KeptBranch[]> {
    const { rows } = await db.query(
      `SELECT kept.repository, coalesce(projects.name, kept.project) AS project, kept.branch, kept.commit_id
       FROM kept_branches AS kept LEFT JOIN projects ON projects.key = kept.project
       ORDER BY kept.repository, kept.project, kept.branch`,
    )
    return rows.map(row => ({
      repository: String(row.repository),
      projectName: String(row.project),
      branch: String(row.branch),
      commit: String(row.commit_id),
    }))
  }

  async function takeName({ repository, identity }: FoundClone): Promise<void> {
    const name = await claimCloneName(db, { identity, names: [repository] })
    if (name === repository) return
    throw new FaultlineError(
      'CONFIG_INVALID',
      `The clones ${repository} and ${name} are those of one remote.`,
      `Delete the project that uses one of them, or move the folder ${repository} away.`,
    )
  }

  async function there(onDone: () => void, signal: AbortSignal): Promise<void> {
    const { clones, uploaded } = await repos.inventory()
    for (const of of uploaded) {
      await kept.keep(of, signal)
      onDone()
    }
    for (const clone of clones) {
      await takeName(clone)
      await kept.keep({ repository: clone.repository, uploadedInto: null }, signal)
      onDone()
    }
    for (const branch of await ownBranches(clones)) {
      await kept.keepBranch(branch, null, signal)
      onDone()
    }
  }

  /** What projects index, by repository. */
  async function wanted(): Promise<Array<Parameters<ClonesDeps['bring']>[0]>> {
    const found = []
    for (const projectName of await store.listProjects()) {
      const manifest = await store.readManifest(projectName)
      for (const { repository, url, branch, commit } of manifest?.repositories ?? []) {
        found.push({ projectName, repository, url, branch, commit })
      }
    }
    return found
  }

  async function here(onDone: () => void, signal: AbortSignal): Promise<void> {
    const indexed = await wanted()
    for (const one of indexed) {
      await bring(one, signal)
      onDone()
    }
    // of projects whose index is gone, or which do not index that repository any more
    const left = (await keptBranches()).filter(
      branch =>
        !indexed.some(
          one =>
            one.repository === branch.repository && one.projectName.toLowerCase() === branch.projectName.toLowerCase(),
        ),
    )
    for (const branch of left) {
      await kept.restore({ repository: branch.repository, uploadedInto: null }, signal)
      await kept.restoreBranches(branch, signal)
    }
  }

  async function total(): Promise<number> {
    if (direction === 'from_cluster') return (await wanted()).length
    const { clones, uploaded } = await repos.inventory()
    return uploaded.length + clones.length + (await ownBranches(clones)).length
  }

  return {
    name: 'clones',

    async look() {
      const { clones, uploaded } = await repos.inventory()
      const obstacles: Obstacle[] = []
      const notes: string[] = []
      if (direction === 'from_cluster') {
        const { rows } = await db.query(
          'SELECT (SELECT count(*) FROM kept_clones) AS clones, (SELECT sum(bytes) FROM kept_clones) AS bytes',
        )
        const branches = (await keptBranches()).length
        return { items: Number(rows[0]?.clones) + branches, bytes: Number(rows[0]?.bytes), obstacles, notes }
      }
      const branches = await ownBranches(clones)
      notes.push(`${branches.length} branches that jobs committed`)
      return { items: clones.length + uploaded.length + branches.length, bytes: null, obstacles, notes }
    },

    async move(onProgress, signal) {
      const all = await total()
      let done = 0
      const onDone = () => {
        signal.throwIfAborted()
        onProgress(++done, all)
      }
      await (direction === 'to_cluster' ? there(onDone, signal) : here(onDone, signal))
    },

    async check(onProgress, signal) {
      const differences: string[] = []
      const { clones } = await repos.inventory()
      const [own, keptOnes] = [await ownBranches(clones), await keptBranches()]
      const keyOf = ({ repository, projectName, branch }: OwnBranch) =>
        [repository, projectName, branch].join('\n').toLowerCase()
      const commits = new Map(keptOnes.map(branch => [keyOf(branch), branch.commit]))
      let same = 0
      for (const [done, branch] of own.entries()) {
        onProgress(done, own.length)
        const { commit } = await repos.packBranch(branch, signal)
        const there = commits.get(keyOf(branch)) ?? null
        if (commit === there) same++
        else {
          differences.push(`branch ${branch.branch} of ${branch.repository}: ${commit} here, ${there} in the cluster`)
        }
        commits.delete(keyOf(branch))
      }
      for (const key of commits.keys()) differences.push(`branch ${key.replaceAll('\n', ' ')}: only in the cluster`)
      return { same, differences, figures: { clones: clones.length, branches: same } }
    },
  }
}
