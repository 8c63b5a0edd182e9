import { mkdir } from 'node:fs/promises'
import { FaultlineError } from '../core/errors.ts'
import type { ForeignManifest, ProjectSettings, PublishedManifest } from '../core/project.ts'
import { rememberVersion } from '../core/remember-version.ts'
import { shareReads } from '../core/share-reads.ts'
import type { StoredFile } from './catalogue/catalogue-reader.ts'
import { reportingFullDisk, requireFreeSpace } from './format/full-disk.ts'
import { isMissing, projectFolder, readPublication, removeUnfinished } from './format/layout.ts'
import type { GenerationBuilder } from './generation-builder.ts'
import type { GenerationReader } from './generation-reader.ts'
import { SegmentMemory } from './lexical/segment-memory.ts'
import {
  adoptProjectFolder,
  bytesBelow,
  createProjectFolder,
  deleteProjectFolder,
  listProjectFolders,
  mirrorProjectFolder,
  ownProjects,
  projectVersion,
  readOrigin,
  readSettings,
  sweepProjectFolders,
  writeSettings,
  type ProjectOrigin,
} from './project-folders.ts'
import { PublishedGenerations } from './published-generations.ts'
import type { PublishedState } from './published-state.ts'

const GIB = 1024 ** 3

/** How a store opens and writes indexes. */
export interface StoreOptions {
  /** Free space below which no index is begun or gone on with. */
  minFreeBytes?: number
  /** Number of chunks below which vectors are searched by exact scan. */
  exactBelow?: number
  /** What queries are embedded with: readers of an index built with another model are refused. */
  embedding?: { provider: 'local' | 'api'; model: string }
  now?: () => Date
}

/**
 * One folder per project below `root`. Cheap to make; remembers which files it found whole, and keeps some open. Every
 * instance on one root sees the same.
 */
export interface Store {
  /** As stored; newest project first. */
  listProjects(): Promise<string[]>
  /** The stored spelling of a name that may differ in case; null when there is no such project. */
  findProject(name: string): Promise<string | null>
  /**
   * The manifest of the published generation; null when nothing is published.
   *
   * @throws {FaultlineError} INDEX_INCOMPATIBLE when it is damaged.
   */
  readManifest(project: string): Promise<PublishedManifest | ForeignManifest | null>
  /** How the vectors of a project with this manifest are searched on this machine; null while there are none. */
  searchOf(manifest: PublishedManifest | ForeignManifest | null): 'hnsw' | 'exact' | null
  /**
   * Pins the published generation, or the one before it when that is damaged and the older one still there.
   * @throws {FaultlineError} PROJECT_NOT_FOUND, INDEX_NOT_READY, PROJECT_BUSY, or INDEX_INCOMPATIBLE (another format or
   * embedding model, or damaged), whose fix names the call that rebuilds.
   */
  openReader(project: string): Promise<GenerationReader>
  /** Stands for what is published, to see cheaply whether a reader is still the newest; null when nothing is. */
  publication(project: string): Promise<string | null>
  /** Bytes on disk, all generations. */
  storeBytes(project: string): Promise<number>
  /** Does nothing when the project exists; `mended`: it did, but its settings were lost, and are now the defaults. */
  createProject(project: string): Promise<'whole' | 'mended'>
  /** @throws {FaultlineError} PROJECT_NOT_FOUND */
  readSettings(project: string): Promise<ProjectSettings>
  /** Replaces them as a whole. @throws {FaultlineError} PROJECT_NOT_FOUND */
  writeSettings(project: string, settings: ProjectSettings): Promise<void>
  /**
   * Makes the project here what it is elsewhere, but for its index: a folder of an earlier project of the name goes,
   * and with null every one of the name.
   */
  mirrorProject(project: string, origin: ProjectOrigin | null): Promise<void>
  /** Projects that are this machine's alone, with the time that each was made. */
  ownProjects(): Promise<Array<{ project: string; createdAt: string }>>
  /** When a project was made, and its settings. @throws {FaultlineError} PROJECT_NOT_FOUND, INDEX_INCOMPATIBLE */
  readOrigin(project: string): Promise<ProjectOrigin>
  /** Makes a project that was elsewhere this machine's own, but for its index. */
  adoptProject(project: string, origin: ProjectOrigin): Promise<void>
  /** All or nothing, also under a kill. @throws {FaultlineError} PROJECT_NOT_FOUND */
  deleteProject(project: string): Promise<void>
  /** Removes what killed processes left. Only at start, while nothing builds. */
  sweep(): Promise<void>
  /** Compares the files of the published generation with their checksums: those that this store has not read before. */
  inspect(project: string): Promise<PublishedState>
  /**
   * The texts of a repository as they were indexed, also from an index built with another embedding, chunker or format.
   * Going over them throws INDEX_INCOMPATIBLE where one cannot be read.
   */
  storedFiles(project: string, repository: string): Promise<Iterable<StoredFile>>
  /**
   * Begins the next generation: a copy of the published one to be changed, or of another project's, or empty, as it is
   * also where there is nothing whole to copy. At most one at a time for a project: it removes what an interrupted
   * build left. @throws {FaultlineError} DISK_FULL
   */
  begin(project: string, from: 'copy' | 'empty' | { project: string }): Promise<GenerationBuilder>
}

