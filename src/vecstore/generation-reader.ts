import type { Chunk, Hit } from '../core/chunk.ts'
import { FaultlineError } from '../core/errors.ts'
import type { Manifest } from '../core/project.ts'
import { CatalogueReader, type FileRecord } from './catalogue-reader.ts'
import { sealOf } from './disk.ts'
import { isMissing, type GenerationPaths } from './layout.ts'
import { FORMAT_VERSION, readManifestFile, rebuildFix, type StoredManifest } from './manifest.ts'
import { similarityScore, unitVector } from './vector-math.ts'
import { VectorIndex, type Neighbour } from './vector-index.ts'
import { VectorTable } from './vector-table.ts'

/**
 * One published generation, pinned: it stays readable after a newer one was published and its own folder removed. All methods are synchronous and
 * block the thread for what they say; a resolve worker is the place for them.
 */
export interface GenerationReader extends AsyncDisposable {
  readonly manifest: Manifest
  /**
   * How similar vectors are found: by `exact` scan in a small project, by `hnsw` above, and by `repairing` scan (exact, some ten
   * milliseconds a query) while the HNSW file is damaged; indexing again writes a whole one.
   */
  readonly vectorSearch: 'exact' | 'hnsw' | 'repairing'
  /** All indexed files by repository and path; read once. */
  files (): readonly FileRecord[]
  /** The file's text as it was indexed, line ends as `\n`; null when there is no such file. */
  fileText (repository: string, path: string): string | null
  /** The chunks of a file in order; none when there is no such file or it is empty. */
  chunksOf (repository: string, path: string): Chunk[]
  /**
   * @param query - From the embedder the index was built with; need not be normalised.
   * @param k - Hits wanted, at least 1. Fewer come back when the index holds fewer.
   * @returns Nearest first; `score` is the cosine similarity, clamped to [0, 1].
   * @throws {FaultlineError} INDEX_INCOMPATIBLE when the query has another number of dimensions.
   */
  searchVectors (query: Float32Array, k: number): Hit[]
  /** Full text over words, identifiers and paths; any text is a safe query. `score` orders one answer, it is no similarity. */
  searchText (query: string, k: number): Hit[]
}

/** Why a generation cannot be read: it went while it was being opened, it is damaged, or its format is another one. */
export type Unreadable = { unreadable: 'gone' | 'damaged' | 'format', detail: string }

/**
 * Opens a generation after comparing its files with the manifest's checksums (about 1 ms a megabyte).
 * @param exactBelow - Number of chunks below which vectors are searched by exact scan.
 */
export async function openGeneration (paths: GenerationPaths, project: string, exactBelow: number): Promise<GenerationReader | Unreadable> {
  const manifest = await verifiedManifest(paths, project)
  if ('unreadable' in manifest) return manifest
  let catalogue: CatalogueReader
  try {
    catalogue = new CatalogueReader(paths.catalogue)
  } catch (error) {
    if (isMissingDatabase(error)) return { unreadable: 'gone', detail: 'its catalogue is missing' }
    throw error
  }
  try {
    if (catalogue.countChunks() !== manifest.chunksTotal) {
      catalogue[Symbol.dispose]()
      return { unreadable: 'damaged', detail: 'its catalogue holds another number of chunks than its manifest says' }
    }
    const index = manifest.chunksTotal < exactBelow ? 'exact' : await readVectorIndex(paths, manifest)
    return new Generation(project, manifest, catalogue, index)
  } catch (error) {
    catalogue[Symbol.dispose]()
    throw error
  }
}

/** The manifest of a generation that this release can read and whose catalogue matches its checksum. */
export async function verifiedManifest (paths: GenerationPaths, project: string): Promise<StoredManifest | Unreadable> {
  const manifest = await wholeManifest(paths, project)
  if ('unreadable' in manifest) return manifest
  try {
    const { sha256 } = await sealOf(paths.catalogue)
    return sha256 === manifest.seals.catalogue.sha256 ? manifest : { unreadable: 'damaged', detail: 'its catalogue does not match its checksum' }
  } catch (error) {
    if (isMissing(error)) return { unreadable: 'gone', detail: 'its catalogue is missing' }
    throw error
  }
}

