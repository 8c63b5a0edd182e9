// Indexes a commit of a bare clone in memory with the real parts, for evaluations. The slow half is kept in a folder
// between runs.
import { decodeSource } from '../../src/core/source-text.ts'
import { createLocalEmbedder } from '../../src/embedding/local-embedder.ts'
import { LSA } from '../../src/embedding/lsa/lsa.ts'
import { joined } from '../../src/indexer/embed-chunks.ts'
import { readCandidate, selectFiles } from '../../src/indexer/filter.ts'
import { readChanges, type ChangeHistory } from '../../src/repos/history/changes.ts'
import { listTree, readBlobs, type TreeEntry } from '../../src/repos/objects/objects.ts'
import type { ChunkHit, CodeReader } from '../../src/resolver/code/code-reader.ts'
import type { EmbedQuery } from '../../src/resolver/ranking/rankers/dense.ts'
import type { Histories } from '../../src/resolver/ranking/rankers/history.ts'
import { isOutputFile, type OutputReader } from '../../src/resolver/mapping/outputs.ts'
import { LexicalSegment } from '../../src/vecstore/lexical/lexical-segment.ts'
import {
  indexedCodeReader,
  prepareProject,
  type PreparedFile,
  type PreparedProject,
} from '../../test/fakes/indexed-code-reader.ts'
import { remembered } from './cache.ts'
import { seedOf, type Seed } from './seed.ts'
import { nearest, type VectorRows } from './vector-rows.ts'

/** A file to index. */
export interface SourceFile {
  path: string
  language: string
  text: string
  oid?: string
}

/** An indexed project, for our rankers and for others. */
export interface EvalProject {
  reader: CodeReader
  embedQuery: EmbedQuery
  files: readonly SourceFile[]
  /** Compiled files and source maps of the commit, for traces that name them. */
  outputs: OutputReader
  /** The history up to the commit, as far back as a server fetches it. */
  pasts: Histories
  /** The same files, indexed like the baseline does. */
  seed: Seed
}

/** The index of a project. `values` are the vectors of the chunks, in order. */
interface Index extends PreparedProject, VectorRows {
  fit: Uint8Array | null
}
/** What is kept of an index between runs; texts stay in the clone. */
type Stored = Omit<Index, 'files'> & { files: Array<Omit<PreparedFile, 'text'>> }

const REPOSITORY = 'evaluated'
const YEAR_S = 365 * 86_400
const DEPTHS = [50, 250, 1_000]
const hash = createLocalEmbedder()

async function indexOf(files: readonly SourceFile[]): Promise<Index> {
  const prepared = prepareProject(files, { repository: REPOSITORY })
  const documents = prepared.segments.map(bytes => new LexicalSegment(bytes).chunkRows())
  const chunks = documents.reduce((sum, { documentCount }) => sum + documentCount, 0)
  const fit = LSA.isWorthFitting(chunks) ? LSA.fitLsa(documents) : null
  if (fit !== null) {
    return {
      ...prepared,
      fit: LSA.serializeFit(fit),
      dimensions: fit.dimensions,
      values: joined(documents.map(part => LSA.foldDocuments(fit, part).vectors)),
    }
  }
  const texts = prepared.files.flatMap(({ path, text, ranges }) =>
    ranges.map(({ startOffset, endOffset }) => `${path}\n${text.slice(startOffset, endOffset)}`),
  )
  const { vectors } = await hash.embed(texts)
  return { ...prepared, fit: null, dimensions: vectors[0]?.length ?? 0, values: joined(vectors) }
}

function opened(index: Index, others: Pick<EvalProject, 'seed' | 'outputs' | 'pasts'>): EvalProject {
  const learned = index.fit === null ? null : LSA.createEmbedder(LSA.openFit(index.fit))
  const reader = indexedCodeReader(index)
  const places = index.files.flatMap(({ path, ranges }) =>
    ranges.map(({ startLine, endLine }, chunkIndex): Omit<ChunkHit, 'score'> => ({
      repository: REPOSITORY,
      path,
      startLine,
      endLine,
      chunkIndex,
      totalChunks: ranges.length,
    })),
  )
  return {
    files: index.files,
    ...others,
    async embedQuery(text) {
      if (learned !== null) return learned.embedQuery(text)
      const { vectors } = await hash.embed([text])
      return vectors[0] ?? null
    },
    reader: {
      ...reader,
      searchVectors: (query, k) =>
        nearest(index, query, k).flatMap(({ row, score }) =>
          places[row] === undefined ? [] : [{ ...places[row], score: Math.max(0, score) }],
        ),
    },
  }
}

