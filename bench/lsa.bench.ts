// The learned embedder against hashed words: finds the files that a commit changes by the commit's message, in the same
// run over the same chunks.
// usage: node bench/lsa.bench.ts [--chunks N] [--iterations N] [--dimensions N] [--sample N] [--windows]
// REPOSITORY.git...
// --windows: windows of 60 lines that share 10 in place of chunks along definitions.
// --chunks: index only files of about so many chunks (those wanted among them), to see from which size on a fit is
// worth its while.
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { decodeSource } from '../src/core/source-text.ts'
import { createLocalEmbedder } from '../src/embedding/local-embedder.ts'
import { createLsaEmbedder } from '../src/embedding/lsa/lsa-embedder.ts'
import { openFit, serializeFit } from '../src/embedding/lsa/lsa-file.ts'
import { fitLsa } from '../src/embedding/lsa/lsa-fit.ts'
import { foldDocuments } from '../src/embedding/lsa/lsa-fold.ts'
import { seededBits } from '../src/embedding/lsa/seeded-random.ts'
import { createScopeChunker } from '../src/indexer/chunker.ts'
import { languageOf } from '../src/indexer/languages.ts'
import { listTree, readBlobs } from '../src/repos/objects/objects.ts'
import { LexicalSegmentWriter } from '../src/vecstore/lexical/lexical-segment-writer.ts'
import { LexicalSegment } from '../src/vecstore/lexical/lexical-segment.ts'
import { isSourcePath, isTestPath, meanScore, sampleCommits, scoreRanking, type CommitQuery } from './eval/commits.ts'

const WINDOW_LINES = 60
const OVERLAP_LINES = 10
const MAX_FILE_BYTES = 1_048_576

const NOTHING = new Float32Array(0)

interface Piece {
  path: string
  text: string
}

const { values: options, positionals } = parseArgs({
  options: {
    chunks: { type: 'string' },
    iterations: { type: 'string' },
    dimensions: { type: 'string' },
    sample: { type: 'string' },
    windows: { type: 'boolean' },
  },
  allowPositionals: true,
})
if (positionals.length === 0) {
  console.error(
    'usage: node bench/lsa.bench.ts [--chunks N] [--iterations N] [--dimensions N] [--sample N] [--windows] ' +
      'REPOSITORY.git...',
  )
  process.exit(2)
}

const chunker = createScopeChunker()

function scopes(text: string, path: string): string[] {
  return chunker
    .chunk(text, languageOf(path) ?? '')
    .map(({ startOffset, endOffset }) => text.slice(startOffset, endOffset))
}

function windows(text: string): string[] {
  const lines = text.split('\n')
  const parts: string[] = []
  for (let first = 0; first < lines.length; first += WINDOW_LINES - OVERLAP_LINES) {
    parts.push(lines.slice(first, first + WINDOW_LINES).join('\n'))
    if (first + WINDOW_LINES >= lines.length) break
  }
  return parts
}

async function piecesAt(gitDir: string, commit: string): Promise<Piece[]> {
  const entries: Array<{ path: string; oid: string }> = []
  for await (const { path, oid, size, mode } of listTree(gitDir, commit)) {
    if (mode.startsWith('100') && isSourcePath(path) && (size ?? 0) <= MAX_FILE_BYTES) entries.push({ path, oid })
  }
  const pieces: Piece[] = []
  let next = 0
  for await (const { bytes } of readBlobs(
    gitDir,
    entries.map(({ oid }) => oid),
  )) {
    const path = entries[next++]?.path ?? ''
    const text = decodeSource(bytes)
    if (typeof text === 'string') {
      for (const part of options.windows === true ? windows(text) : scopes(text, path)) {
        pieces.push({ path, text: part })
      }
    }
  }
  return pieces
}

/** Whole files, in their order, of about `limit` chunks; a random part of the queries and what they want come first. */
function shrink(pieces: Piece[], queries: CommitQuery[], limit: number): { pieces: Piece[]; queries: CommitQuery[] } {
  const bits = seededBits(7)
  const shuffled = <T>(items: readonly T[]): T[] =>
    items
      .map(item => ({ item, key: bits() }))
      .sort((a, b) => a.key - b.key)
      .map(({ item }) => item)
  const sizes = Map.groupBy(pieces, ({ path }) => path)
  const sizeOf = (path: string): number => sizes.get(path)?.length ?? 0
  const kept = new Set<string>()
  const keptQueries: CommitQuery[] = []
  let count = 0
  const keep = (path: string) => {
    if (kept.has(path)) return
    kept.add(path)
    count += sizeOf(path)
  }
  for (const query of shuffled(queries)) {
    const more = query.files.reduce((sum, path) => (kept.has(path) ? sum : sum + sizeOf(path)), 0)
    if (count + more > limit / 2) continue
    for (const path of query.files) keep(path)
    keptQueries.push(query)
  }
  for (const path of shuffled([...sizes.keys()])) if (count + (sizes.get(path)?.length ?? 0) <= limit) keep(path)
  return { pieces: pieces.filter(({ path }) => kept.has(path)), queries: keptQueries }
}

