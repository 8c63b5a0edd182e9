import { projectNotFound } from '../core/not-found.ts'
import { isProjectName, NO_SETTINGS } from '../core/project.ts'
import type { Store } from '../vecstore/store.ts'
import { isAway } from './is-away.ts'
import type { ProjectTable } from './project-table.ts'

/** What a node's own store becomes a part of. */
interface SharedStoreDeps {
  /** The indexes on this node's disk. */
  local: Store
  table: ProjectTable
  /** Brings what is published of a project to this node, where it is not here yet. */
  restore: (projectName: string) => Promise<void>
  /** Gives up what was published and kept of a project that was deleted. */
  forget: (projectName: string) => Promise<void>
  /** Tells all nodes that a project changed. */
  notify: (projectName: string) => void
  /**
   * Hears of changes on other nodes; null: some may have been missed. Notifications come some milliseconds later than
   * the change.
   */
  onChange: (hears: (projectNames: readonly string[] | null) => void) => void
  /** Hears that the database or the object store is away: answers come from what is here meanwhile. */
  onAway: (error: unknown) => void
  now?: () => number
}

/** A store whose projects are those of all nodes. */
interface SharedStore extends Store {
  /**
   * Brings a project to this node as it is now, whatever was known of it.
   *
   * @throws {FaultlineError} PROJECT_NOT_FOUND
   */
  bring(project: string): Promise<void>
}

/** A change of which no notification came is seen after this time. */
const FRESH_MS = 1_000
const MAX_KNOWN = 100_000

/**
 * The store of this node, kept to what all nodes know: which projects there are, their settings, and what is published
 * of each comes from the database. What is asked of a project looks there first, at most once a second unless
 * somebody says that it changed, and goes on with what is here while the database is away.
 */
export function shareStore({
  local,
  table,
  restore,
  forget,
  notify,
  onChange,
  onAway,
  now = () => performance.now(),
}: SharedStoreDeps): SharedStore {
  /** When each project was looked at, by its name in small letters. */
  const looked = new Map<string, { at: number; looking: Promise<void> }>()

  onChange(names => {
    if (names === null) looked.clear()
    else for (const name of names) looked.delete(name.toLowerCase())
  })

  async function look(name: string): Promise<void> {
    const project = await table.find(name)
    await local.mirrorProject(project?.projectName ?? name, project)
    if (project !== null) await restore(project.projectName)
  }

  /** Looks, unless somebody did a moment ago; who asks meanwhile waits for the same look. */
  async function refresh(name: string): Promise<void> {
    if (!isProjectName(name)) return
    const key = name.toLowerCase()
    const known = looked.get(key)
    if (known !== undefined && now() - known.at < FRESH_MS) return await known.looking
    const looking = look(name).catch((error: unknown) => {
      looked.delete(key)
      if (!isAway(error)) throw error
      onAway(error)
    })
    if (looked.size >= MAX_KNOWN) looked.clear()
    looked.set(key, { at: now(), looking })
    await looking
  }

  function changed(name: string): void {
    looked.delete(name.toLowerCase())
    notify(name)
  }

  const after =
    <Rest extends unknown[], T>(work: (project: string, ...rest: Rest) => Promise<T>) =>
    async (project: string, ...rest: Rest): Promise<T> => {
      await refresh(project)
      return await work(project, ...rest)
    }

  return {
    ...local,
    async bring(project) {
      looked.delete(project.toLowerCase())
      await refresh(project)
      if ((await local.findProject(project)) === null) throw projectNotFound(project)
    },
    async listProjects() {
      try {
        return await table.list()
      } catch (error) {
        if (!isAway(error)) throw error
        onAway(error)
        return await local.listProjects()
      }
    },
    findProject: after(local.findProject),
    readManifest: after(local.readManifest),
    openReader: after(local.openReader),
    publication: after(local.publication),
    storeBytes: after(local.storeBytes),
    readSettings: after(local.readSettings),
    async createProject(project) {
      await table.create(project)
      changed(project)
      await refresh(project)
      return await local.createProject(project)
    },
    async writeSettings(project, settings) {
      if (!(await table.writeSettings(project, { ...NO_SETTINGS, ...settings }))) throw projectNotFound(project)
      changed(project)
      await refresh(project)
    },
    async deleteProject(project) {
      if (!(await table.remove(project))) throw projectNotFound(project)
      await forget(project)
      changed(project)
      await local.mirrorProject(project, null)
    },
  }
}
