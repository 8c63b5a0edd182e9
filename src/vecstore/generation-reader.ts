import { readFile } from 'node:fs/promises'
import type { Chunk } from '../core/chunk.ts'
import { FaultlineError } from '../core/errors.ts'
import { containerOf, type Definition, type Outline } from '../core/outline.ts'
import type { PublishedManifest } from '../core/project.ts'
import { CatalogueReader, type FileRecord, type IndexedFileRow } from './catalogue/catalogue-reader.ts'
import { ChunkLineTable } from './catalogue/chunk-line-table.ts'
import { ChunkPlaces } from './catalogue/chunk-places.ts'
import { FileContents } from './catalogue/file-contents.ts'
import { verifiedManifest, wholeVectors, type Unreadable } from './format/generation-check.ts'
import { ImportGraph } from './catalogue/import-graph.ts'
import type { GenerationPaths } from './format/layout.ts'
import { createLexicalIndex, type LexicalIndex, type TermQuery } from './lexical/lexical-index.ts'
import type { LexicalSegment } from './lexical/lexical-segment.ts'
import { LiteralFiles } from './lexical/literal-files.ts'
import { rebuildFix } from './format/manifest.ts'
import type { StoredManifest } from './format/stored-manifest.ts'
import type { ChecksumMemory } from './format/checksum-memory.ts'
import type { SegmentMemory } from './lexical/segment-memory.ts'
import { openVectors, type VectorSearch } from './vectors/vector-search.ts'
import { similarityScore, unitVector } from './vectors/vector-math.ts'

/** A chunk that was found; a `score` of vectors is a similarity in [0, 1], higher is nearer. */
export interface FoundChunk extends Omit<Chunk, 'text'> {
  score: number
}

/** A file that a search found, with its score. */
export interface FoundFile {
  repository: string
  path: string
  score: number
}

/**
 * One published generation, pinned: it stays readable after a newer one was published and its own folder removed. All
 * methods are synchronous and block the thread for what they say; a resolve worker is the place for them. They may be
 * taken off the reader and passed on.
 */
export interface GenerationReader extends AsyncDisposable {
  readonly manifest: PublishedManifest
  /**
   * How similar vectors are found: by `exact` scan in a small project and while there is nothing else, by `hnsw` above,
   * and by `repairing` scan (exact, some milliseconds a query) where the HNSW file is damaged, until the first search
   * has had the graph built again in memory; indexing again writes a whole file. `none` while there are no vectors.
   */
  readonly vectorSearch: VectorSearch['kind']
  /**
   * What the space of the vectors was learned as, to embed queries with; null when it needs nothing of the kind or
   * there are no vectors.
   */
  readonly fit: Uint8Array | null
  /** By repository and path; the same array for every call. */
  readonly files: () => readonly FileRecord[]
  /** The file's text as it was indexed, line ends as `\n`; null when there is no such file. */
  readonly fileText: (repository: string, path: string) => string | null
  /** What the file defines and imports; null for a language without a scanner and for a file that is not there. */
  readonly outline: (repository: string, path: string) => Outline | null
  /** What the indexer counted of its lines; null when it did not, and for a file that is not there. */
  readonly rowTokens: (repository: string, path: string) => Uint8Array | null
  /** The chunks of a file in order; none when there is no such file or it is empty. */
  readonly chunksOf: (repository: string, path: string) => Chunk[]
  /** All definitions with exactly this name, at most 200; by repository, path and line. */
  readonly definitionsOf: (name: string) => readonly Definition[]
  /** As `definitionsOf`; null where there are more than `most`, which is found out without reading them. */
  readonly fewDefinitionsOf: (name: string, most: number) => readonly Definition[] | null
  /** The names of definitions that have so many characters: some 10 ms for 100,000. */
  readonly definitionNames: (atLeast: number, atMost: number) => string[]
  /** In the order of their lines. */
  readonly definitionsIn: (repository: string, path: string) => Definition[]
  /** Files of the same repository whose imports mean this one, at most 200: see `resolveImport`. */
  readonly importersOf: (repository: string, path: string) => FileRecord[]
  /** Files of the same repository that this one imports, at most 200. */
  readonly importsOf: (repository: string, path: string) => FileRecord[]
  /** BM25 over chunks: see `LexicalIndex`. */
  readonly searchTerms: (query: TermQuery, k: number) => FoundChunk[]
  /** BM25 over files. */
  readonly searchFileTerms: (query: TermQuery, k: number) => FoundFile[]
  /** Chunks that hold the term. */
  readonly documentFrequency: (term: string) => number
  /**
   * @param query - From the embedder the index was built with; need not be normalised.
   * @param k - Hits wanted, at least 1. Fewer come back when the index holds fewer, none while there are no vectors.
   * @returns Nearest first; `score` is the cosine similarity, clamped to [0, 1].
   * @throws {FaultlineError} INDEX_INCOMPATIBLE when the query has another number of dimensions.
   */
  readonly searchVectors: (query: Float32Array, k: number) => FoundChunk[]
  /**
   * Files that may hold a text as it is, by repository and path: all that do and some more. Null when it has no
   * identifier to go by.
   */
  readonly filesHolding: (text: string) => FileRecord[] | null
}

