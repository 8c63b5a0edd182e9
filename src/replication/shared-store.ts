import { FaultlineError } from '../core/errors.ts'
import { BlobDamagedError, BlobMissingError } from '../object-store/blobs/blob-store.ts'
import { projectNotFound } from '../core/not-found.ts'
import { isProjectName, NO_SETTINGS, type PublishedManifest } from '../core/project.ts'
import type { Store } from '../vecstore/store.ts'
import type { InUse } from './in-use.ts'
import { isAway } from './is-away.ts'
import { createLooks } from './looks.ts'
import type { ProjectTable } from './project-table.ts'

/** What the publisher of an index said of it, for nodes that have no copy. */
export interface IndexSummary {
  manifest: PublishedManifest
  /** On its disk. */
  bytes: number
}

/** What a node's own store becomes a part of. */
interface SharedStoreDeps {
  /** The indexes on this node's disk. */
  local: Store
  table: ProjectTable
  /** Brings what is published of a project to this node, where it is not here yet. */
  restore: (projectName: string) => Promise<void>
  /** What is known of an index that is not here; null: it has to be brought to be read. */
  summaryOf: (projectName: string) => Promise<IndexSummary | null>
  /** Keeps what is being read from being given up. */
  inUse: Pick<InUse, 'during'>
  /** Gives up what was published and kept of a project that was deleted. */
  forget: (projectName: string) => Promise<void>
  /** Tells all nodes that a project changed. */
  notify: (projectName: string) => void
  /**
   * Hears of changes on other nodes; null: some may have been missed. Notifications come some milliseconds later than
   * the change.
   */
  onChange: (hears: (projectNames: readonly string[] | null) => void) => void
  /**
   * Hears that the database or the object store is away, or that a newer release published what this one cannot read:
   * answers come from what is here meanwhile.
   */
  onAway: (error: unknown) => void
  now?: () => number
}

/** A store whose projects are those of all nodes. */
interface SharedStore extends Store {
  /**
   * Brings a project to this node as it is now, whatever was known of it.
   *
   * @throws {FaultlineError} PROJECT_NOT_FOUND; INDEX_INCOMPATIBLE: a newer release published it.
   */
  bring(project: string): Promise<void>
  /** Says that the index here is about to go: whoever asks from now on has it brought again. */
  evicting(project: string): void
}

/** Said of objects that the store does not have: to wait for it helps nobody. */
const isLost = (error: unknown): boolean => error instanceof BlobMissingError || error instanceof BlobDamagedError

/** What a newer release published, and this one cannot read. */
const isNewer = (error: unknown): boolean => error instanceof FaultlineError && error.code === 'INDEX_INCOMPATIBLE'

/**
 * The store of this node, kept to what all nodes know: which projects there are, their settings, and what is published
 * of each comes from the database. What is asked of a project looks there first, at most once a second unless
 * somebody says that it changed, and goes on with what is here while the database is away. An index is brought here
 * when somebody reads it; lists do with what its publisher said of it.
 */
export function shareStore({
  local,
  table,
  restore,
  summaryOf,
  inUse,
  forget,
  notify,
  onChange,
  onAway,
  now = () => performance.now(),
}: SharedStoreDeps): SharedStore {
  const looks = createLooks({
    now,
    /** What all nodes know of a project; also makes its folder here, or takes it away. */
    known: async name => {
      const project = await table.find(name)
      await local.mirrorProject(project?.projectName ?? name, project)
      return project
    },
    /** Brings its index. */
    here: async project => {
      try {
        if (project !== null) await restore(project.projectName)
        return null
      } catch (error) {
        if (!isNewer(error)) throw error
        onAway(error) // an earlier index is no reason to answer nothing
        return error
      }
    },
    onAway,
  })

  onChange(names => {
    if (names === null) looks.clear()
    else for (const name of names) looks.forget(name)
  })

  function changed(name: string): void {
    looks.forget(name)
    notify(name)
  }

  const isHere = async (project: string): Promise<boolean> => (await local.publication(project)) !== null

  /** For what is known of a project without its index. */
  const knowing =
    <Rest extends unknown[], T>(work: (project: string, ...rest: Rest) => Promise<T>) =>
    (project: string, ...rest: Rest): Promise<T> =>
      looks.isKnown(project) || !isProjectName(project)
        ? work(project, ...rest)
        : looks.know(project).then(() => work(project, ...rest))

  /** For what reads the index, which stays meanwhile. */
  const having =
    <T>(work: (project: string) => Promise<T>) =>
    (project: string): Promise<T> =>
      inUse.during(project, async () => {
        if (looks.isHere(project)) return await work(project)
        const away = isProjectName(project) ? await looks.bring(project) : null
        if (away !== null && !isLost(away) && !(await isHere(project))) throw away // there may well be one
        return await work(project)
      })

  const publicationOnceHere = having(local.publication)

  /** What its publisher said of an index; null where nobody did, or nobody can be asked. */
  async function summary(project: string): Promise<IndexSummary | null> {
    try {
      return isProjectName(project) ? await summaryOf(project) : null
    } catch (error) {
      if (!isAway(error)) throw error
      onAway(error)
      return null
    }
  }

  const manifestHere = (project: string): ReturnType<Store['readManifest']> =>
    inUse.during(project, async () => {
      if (isProjectName(project)) await looks.bring(project)
      return await local.readManifest(project)
    })

  /** Of the newest index, which a build that goes on here may have made a moment ago. */
  async function newestManifest(project: string): ReturnType<Store['readManifest']> {
    const elsewhere = await summary(project)
    if (elsewhere === null) return await manifestHere(project)
    const own = await local.readManifest(project)
    const { generation, publishedAt } = elsewhere.manifest
    const isNewest = own !== null && (own.generation > generation || own.publishedAt === publishedAt)
    return isNewest ? own : elsewhere.manifest
  }

  return {
    ...local,
    async bring(project) {
      looks.forget(project)
      const away = isProjectName(project) ? await looks.bring(project) : null
      if (isNewer(away)) throw away
      if ((await local.findProject(project)) === null) throw projectNotFound(project)
    },
    evicting: project => looks.forget(project),
    async listProjects() {
      try {
        return await table.list()
      } catch (error) {
        if (!isAway(error)) throw error
        onAway(error)
        return await local.listProjects()
      }
    },
    findProject: knowing(local.findProject),
    readManifest: knowing(newestManifest),
    openReader: having(local.openReader),
    publication: project => (looks.isHere(project) ? local.publication(project) : publicationOnceHere(project)),
    async storeBytes(project) {
      if (await isHere(project)) return await local.storeBytes(project)
      return (await summary(project))?.bytes ?? 0
    },
    readSettings: knowing(local.readSettings),
    async createProject(project) {
      await table.create(project)
      changed(project)
      await looks.know(project)
      return await local.createProject(project)
    },
    async writeSettings(project, settings) {
      if (!(await table.writeSettings(project, { ...NO_SETTINGS, ...settings }))) throw projectNotFound(project)
      changed(project)
      await looks.know(project)
    },
    async deleteProject(project) {
      if (!(await table.remove(project))) throw projectNotFound(project)
      await forget(project)
      changed(project)
      await local.mirrorProject(project, null)
    },
  }
}