export async function wholeManifest (paths: GenerationPaths, project: string): Promise<StoredManifest | Unreadable> {
  try {
    const manifest = await readManifestFile(paths.manifest, project)
    if (manifest === null) return { unreadable: 'gone', detail: 'its manifest is missing' }
    if (manifest.formatVersion !== FORMAT_VERSION) return { unreadable: 'format', detail: `its format is ${manifest.formatVersion}, this release reads ${FORMAT_VERSION}` }
    return manifest
  } catch (error) {
    if (error instanceof FaultlineError) return { unreadable: 'damaged', detail: 'its manifest is damaged' }
    throw error
  }
}

/** The HNSW index, or null on any doubt about its file: it only repeats what the catalogue holds. */
export async function readVectorIndex (paths: GenerationPaths, manifest: StoredManifest): Promise<VectorIndex | null> {
  return await isVectorFileWhole(paths, manifest) ? VectorIndex.read(paths.vectors, manifest.seals.vectors) : null
}

export async function isVectorFileWhole (paths: GenerationPaths, { seals: { vectors }, chunksTotal }: StoredManifest): Promise<boolean> {
  try {
    return (await sealOf(paths.vectors)).sha256 === vectors.sha256 && vectors.live === chunksTotal
  } catch (error) {
    if (isMissing(error)) return false
    throw error
  }
}

class Generation implements GenerationReader {
  readonly manifest: Manifest
  readonly #project: string
  readonly #catalogue: CatalogueReader
  readonly #index: VectorIndex | null
  readonly vectorSearch: 'exact' | 'hnsw' | 'repairing'
  #table: VectorTable | null = null
  #isOpen = true

  constructor (project: string, manifest: Manifest, catalogue: CatalogueReader, index: VectorIndex | 'exact' | null) {
    this.#project = project
    this.manifest = manifest
    this.#catalogue = catalogue
    this.#index = index === 'exact' ? null : index
    this.vectorSearch = index === 'exact' ? 'exact' : index === null ? 'repairing' : 'hnsw'
  }

  files (): readonly FileRecord[] { return this.#catalogue.files() }
  fileText (repository: string, path: string): string | null { return this.#catalogue.fileText(repository, path) }
  chunksOf (repository: string, path: string): Chunk[] { return this.#catalogue.chunksOf(repository, path) }

  searchVectors (query: Float32Array, k: number): Hit[] {
    const { dimensions, model } = this.manifest.embedding
    if (query.length !== dimensions) {
      throw new FaultlineError('INDEX_INCOMPATIBLE', `The index of project ${this.#project} holds vectors of ${dimensions} dimensions (${model}), the query has ${query.length}.`, rebuildFix(this.#project))
    }
    const neighbours = this.#nearest(unitVector(query), Math.max(1, Math.trunc(k)))
    return this.#hits(neighbours.map(({ id, innerProduct }) => ({ id, score: similarityScore(innerProduct) })))
  }

  searchText (query: string, k: number): Hit[] {
    return this.#hits(this.#catalogue.searchText(query, Math.max(1, Math.trunc(k))))
  }

  async [Symbol.asyncDispose] (): Promise<void> {
    if (!this.#isOpen) return
    this.#isOpen = false
    this.#catalogue[Symbol.dispose]()
  }

  #nearest (query: Float32Array, k: number): Neighbour[] {
    const found = this.#index?.search(query, k)
    // Now and then a point of an HNSW graph cannot be reached; seen when nearly all are asked for, among many that are nearly equal.
    if (found !== undefined && found.length >= Math.min(k, this.manifest.chunksTotal)) return found
    this.#table ??= this.#readTable()
    return this.#table.search(query, k)
  }

  #readTable (): VectorTable {
    const table = new VectorTable(this.manifest.embedding.dimensions, this.manifest.chunksTotal)
    for (const { id, vector } of this.#catalogue.vectors()) table.add(id, vector)
    return table
  }

  #hits (found: Array<{ id: number, score: number }>): Hit[] {
    const chunks = this.#catalogue.chunks(found.map(({ id }) => id))
    return found.flatMap(({ id, score }) => {
      const chunk = chunks.get(id)
      return chunk === undefined ? [] : [{ chunk, score }]
    })
  }
}

/** SQLite's "unable to open database file", which is all it says of a missing one. */
function isMissingDatabase (error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === 14
}