interface OpenOptions {
  /** Number of chunks below which vectors are searched by exact scan. */
  exactBelow: number
  checksums: ChecksumMemory
  opened: SegmentMemory
}

const atLeastOne = (k: number): number => Math.max(1, Math.trunc(k))

class Generation implements GenerationReader {
  readonly #parts: GenerationParts
  readonly #rows: readonly IndexedFileRow[]
  readonly #records: readonly FileRecord[]
  /** Position in the list of files, by repository and path. */
  readonly #byPath = new Map<string, Map<string, number>>()
  readonly #byId = new Map<number, number>()
  readonly #contents: FileContents
  readonly #imports: ImportGraph
  readonly #chunkLines: ChunkLineTable
  /** Made when a text is first looked for. */
  #literals: LiteralFiles | null = null

  constructor(parts: GenerationParts) {
    this.#parts = parts
    this.#rows = parts.catalogue.files()
    this.#contents = new FileContents(parts.catalogue)
    this.#imports = new ImportGraph(this.#rows, parts.catalogue, this.#contents)
    this.#chunkLines = new ChunkLineTable(this.#rows, file => parts.catalogue.chunkLines(this.#rows[file]?.blob ?? 0))
    this.#records = this.#rows.map(({ record }) => record)
    for (const [
      i,
      {
        id,
        record: { repository, path },
      },
    ] of this.#rows.entries()) {
      this.#byId.set(id, i)
      const paths = this.#byPath.get(repository) ?? new Map<string, number>()
      this.#byPath.set(repository, paths.set(path, i))
    }
  }

  get manifest(): PublishedManifest {
    return this.#parts.manifest
  }
  get vectorSearch(): VectorSearch['kind'] {
    return this.#parts.vectors.kind
  }
  get fit(): Uint8Array | null {
    return this.#parts.fit
  }

  readonly files = (): readonly FileRecord[] => this.#records

  readonly fileText = (repository: string, path: string): string | null => {
    const row = this.#row(repository, path)
    return row === null ? null : this.#contents.text(row.blob)
  }

  readonly outline = (repository: string, path: string): Outline | null => {
    const row = this.#row(repository, path)
    return row === null ? null : this.#contents.outline(row.blob)
  }

  readonly rowTokens = (repository: string, path: string): Uint8Array | null => {
    const row = this.#row(repository, path)
    return row === null ? null : this.#parts.catalogue.rowTokens(row.blob)
  }

