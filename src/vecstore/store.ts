import { mkdir } from 'node:fs/promises'
import { FaultlineError } from '../core/errors.ts'
import {
  isSameEmbedder,
  type ForeignManifest,
  type Manifest,
  type ProjectSettings,
  type PublishedManifest,
} from '../core/project.ts'
import { rememberVersion } from '../core/remember-version.ts'
import { shareReads } from '../core/share-reads.ts'
import { readStoredFiles, type StoredFile } from './catalogue/catalogue-reader.ts'
import { reportingFullDisk, requireFreeSpace } from './format/full-disk.ts'
import { createGenerationBuilder, type GenerationBuilder } from './generation-builder.ts'
import type { BaseGeneration } from './format/generation-check.ts'
import { areVectorsComplete, verifiedManifest, wholeVectors } from './format/generation-check.ts'
import { openGeneration, type GenerationReader } from './generation-reader.ts'
import {
  generationPaths,
  isMissing,
  listGenerations,
  projectFolder,
  readCurrent,
  readPublication,
  removeGenerations,
  removeUnfinished,
  type GenerationPaths,
} from './format/layout.ts'
import { readManifestFile, rebuildFix } from './format/manifest.ts'
import type { StoredManifest } from './format/stored-manifest.ts'
import { openNewest, type UnreadableNewest } from './format/newest-generation.ts'
import {
  bytesBelow,
  createProjectFolder,
  deleteProjectFolder,
  listProjectFolders,
  projectVersion,
  readSettings,
  sweepProjectFolders,
  writeSettings,
} from './project-folders.ts'
import { ChecksumMemory } from './format/checksum-memory.ts'
import { SegmentMemory } from './lexical/segment-memory.ts'

const GIB = 1024 ** 3

export interface StoreOptions {
  /** Free space below which no index is begun or gone on with. */
  minFreeBytes?: number
  /** Number of chunks below which vectors are searched by exact scan. */
  exactBelow?: number
  /** What queries are embedded with: readers of an index built with another model are refused. */
  embedding?: { provider: 'local' | 'api'; model: string }
  now?: () => Date
}

/** What is published of a project, as the next build finds it. */
export type PublishedState =
  | { kind: 'none' }
  /**
   * `vectorsWhole` is false while vectors are missing or a file of them is damaged; the next build makes them anew from
   * the texts.
   */
  | { kind: 'whole'; manifest: StoredManifest; vectorsWhole: boolean }
  /**
   * `manifest` where at least that could be read. `storedFiles` may still read the texts of another format, or beside
   * damaged `segments`; damaged ones must not be trusted.
   */
  | { kind: 'unreadable'; why: 'damaged' | 'segments' | 'format'; manifest: Manifest | null; detail: string }

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
   * Of the published generation; null when nothing is published. @throws {FaultlineError} INDEX_INCOMPATIBLE when it is
   * damaged.
   */
  readManifest(project: string): Promise<PublishedManifest | ForeignManifest | null>
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
  /** Does nothing when the project exists. */
  createProject(project: string): Promise<void>
  /** @throws {FaultlineError} PROJECT_NOT_FOUND */
  readSettings(project: string): Promise<ProjectSettings>
  /** Replaces them as a whole. @throws {FaultlineError} PROJECT_NOT_FOUND */
  writeSettings(project: string, settings: ProjectSettings): Promise<void>
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

function nextFile(files: Generator<StoredFile>, project: string, repository: string): IteratorResult<StoredFile> {
  try {
    return files.next()
  } catch (error) {
    throw new FaultlineError(
      'INDEX_INCOMPATIBLE',
      `The code of repository ${repository} cannot be read from the index of project ${project}.`,
      `DELETE /projects/${project}, then POST /clone each of its repositories again.`,
      { cause: error },
    )
  }
}

/** Opens the catalogue when it is first asked for a file, and closes it after the last, or when no more are wanted. */
function* readableFiles(cataloguePath: string, project: string, repository: string): Generator<StoredFile> {
  const files = readStoredFiles(cataloguePath, repository)
  const step = () => nextFile(files, project, repository)
  try {
    for (let next = step(); next.done !== true; next = step()) yield next.value
  } finally {
    files.return(undefined)
  }
}