/** Indexes files in memory: outlines, chunks, words, vectors. */
export async function projectOf(files: readonly SourceFile[]): Promise<EvalProject> {
  return opened(await indexOf(files), {
    seed: await seedOf(files),
    outputs: { list: async () => [], read: async () => null },
    pasts: new Map(),
  })
}

const everything = (): boolean => true

async function sourcesOf(
  gitDir: string,
  tracked: readonly TreeEntry[],
  isWanted: (path: string) => boolean,
): Promise<SourceFile[]> {
  const candidates = selectFiles(tracked, { include: [], exclude: [] }).candidates.filter(({ path }) => isWanted(path))
  const sources: SourceFile[] = []
  let next = 0
  for await (const { bytes } of readBlobs(
    gitDir,
    candidates.map(({ oid }) => oid),
  )) {
    const { path = '', oid, language = null } = candidates[next++] ?? {}
    const read = readCandidate(bytes, language)
    if (typeof read !== 'string') sources.push({ path, oid, ...read })
  }
  return sources
}

async function textsOf(gitDir: string, oids: readonly string[]): Promise<string[]> {
  const texts: string[] = []
  for await (const { bytes } of readBlobs(gitDir, oids)) texts.push(decodeSource(bytes) ?? '')
  return texts
}

/** The history that a server's clone would have at least: it deepens in steps until it has a year. */
async function pastsOf(gitDir: string, commit: string): Promise<Histories> {
  const { paths, commits } = await readChanges(gitDir, commit, {
    signal: new AbortController().signal,
    cutOff: new Set(),
  })
  const aYearBefore = (commits[0]?.date ?? 0) - YEAR_S
  const depth = DEPTHS.find(count => (commits[count - 1]?.date ?? 0) < aYearBefore)
  return new Map([
    [REPOSITORY, { changes: { paths, commits: commits.slice(0, depth) } satisfies ChangeHistory, until: Infinity }],
  ])
}

function outputsOf(gitDir: string, entries: ReadonlyMap<string, TreeEntry>): OutputReader {
  const listed = [...entries.values()]
    .filter(({ path, type, mode, size }) => type === 'blob' && mode.startsWith('100') && isOutputFile(path, size))
    .map(({ path, oid }) => ({ repository: REPOSITORY, path, oid }))
  return {
    list: async () => listed,
    async read(_, path) {
      const oid = entries.get(path)?.oid
      const [text = null] = oid === undefined ? [] : await textsOf(gitDir, [oid])
      return text
    },
  }
}

/**
 * Indexes a commit of a bare clone as a project.
 *
 * @param cache - The folder in which indexes are kept.
 * @param isWanted - Whether to index a path. The name of the function is a part of the key in the cache.
 */
export async function openCommit(
  gitDir: string,
  commit: string,
  { cache, isWanted = everything }: { cache: string; isWanted?: (path: string) => boolean },
): Promise<EvalProject> {
  const entries = new Map<string, TreeEntry>()
  for await (const entry of listTree(gitDir, commit)) entries.set(entry.path, entry)
  const key = `${commit} ${isWanted.name}`
  const stored = await remembered(cache, key, async (): Promise<Stored> => {
    const index = await indexOf(await sourcesOf(gitDir, [...entries.values()], isWanted))
    return { ...index, files: index.files.map(({ text: _, ...file }) => file) }
  })
  const texts = await textsOf(
    gitDir,
    stored.files.map(({ oid }) => oid ?? ''),
  )
  const files = stored.files.map((file, i) => ({ ...file, text: texts[i] ?? '' }))
  const seed = await remembered(cache, `${key} seed`, () => seedOf(files))
  // Typed arrays need aligned bytes, and what was deserialized may begin anywhere, so it is copied.
  return opened(
    {
      ...stored,
      files,
      segments: stored.segments.map(bytes => new Uint8Array(bytes)),
      fit: stored.fit === null ? null : new Uint8Array(stored.fit),
    },
    { seed, outputs: outputsOf(gitDir, entries), pasts: await pastsOf(gitDir, commit) },
  )
}