function segmentsOf(pieces: readonly Piece[]): LexicalSegment[] {
  const writers = [new LexicalSegmentWriter()]
  const fileIds = new Map<string, number>()
  for (const [chunkId, { path, text }] of pieces.entries()) {
    const fileId = fileIds.get(path) ?? fileIds.size
    fileIds.set(path, fileId)
    if (writers.at(-1)?.isFull === true) writers.push(new LexicalSegmentWriter())
    writers.at(-1)?.add({ chunkId, fileId, path, text })
  }
  return writers.map(writer => new LexicalSegment(writer.toBytes()))
}

/** Files by their best chunk. */
function rankFiles(pieces: readonly Piece[], scoreOf: (piece: number) => number): string[] {
  const best = new Map<string, number>()
  for (const [i, { path }] of pieces.entries()) best.set(path, Math.max(best.get(path) ?? -Infinity, scoreOf(i)))
  return [...best].sort((a, b) => b[1] - a[1]).map(([path]) => path)
}

function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0
  for (let i = 0; i < a.length; i++) sum += (a[i] ?? 0) * (b[i] ?? 0)
  return sum
}

function timed<T>(work: () => T): { result: T; ms: number } {
  const startedAt = performance.now()
  const result = work()
  return { result, ms: performance.now() - startedAt }
}

const asNumber = (value: string | undefined): number | undefined => (value === undefined ? undefined : Number(value))
const show = (scores: ReturnType<typeof meanScore>) =>
  `${scores.reciprocalRank.toFixed(3)} / ${scores.recallAt10.toFixed(3)}`

for (const repository of positionals) {
  const gitDir = resolve(repository)
  const { base, queries: allQueries } = await sampleCommits(gitDir)
  const allPieces = await piecesAt(gitDir, base)
  const limit = asNumber(options.chunks)
  const { pieces, queries } =
    limit === undefined ? { pieces: allPieces, queries: allQueries } : shrink(allPieces, allQueries, limit)
  const documents = segmentsOf(pieces).map(segment => segment.chunkRows())

  const { result: fit, ms: fitMs } = timed(() =>
    fitLsa(documents, {
      powerIterations: asNumber(options.iterations),
      dimensions: asNumber(options.dimensions),
      maxSample: asNumber(options.sample),
    }),
  )
  if (fit === null) throw new Error(`${repository} is too small for a fit.`)
  const { result: parts, ms: foldMs } = timed(() => documents.map(part => foldDocuments(fit, part)))
  const learnt = parts.flatMap(({ vectors, known }) =>
    Array.from(known, (_, i) => vectors.subarray(i * fit.dimensions, (i + 1) * fit.dimensions)),
  )
  const bytes = serializeFit(fit)
  const { ms: openMs } = timed(() => openFit(bytes))
  const embedder = createLsaEmbedder(fit)
  const hash = createLocalEmbedder()
  const hashed = (await hash.embed(pieces.map(({ path, text }) => `${path}\n${text}`))).vectors

  const rankings: Array<{ files: string[]; learned: string[]; hashed: string[] }> = []
  for (const { message, files } of queries) {
    const [learned = NOTHING] = (await embedder.embed([message])).vectors
    const [plain = NOTHING] = (await hash.embed([message])).vectors
    rankings.push({
      files,
      learned: rankFiles(pieces, i => dot(learned, learnt[i] ?? NOTHING)),
      hashed: rankFiles(pieces, i => dot(plain, hashed[i] ?? NOTHING)),
    })
  }
  const score = (of: 'learned' | 'hashed', isCounted: (path: string) => boolean) =>
    show(meanScore(rankings.map(ranking => scoreRanking(ranking[of].filter(isCounted), ranking.files))))
  const unknown =
    parts.reduce((sum, { unknownOccurrences }) => sum + unknownOccurrences, 0) /
    parts.reduce((sum, { occurrences }) => sum + occurrences, 0)
  console.log(
    `${repository}: ${queries.length} messages, ${pieces.length} chunks, ${fit.terms.size} terms of ` +
      `${documents.reduce((sum, { termCount }) => sum + termCount, 0)}, ${fit.dimensions} dimensions`,
  )
  console.log(`  MRR / recall@10   learned ${score('learned', () => true)}   hashed ${score('hashed', () => true)}`)
  console.log(
    `  without tests     learned ${score('learned', path => !isTestPath(path))}   hashed ` +
      `${score('hashed', path => !isTestPath(path))}`,
  )
  console.log(
    `  fit ${fitMs.toFixed(0)} ms, fold ${((pieces.length / foldMs) * 1000).toFixed(0)} chunks/s ` +
      `(${foldMs.toFixed(0)} ms), file ${(bytes.length / 1e6).toFixed(1)} MB opened in ${openMs.toFixed(1)} ms; ` +
      `unknown words: ${(fit.unknownShare * 100).toFixed(1)} % of the sample, ${(unknown * 100).toFixed(1)} % of ` +
      'all',
  )
}