  readonly chunksOf = (repository: string, path: string): Chunk[] => {
    const row = this.#row(repository, path)
    return row === null ? [] : Array.from({ length: row.chunks }, (_, i) => this.#chunk(row, i))
  }

  readonly definitionsOf = (name: string): readonly Definition[] => {
    return this.#contents.definitionsOf(name)
  }

  readonly fewDefinitionsOf = (name: string, most: number): readonly Definition[] | null => {
    return this.#contents.fewDefinitionsOf(name, most)
  }

  readonly definitionNames = (atLeast: number, atMost: number): string[] =>
    this.#parts.catalogue.definitionNames(atLeast, atMost)

  readonly definitionsIn = (repository: string, path: string): Definition[] => {
    const outline = this.outline(repository, path)
    if (outline === null) return []
    return outline.scopes.map(({ name, kind, startLine, endLine, parent }) => ({
      name,
      kind,
      container: containerOf(outline, { parent }),
      repository,
      path,
      startLine,
      endLine,
    }))
  }

  readonly importsOf = (repository: string, path: string): FileRecord[] => {
    const row = this.#row(repository, path)
    return row === null
      ? []
      : this.#imports.importedBy(row).flatMap(target => this.#row(repository, target)?.record ?? [])
  }

  readonly importersOf = (repository: string, path: string): FileRecord[] => this.#imports.importersOf(repository, path)

  readonly searchTerms = (query: TermQuery, k: number): FoundChunk[] => {
    return this.#found(this.#parts.text.searchChunks(query, atLeastOne(k)))
  }

  readonly searchFileTerms = (query: TermQuery, k: number): FoundFile[] => {
    return this.#parts.text.searchFiles(query, atLeastOne(k)).flatMap(({ fileId, score }) => {
      const record = this.#records[this.#byId.get(fileId) ?? -1]
      return record === undefined ? [] : [{ repository: record.repository, path: record.path, score }]
    })
  }

  readonly documentFrequency = (term: string): number => this.#parts.text.documentFrequency(term)

  readonly filesHolding = (text: string): FileRecord[] | null => {
    const { segments, places } = this.#parts
    this.#literals ??= new LiteralFiles(segments, this.#records.length, chunkId => places.find(chunkId)?.file ?? null)
    return this.#literals.holding(text)?.flatMap(file => this.#records[file] ?? []) ?? null
  }

  readonly searchVectors = (query: Float32Array, k: number): FoundChunk[] => {
    const {
      vectors,
      manifest: {
        embedding: { dimensions, model },
      },
      project,
    } = this.#parts
    if (vectors.kind === 'none') return []
    if (query.length !== dimensions) {
      throw new FaultlineError(
        'INDEX_INCOMPATIBLE',
        `The index of project ${project} holds vectors of ${dimensions} dimensions (${model}), ` +
          `the query has ${query.length}.`,
        rebuildFix(project),
      )
    }
    const neighbours = vectors.search(unitVector(query), atLeastOne(k))
    return this.#found(
      neighbours.map(({ id, innerProduct }) => ({ chunkId: id, score: similarityScore(innerProduct) })),
    )
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#contents[Symbol.dispose]()
    this.#parts.open.dispose()
  }

  #row(repository: string, path: string): IndexedFileRow | null {
    const position = this.#byPath.get(repository)?.get(path)
    if (position === undefined) return null
    return this.#rows[position] ?? null
  }

  #chunk({ record: { repository, path }, blob, chunks }: IndexedFileRow, chunkIndex: number): Chunk {
    const {
      startLine = 1,
      endLine = 1,
      startOffset = 0,
      endOffset = 0,
    } = this.#contents.chunkLines(blob)[chunkIndex] ?? {}
    return {
      repository,
      path,
      chunkIndex,
      totalChunks: chunks,
      startLine,
      endLine,
      text: this.#contents.text(blob).slice(startOffset, endOffset),
    }
  }

  #found(matches: ReadonlyArray<{ chunkId: number; score: number }>): FoundChunk[] {
    const found: FoundChunk[] = []
    for (const { chunkId, score } of matches) {
      const file = this.#parts.places.fileOf(chunkId)
      const row = this.#rows[file]
      if (row === undefined) continue
      const {
        record: { repository, path },
        chunks: totalChunks,
      } = row
      const chunkIndex = chunkId - row.firstChunk
      const startLine = this.#chunkLines.firstLine(file, chunkIndex)
      const endLine = this.#chunkLines.lastLine(file, chunkIndex)
      found.push({ repository, path, startLine, endLine, chunkIndex, totalChunks, score })
    }
    return found
  }
}

/**
 * Opens a generation after comparing its files with the manifest's checksums (about 1 ms a megabyte for those not seen
 * before). Throws for a missing file.
 */
export async function openGeneration(
  paths: GenerationPaths,
  project: string,
  { exactBelow, checksums, opened }: OpenOptions,
): Promise<GenerationReader | Unreadable> {
  const manifest = await verifiedManifest(paths, project, checksums)
  if ('unreadable' in manifest) return manifest
  using parts = new DisposableStack()
  const catalogue = parts.use(new CatalogueReader(paths.catalogue))
  const files = catalogue.files()
  if (files.reduce((sum, { chunks }) => sum + chunks, 0) !== manifest.chunksTotal) {
    return { unreadable: 'damaged', detail: 'its catalogue holds another number of chunks than its manifest says' }
  }
  const segments = manifest.segments.map(segment => opened.open(paths, segment))
  const places = new ChunkPlaces(files)
  const whole = await wholeVectors(paths, manifest, checksums)
  const vectors = parts.use(openVectors(paths, manifest, { whole, exactBelow, isLive: id => places.has(id) }))
  const fit = manifest.checksums.fit !== null && whole.fit && vectors.kind !== 'none' ? await readFile(paths.fit) : null
  return new Generation({
    project,
    manifest,
    catalogue,
    places,
    segments,
    text: createLexicalIndex(segments, id => !places.has(id)),
    vectors,
    fit,
    open: parts.move(),
  })
}

interface GenerationParts {
  project: string
  manifest: StoredManifest
  catalogue: CatalogueReader
  places: ChunkPlaces
  segments: readonly LexicalSegment[]
  text: LexicalIndex
  vectors: VectorSearch
  fit: Uint8Array | null
  open: DisposableStack
}
