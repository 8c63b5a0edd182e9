import { FaultlineError } from '../core/errors.ts'
import { isSameEmbedder, type ForeignManifest, type PublishedManifest } from '../core/project.ts'
import type { readStoredFiles, StoredFile } from './catalogue/catalogue-reader.ts'
import { ChecksumMemory } from './format/checksum-memory.ts'
import { areVectorsComplete, verifiedManifest, wholeVectors, type BaseGeneration } from './format/generation-check.ts'
import {
  generationPaths,
  listGenerations,
  projectFolder,
  readCurrent,
  removeGenerations,
  type GenerationPaths,
} from './format/layout.ts'
import { damagedManifest, readManifestFile, rebuildFix } from './format/manifest.ts'
import { openNewest, type UnreadableNewest } from './format/newest-generation.ts'
import type { GenerationReader } from './generation-reader.ts'
import type { SegmentMemory } from './lexical/segment-memory.ts'
import type { PublishedState } from './published-state.ts'
import type { StoredManifest } from './format/stored-manifest.ts'
import { isScanned } from './vectors/hnsw-library.ts'

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
function* readableFiles(
  read: typeof readStoredFiles,
  { catalogue, project, repository }: { catalogue: string; project: string; repository: string },
): Generator<StoredFile> {
  const files = read(catalogue, repository)
  const step = () => nextFile(files, project, repository)
  try {
    for (let next = step(); next.done !== true; next = step()) yield next.value
  } finally {
    files.return(undefined)
  }
}

/** Manifests of this release are read whole. */
const isStored = (manifest: PublishedManifest | ForeignManifest): manifest is StoredManifest => 'checksums' in manifest

/** The names of the repositories whose files a catalogue lists; null where it cannot be read. */
async function repositoriesIn(cataloguePath: string): Promise<string[] | null> {
  try {
    const { CatalogueReader } = await import('./catalogue/catalogue-reader.ts')
    using reader = new CatalogueReader(cataloguePath)
    return [...new Set(reader.files().map(({ record }) => record.repository))]
  } catch {
    return null
  }
}

/** How published generations are opened. */
interface PublishedOptions {
  /** Number of chunks below which vectors are searched by exact scan. */
  exactBelow: number
  /** What queries are embedded with: readers of an index built with another model are refused. */
  embedding: { provider: 'local' | 'api'; model: string } | undefined
  segments: SegmentMemory
}

/**
 * What is published of the projects below one folder. Lives as long as the process, has nothing to close; remembers the
 * checksums of files that it found whole.
 */
export class PublishedGenerations {
  readonly #root: string
  readonly #options: PublishedOptions
  readonly #checksums = new ChecksumMemory()

  constructor(root: string, options: PublishedOptions) {
    this.#root = root
    this.#options = options
  }

  /** The manifest of what is published; null when nothing is. */
  async manifest(project: string): Promise<PublishedManifest | ForeignManifest | null> {
    const projectDir = projectFolder(this.#root, project)
    for (let current = await readCurrent(projectDir); current !== null;) {
      const manifest = await readManifestFile(generationPaths(projectDir, current).manifest, project)
      if (manifest !== null) return manifest
      const now = await readCurrent(projectDir)
      if (now === current) throw damagedManifest(project, 'is missing')
      current = now // another one was published meanwhile
    }
    return null
  }

  /** How the vectors of what is published are searched on this machine; null while there are none. */
  searchOf(manifest: PublishedManifest | ForeignManifest | null): 'hnsw' | 'exact' | null {
    if (manifest === null || !isStored(manifest) || manifest.embedding.dimensions === 0) return null
    const { checksums, chunksTotal } = manifest
    return checksums.hnsw === null || isScanned(chunksTotal, this.#options.exactBelow) ? 'exact' : 'hnsw'
  }

  /** The newest generation that can be read, as `Store.openReader` gives it; null when nothing is published. */
  async open(project: string): Promise<GenerationReader | null> {
    const { exactBelow, segments, embedding } = this.#options
    const { openGeneration } = await import('./generation-reader.ts') // not every thread reads
    const opened = await openNewest(projectFolder(this.#root, project), paths =>
      openGeneration(paths, project, { exactBelow, checksums: this.#checksums, opened: segments }),
    )
    if (opened === null) return null
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

  /** What is published, as the next build finds it. */
  async inspect(project: string): Promise<PublishedState> {
    const found = await this.#newestVerified(project)
    if (found === null) return { kind: 'none' }
    if (!('unreadable' in found)) {
      return {
        kind: 'whole',
        manifest: found.manifest,
        vectorsWhole: areVectorsComplete(found.manifest, found.vectors, this.#options.exactBelow),
      }
    }
    const unreadable = { kind: 'unreadable', why: found.unreadable, detail: found.detail } as const
    try {
      const manifest = await this.manifest(project)
      const repositories = manifest?.repositories.map(({ repository }) => repository) ?? null
      return { ...unreadable, manifest, repositories }
    } catch (error) {
      if (!(error instanceof FaultlineError)) throw error
      const { catalogue } = await this.#currentPaths(project)
      return { ...unreadable, manifest: null, repositories: await repositoriesIn(catalogue) }
    }
  }

  /** The texts of a repository as they were indexed, also where the rest of the index cannot be read. */
  async storedFiles(project: string, repository: string): Promise<Iterable<StoredFile>> {
    const found = await this.#newestVerified(project)
    const { catalogue } = found !== null && 'paths' in found ? found.paths : await this.#currentPaths(project)
    const { readStoredFiles } = await import('./catalogue/catalogue-reader.ts')
    return readableFiles(readStoredFiles, { catalogue, project, repository })
  }

  /** What a build can start from; null where nothing whole is published. */
  async base(project: string): Promise<BaseGeneration | null> {
    const found = await this.#newestVerified(project)
    return found === null || 'unreadable' in found ? null : found
  }

  /** Removes generations that nothing needs any more: not what readers would open in place of a damaged one. */
  async removeOld(project: string): Promise<void> {
    const projectDir = projectFolder(this.#root, project)
    const current = await readCurrent(projectDir)
    const others = (await listGenerations(projectDir)).filter(generation => generation !== current)
    if (others.length === 0) return
    const found = current === null ? null : await this.#newestVerified(project)
    if (found !== null && 'unreadable' in found) return // an older one may be all that is left
    await removeGenerations(
      projectDir,
      others.filter(generation => generation !== found?.manifest.generation),
    )
  }

  async #newestVerified(project: string): Promise<BaseGeneration | UnreadableNewest | null> {
    return await openNewest(projectFolder(this.#root, project), async paths => {
      const manifest = await verifiedManifest(paths, project, this.#checksums)
      if ('unreadable' in manifest) return manifest
      return { manifest, paths, vectors: await wholeVectors(paths, manifest, this.#checksums) }
    })
  }

  async #currentPaths(project: string): Promise<GenerationPaths> {
    const projectDir = projectFolder(this.#root, project)
    return generationPaths(projectDir, (await readCurrent(projectDir)) ?? 0)
  }
}