export function openStore(root: string, options: StoreOptions = {}): Store {
  const { minFreeBytes = GIB, exactBelow = 5_000, embedding, now = () => new Date() } = options
  const checksums = new ChecksumMemory()
  const segments = new SegmentMemory()
  const listProjects = () => listProjectFolders(root)
  const versionOf = shareReads((project: string) => projectVersion(root, project))
  const findProject = rememberVersion(
    versionOf,
    shareReads(
      async name => (await listProjects()).find(project => project.toLowerCase() === name.toLowerCase()) ?? null,
    ),
  )

  async function newestVerified(project: string): Promise<BaseGeneration | UnreadableNewest | null> {
    return await openNewest(projectFolder(root, project), async paths => {
      const manifest = await verifiedManifest(paths, project, checksums)
      return 'unreadable' in manifest
        ? manifest
        : { manifest, paths, vectors: await wholeVectors(paths, manifest, checksums) }
    })
  }

  async function nothingPublished(project: string): Promise<FaultlineError> {
    return (await findProject(project)) === null
      ? new FaultlineError(
          'PROJECT_NOT_FOUND',
          `There is no project ${JSON.stringify(project)}.`,
          'GET /projects lists the projects; POST /clone makes one.',
        )
      : new FaultlineError(
          'INDEX_NOT_READY',
          `Project ${project} has no index yet.`,
          'Wait for its clone job: GET /jobs?type=clone.',
        )
  }

  async function openReader(project: string): Promise<GenerationReader> {
    const opened = await openNewest(projectFolder(root, project), paths =>
      openGeneration(paths, project, { exactBelow, checksums, opened: segments }),
    )
    if (opened === null) throw await nothingPublished(project)
    if ('unreadable' in opened) {
      throw new FaultlineError(
        'INDEX_INCOMPATIBLE',
        `The index of project ${project} cannot be read: ${opened.detail}.`,
        rebuildFix(project),
      )
    }
    const built = opened.manifest.embedding
    if (embedding !== undefined && !isSameEmbedder(built, embedding)) {
      await opened[Symbol.asyncDispose]()
      throw new FaultlineError(
        'INDEX_INCOMPATIBLE',
        `The index of project ${project} was built with the embedding model ${built.model}; ` +
          `queries would be made with ${embedding.model}.`,
        rebuildFix(project),
      )
    }
    return opened
  }

  async function publishedManifest(project: string): Promise<PublishedManifest | ForeignManifest | null> {
    const projectDir = projectFolder(root, project)
    const current = await readCurrent(projectDir)
    return current === null ? null : await readManifestFile(generationPaths(projectDir, current).manifest, project)
  }

  async function inspect(project: string): Promise<PublishedState> {
    const found = await newestVerified(project)
    if (found === null) return { kind: 'none' }
    if (!('unreadable' in found)) {
      return {
        kind: 'whole',
        manifest: found.manifest,
        vectorsWhole: areVectorsComplete(found.manifest, found.vectors),
      }
    }
    const unreadable = { kind: 'unreadable', why: found.unreadable, detail: found.detail } as const
    try {
      return { ...unreadable, manifest: await publishedManifest(project) }
    } catch (error) {
      if (error instanceof FaultlineError) return { ...unreadable, manifest: null }
      throw error
    }
  }

  async function publishedPaths(project: string): Promise<GenerationPaths> {
    const projectDir = projectFolder(root, project)
    return generationPaths(projectDir, (await readCurrent(projectDir)) ?? 0)
  }

  async function storedFiles(project: string, repository: string): Promise<Iterable<StoredFile>> {
    const found = await newestVerified(project)
    const { catalogue } = found !== null && 'paths' in found ? found.paths : await publishedPaths(project)
    return readableFiles(catalogue, project, repository)
  }

  async function baseOf(project: string): Promise<BaseGeneration | null> {
    const found = await newestVerified(project)
    return found === null || 'unreadable' in found ? null : found
  }

  async function begin(project: string, from: 'copy' | 'empty' | { project: string }): Promise<GenerationBuilder> {
    await mkdir(root, { recursive: true, mode: 0o700 })
    await requireFreeSpace(root, minFreeBytes)
    await reportingFullDisk(() => createProjectFolder(root, project, now()))
    const projectDir = projectFolder(root, project)
    await removeUnfinished(projectDir)
    const request = { project, projectDir, minFreeBytes, exactBelow, opened: segments, now }
    if (typeof from !== 'object') {
      return await createGenerationBuilder({ ...request, base: from === 'copy' ? await baseOf(project) : null })
    }
    try {
      return await createGenerationBuilder({ ...request, base: await baseOf(from.project) })
    } catch (error) {
      if (!isMissing(error)) throw error
      await removeUnfinished(projectDir) // the other project went on meanwhile, or went
      return await createGenerationBuilder({ ...request, base: null })
    }
  }

  async function sweep(): Promise<void> {
    await sweepProjectFolders(root)
    for (const project of await listProjects()) {
      const projectDir = projectFolder(root, project)
      await removeUnfinished(projectDir)
      const current = await readCurrent(projectDir)
      const others = (await listGenerations(projectDir)).filter(generation => generation !== current)
      if (others.length === 0) continue
      // An older one may be all that is left of a damaged index: keep what readers would open.
      const found = current === null ? null : await newestVerified(project)
      if (found !== null && 'unreadable' in found) continue
      await removeGenerations(
        projectDir,
        others.filter(generation => generation !== found?.manifest.generation),
      )
    }
  }

  return {
    listProjects,
    findProject,
    readManifest: shareReads(publishedManifest),
    openReader,
    publication: shareReads(project => readPublication(projectFolder(root, project))),
    storeBytes: project => bytesBelow(projectFolder(root, project)),
    createProject: project => reportingFullDisk(() => createProjectFolder(root, project, now())),
    readSettings: rememberVersion(
      versionOf,
      shareReads(project => readSettings(root, project)),
    ),
    writeSettings: (project, settings) => reportingFullDisk(() => writeSettings(root, project, settings)),
    deleteProject: project => deleteProjectFolder(root, project),
    sweep,
    inspect,
    storedFiles,
    begin,
  }
}
