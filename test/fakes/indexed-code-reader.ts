import type { Chunk } from '../../src/core/chunk.ts'
import { fileKeys, resolveImport } from '../../src/vecstore/catalogue/import-paths.ts'
import type { Definition, Outline } from '../../src/core/outline.ts'
import { createScopeChunker, type Chunker, type LineRange } from '../../src/indexer/chunker.ts'
import { outlineOf } from '../../src/outline/outline.ts'
import type { ChunkHit, CodeReader } from '../../src/resolver/code/code-reader.ts'
import type { IndexedFile } from '../../src/resolver/code/file-index.ts'
import { createLexicalIndex } from '../../src/vecstore/lexical/lexical-index.ts'
import { LexicalSegment } from '../../src/vecstore/lexical/lexical-segment.ts'
import { LiteralFiles } from '../../src/vecstore/lexical/literal-files.ts'
import { LexicalSegmentWriter } from '../../src/vecstore/lexical/lexical-segment-writer.ts'

/** A file as the indexer would hand it to the store. */
export interface PreparedFile {
  path: string
  oid?: string
  language: string
  text: string
  outline: Outline | null
  ranges: LineRange[]
}

export interface PreparedProject {
  repository: string
  files: PreparedFile[]
  /**
   * Lexical segments over all chunks; chunk ids count up from 0 in the order of the files, file ids are places in
   * `files`.
   */
  segments: Uint8Array[]
}

const MAX_ANSWERS = 200

/** Does with the files what the indexer does: outline, chunks, terms. */
export function prepareProject(
  files: ReadonlyArray<{ path: string; language: string; text: string; oid?: string }>,
  {
    repository,
    chunker = createScopeChunker(),
    outline = outlineOf,
  }: {
    repository: string
    chunker?: Chunker
    outline?: (text: string, language: string) => Outline | null
  },
): PreparedProject {
  const writers = [new LexicalSegmentWriter()]
  const prepared: PreparedFile[] = []
  let chunkId = 0
  for (const [fileId, file] of files.entries()) {
    const own = outline(file.text, file.language)
    const ranges = chunker.chunk(file.text, file.language, own)
    for (const { startOffset, endOffset } of ranges) {
      if (writers.at(-1)?.isFull === true) writers.push(new LexicalSegmentWriter())
      writers
        .at(-1)
        ?.add({ chunkId: chunkId++, fileId, path: file.path, text: file.text.slice(startOffset, endOffset) })
    }
    prepared.push({ ...file, outline: own, ranges })
  }
  return { repository, files: prepared, segments: writers.map(writer => writer.toBytes()) }
}

function definitionsOf({ path, outline }: PreparedFile, repository: string): Definition[] {
  const scopes = outline?.scopes ?? []
  const nameAt = (index: number) => scopes[index]?.name ?? null
  return scopes.map(({ name, kind, startLine, endLine, parent }) => ({
    name,
    kind,
    container: parent === null ? null : nameAt(parent),
    repository,
    path,
    startLine,
    endLine,
  }))
}

function add(map: Map<number, Set<number>>, key: number, value: number): void {
  const set = map.get(key) ?? new Set<number>()
  map.set(key, set.add(value))
}

/** By file, the files that it imports, and those that import it. */
function importGraph(files: readonly PreparedFile[]): {
  imported: Map<number, Set<number>>
  importers: Map<number, Set<number>>
} {
  const numbers = new Map(files.map(({ path }, i) => [path, i]))
  const byKey = new Map<string, string[]>()
  for (const { path } of files) for (const key of fileKeys(path)) byKey.set(key, [...(byKey.get(key) ?? []), path])
  const imported = new Map<number, Set<number>>()
  const importers = new Map<number, Set<number>>()
  for (const [from, { path, outline }] of files.entries()) {
    for (const one of outline?.imports ?? []) {
      for (const target of resolveImport(one, path, key => byKey.get(key) ?? [])) {
        const to = numbers.get(target) ?? -1
        add(imported, from, to)
        add(importers, to, from)
      }
    }
  }
  return { imported, importers }
}

function lazily<T>(make: () => T): () => T {
  let made: { value: T } | null = null
  return () => (made ??= { value: make() }).value
}

/**
 * A project held in memory that answers as a published generation does.
 *
 * @param vectors - Of the chunks in order; without them there is no search by vectors.
 */