function nothingPublished(project: string, isThere: boolean): FaultlineError {
  return isThere
    ? new FaultlineError(
        'INDEX_NOT_READY',
        `Project ${project} has no index yet.`,
        'Wait for its clone job: GET /jobs?type=clone.',
      )
    : new FaultlineError(
        'PROJECT_NOT_FOUND',
        `There is no project ${JSON.stringify(project)}.`,
        'GET /projects lists the projects; POST /clone makes one.',
      )
}

/** The store of the projects below `root`. */
export function openStore(root: string, options: StoreOptions = {}): Store {
  const { minFreeBytes = GIB, exactBelow = 5_000, embedding, now = () => new Date() } = options
  const segments = new SegmentMemory()
  const published = new PublishedGenerations(root, { exactBelow, embedding, segments })
  const listProjects = () => listProjectFolders(root)
  const versionOf = shareReads((project: string) => projectVersion(root, project))
  const findProject = rememberVersion(
    versionOf,
    shareReads(
      async name => (await listProjects()).find(project => project.toLowerCase() === name.toLowerCase()) ?? null,
    ),
  )

  async function openReader(project: string): Promise<GenerationReader> {
    const opened = await published.open(project)
    if (opened === null) throw nothingPublished(project, (await findProject(project)) !== null)
    return opened
  }

  async function begin(project: string, from: 'copy' | 'empty' | { project: string }): Promise<GenerationBuilder> {
    await mkdir(root, { recursive: true, mode: 0o700 })
    await requireFreeSpace(root, minFreeBytes)
    await reportingFullDisk(() => createProjectFolder(root, project, now()))
    const projectDir = projectFolder(root, project)
    await removeUnfinished(projectDir)
    const request = { project, projectDir, minFreeBytes, exactBelow, opened: segments, now }
    const { createGenerationBuilder } = await import('./generation-builder.ts') // not every thread builds
    if (typeof from !== 'object') {
      return await createGenerationBuilder({ ...request, base: from === 'copy' ? await published.base(project) : null })
    }
    try {
      return await createGenerationBuilder({ ...request, base: await published.base(from.project) })
    } catch (error) {
      if (!isMissing(error)) throw error
      await removeUnfinished(projectDir) // the other project went on meanwhile, or went
      return await createGenerationBuilder({ ...request, base: null })
    }
  }

  async function sweep(): Promise<void> {
    await sweepProjectFolders(root)
    for (const project of await listProjects()) {
      await removeUnfinished(projectFolder(root, project))
      await published.removeOld(project)
    }
  }

  return {
    listProjects,
    findProject,
    readManifest: shareReads(project => published.manifest(project)),
    searchOf: manifest => published.searchOf(manifest),
    openReader,
    publication: shareReads(project => readPublication(projectFolder(root, project))),
    storeBytes: project => bytesBelow(projectFolder(root, project)),
    createProject: project => reportingFullDisk(() => createProjectFolder(root, project, now())),
    readSettings: rememberVersion(
      versionOf,
      shareReads(project => readSettings(root, project)),
    ),
    writeSettings: (project, settings) => reportingFullDisk(() => writeSettings(root, project, settings)),
    mirrorProject: (project, origin) => reportingFullDisk(() => mirrorProjectFolder(root, project, origin)),
    ownProjects: () => ownProjects(root),
    readOrigin: project => readOrigin(root, project),
    adoptProject: (project, origin) => reportingFullDisk(() => adoptProjectFolder(root, project, origin)),
    deleteProject: project => deleteProjectFolder(root, project),
    sweep,
    inspect: project => published.inspect(project),
    storedFiles: (project, repository) => published.storedFiles(project, repository),
    begin,
  }
}
