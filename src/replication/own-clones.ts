import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { FaultlineError } from '../core/errors.ts'
import type { Database } from '../postgres/database.ts'
import type { Inventory } from '../repos/clone/inventory.ts'
import type { Repos } from '../repos/repos.ts'
import type { ProjectTable } from './project-table.ts'

interface OwnClonesDeps {
  clonedReposDir: string
  db: Pick<Database, 'query'>
  table: Pick<ProjectTable, 'list'>
  repos: Pick<Repos, 'inventory' | 'releaseMissing' | 'packBranch'>
  /** Tells this cluster from others. */
  cluster: () => Promise<string>
}

/** The clones on a node's disk: whether each is a copy, and which may go. */
interface OwnClones {
  /**
   * Looks that all clones are copies of what nodes of this cluster share, and says so in their folder.
   *
   * @throws {FaultlineError} CONFIG_INVALID: there are others, which this node would hide or delete.
   */
  requireShared(signal: AbortSignal): Promise<void>
  /** Deletes the clones of projects that were deleted, after `requireShared`. @throws The database is away. */
  releaseMissing(): Promise<void>
}

/** In a folder of clones: the cluster whose nodes made all of them. */
const MARK = '.cluster'

const markOf = (folder: string): Promise<string | null> =>
  readFile(join(folder, MARK), 'utf8').then(
    text => text.trim(),
    () => null,
  )

async function writeMark(folder: string, cluster: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const draft = join(folder, `${MARK}.new`)
  await writeFile(draft, `${cluster}\n`, { mode: 0o600 })
  await rename(draft, join(folder, MARK))
}

const listed = (names: readonly string[]): string => [...new Set(names)].slice(0, 10).join(', ')

const notShared = (folder: string, what: string): FaultlineError =>
  new FaultlineError(
    'CONFIG_INVALID',
    `CLONED_REPOS_DIR=${folder} holds ${what}.`,
    '"faultline move --to-cluster" takes the folders of a single machine over into an empty cluster; otherwise give ' +
      'this node empty folders (DATA_DIR, VECTOR_STORE_DIR, CLONED_REPOS_DIR). docs/scale.md says how.',
  )

/**
 * A single machine deletes the clones that no project of its own uses. A node may not conclude the same: which projects
 * there are says the database, and a folder may come from a machine whose projects no node knows. So a folder says by
 * which cluster's nodes its clones were made, and of another one nothing is deleted.
 */
export function createOwnClones({ clonedReposDir, db, table, repos, cluster }: OwnClonesDeps): OwnClones {
  async function unknownProjects({ clones, uploaded }: Inventory): Promise<string[]> {
    const known = new Set((await table.list()).map(name => name.toLowerCase()))
    const named = [...clones.flatMap(({ projects }) => projects), ...uploaded.map(({ uploadedInto }) => uploadedInto)]
    return named.filter(name => !known.has(name.toLowerCase()))
  }

  /** Branches that jobs committed and that the cluster has not, or at another commit: no remote has them. */
  async function unknownBranches({ clones }: Inventory, signal: AbortSignal): Promise<string[]> {
    const unknown: string[] = []
    for (const of of clones.flatMap(({ branches }) => branches)) {
      const { commit } = await repos.packBranch(of, signal)
      const { rows } = await db.query(
        `SELECT commit_id FROM kept_branches
         WHERE lower(repository) = lower($1) AND project = lower($2) AND branch = $3`,
        [of.repository, of.projectName, of.branch],
      )
      if (commit !== null && rows[0]?.commit_id !== commit) unknown.push(of.branch)
    }
    return unknown
  }

  return {
    async requireShared(signal) {
      const own = await cluster()
      if ((await markOf(clonedReposDir)) === own) return
      const inventory = await repos.inventory()
      const projects = await unknownProjects(inventory)
      if (projects.length > 0) {
        throw notShared(clonedReposDir, `clones of projects that the other nodes do not know: ${listed(projects)}`)
      }
      const branches = await unknownBranches(inventory, signal)
      if (branches.length > 0) {
        throw notShared(
          clonedReposDir,
          `branches that jobs committed and the other nodes do not know: ${listed(branches)}`,
        )
      }
      await writeMark(clonedReposDir, own)
    },
    async releaseMissing() {
      await repos.releaseMissing(await table.list())
    },
  }
}