export function indexedCodeReader(
  { repository, files, segments }: PreparedProject,
  { vectors = [] }: { vectors?: readonly Float32Array[] } = {},
): CodeReader {
  const list: IndexedFile[] = files.map(({ path, oid }) => ({
    repository,
    path,
    ...(oid === undefined ? {} : { oid }),
  }))
  const numbers = new Map(files.map(({ path }, i) => [path, i]))
  const numberOf = (path: string) => numbers.get(path) ?? -1
  const fileAt = (name: string, path: string): PreparedFile | undefined =>
    name === repository ? files[numberOf(path)] : undefined
  const places = files.flatMap(({ ranges }, file) => ranges.map((range, chunkIndex) => ({ file, range, chunkIndex })))
  const opened = segments.map(bytes => new LexicalSegment(bytes))
  const index = createLexicalIndex(opened, () => false)
  const literals = lazily(() => new LiteralFiles(opened, files.length, chunkId => places[chunkId]?.file ?? null))
  const definitions = Map.groupBy(
    files.flatMap(file => definitionsOf(file, repository)),
    ({ name }) => name,
  )
  const imports = lazily(() => importGraph(files))
  const hitOf = (chunkId: number, score: number): ChunkHit[] => {
    const place = places[chunkId]
    const file = place === undefined ? undefined : files[place.file]
    if (place === undefined || file === undefined) return []
    return [
      {
        repository,
        path: file.path,
        startLine: place.range.startLine,
        endLine: place.range.endLine,
        chunkIndex: place.chunkIndex,
        totalChunks: file.ranges.length,
        score,
      },
    ]
  }
  const listed = (numbers: Iterable<number> | undefined): IndexedFile[] =>
    [...(numbers ?? [])].slice(0, MAX_ANSWERS).flatMap(i => list[i] ?? [])
  return {
    manifest: {
      formatVersion: 1,
      generation: 1,
      publishedAt: '2026-11-21T00:00:00.000Z',
      embedding: { provider: 'local', model: 'fake', dimensions: 2, fitId: 'fake' },
      chunker: 'scopes-3',
      repositories: [
        {
          repository,
          url: 'https://example.com/shop.git',
          branch: 'main',
          commit: 'c'.repeat(40),
          indexedAt: '2026-11-21T00:00:00.000Z',
          filesIndexed: list.length,
          filesSkipped: {},
          include: [],
          exclude: [],
        },
      ],
      filesIndexed: list.length,
      chunksTotal: places.length,
      languages: {},
    },
    files: () => list,
    fileText: (name, path) => fileAt(name, path)?.text ?? null,
    outline: (name, path) => fileAt(name, path)?.outline ?? null,
    rowTokens: () => null,
    chunksOf(name, path): Chunk[] {
      const file = fileAt(name, path)
      return file === undefined
        ? []
        : file.ranges.map(({ startLine, endLine, startOffset, endOffset }, chunkIndex) => ({
            repository,
            path,
            chunkIndex,
            totalChunks: file.ranges.length,
            startLine,
            endLine,
            text: file.text.slice(startOffset, endOffset),
          }))
    },
    definitionsOf: name => (definitions.get(name) ?? []).slice(0, MAX_ANSWERS),
    fewDefinitionsOf(name, most) {
      const all = definitions.get(name) ?? []
      return all.length > most ? null : all
    },
    definitionNames: (atLeast, atMost) =>
      [...definitions.keys()].filter(({ length }) => length >= atLeast && length <= atMost),
    definitionsIn(name, path) {
      const file = fileAt(name, path)
      return file === undefined ? [] : definitionsOf(file, repository)
    },
    importersOf: (name, path) => (name === repository ? listed(imports().importers.get(numberOf(path))) : []),
    importsOf: (name, path) => (name === repository ? listed(imports().imported.get(numberOf(path))) : []),
    searchTerms: (query, k) => index.searchChunks(query, k).flatMap(({ chunkId, score }) => hitOf(chunkId, score)),
    searchFileTerms: (query, k) =>
      index.searchFiles(query, k).map(({ fileId, score }) => ({ repository, path: files[fileId]?.path ?? '', score })),
    filesHolding: text =>
      literals()
        .holding(text)
        ?.flatMap(file => list[file] ?? []) ?? null,
    documentFrequency: term => index.documentFrequency(term),
    searchVectors(query, k) {
      const scored = vectors.map((vector, chunkId) => ({
        chunkId,
        score: vector.reduce((sum, value, i) => sum + value * (query[i] ?? 0), 0),
      }))
      return scored
        .sort((a, b) => b.score - a.score || a.chunkId - b.chunkId)
        .slice(0, k)
        .flatMap(({ chunkId, score }) => hitOf(chunkId, Math.max(0, score)))
    },
  }
}
