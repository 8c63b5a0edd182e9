// The learned embedder against hashed words: finds the files that a commit changes by the commit's message, in the same run over the same chunks.
// usage: node bench/lsa.bench.ts [--chunks N] [--iterations N] [--dimensions N] [--sample N] REPOSITORY.git...
// --chunks: index only files of about so many chunks (those wanted among them), to see from which size on a fit is worth its while.
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { decodeSource } from '../src/core/source-text.ts'
import { tokenize } from '../src/core/tokenize.ts'
import { createLocalEmbedder } from '../src/embedding/local-embedder.ts'
import { countTerms, createLsaEmbedder } from '../src/embedding/lsa-embedder.ts'
import { openFit, serializeFit } from '../src/embedding/lsa-file.ts'
import { fitLsa } from '../src/embedding/lsa-fit.ts'
import { foldDocuments } from '../src/embedding/lsa-fold.ts'
import { seededBits } from '../src/embedding/seeded-random.ts'
import { listTree, readBlobs } from '../src/repos/objects.ts'
import { sparseDocuments } from '../test/helpers/sparse-documents.ts'
import { isSourcePath, meanScore, sampleCommits, scoreRanking, type CommitQuery } from './eval/commits.ts'

const WINDOW_LINES = 60
const OVERLAP_LINES = 10
const PATH_WEIGHT = 3
const MAX_FILE_BYTES = 1_048_576

interface Piece { path: string, text: string }

const { values: options, positionals } = parseArgs({ options: { chunks: { type: 'string' }, iterations: { type: 'string' }, dimensions: { type: 'string' }, sample: { type: 'string' } }, allowPositionals: true })
if (positionals.length === 0) {
  console.error('usage: node bench/lsa.bench.ts [--chunks N] [--iterations N] [--dimensions N] [--sample N] REPOSITORY.git...')
  process.exit(2)
}

async function piecesAt (gitDir: string, commit: string): Promise<Piece[]> {
  const entries: Array<{ path: string, oid: string }> = []
  for await (const { path, oid, size, mode } of listTree(gitDir, commit)) if (mode.startsWith('100') && isSourcePath(path) && (size ?? 0) <= MAX_FILE_BYTES) entries.push({ path, oid })
  const pieces: Piece[] = []
  let next = 0
  for await (const { bytes } of readBlobs(gitDir, entries.map(({ oid }) => oid))) {
    const path = entries[next++]?.path ?? ''
    const text = decodeSource(bytes)
    if (typeof text === 'string') for (const part of windows(text)) pieces.push({ path, text: part })
  }
  return pieces
}

function windows (text: string): string[] {
  const lines = text.split('\n')
  const parts: string[] = []
  for (let first = 0; first < lines.length; first += WINDOW_LINES - OVERLAP_LINES) {
    parts.push(lines.slice(first, first + WINDOW_LINES).join('\n'))
    if (first + WINDOW_LINES >= lines.length) break
  }
  return parts
}

/** Whole files, in their order, of about `limit` chunks; a random part of the queries and what they want come first. */
function shrink (pieces: Piece[], queries: CommitQuery[], limit: number): { pieces: Piece[], queries: CommitQuery[] } {
  const bits = seededBits(7)
  const shuffled = <T>(items: readonly T[]): T[] => items.map(item => ({ item, key: bits() })).sort((a, b) => a.key - b.key).map(({ item }) => item)
  const sizes = Map.groupBy(pieces, ({ path }) => path)
  const kept = new Set<string>()
  const keptQueries: CommitQuery[] = []
  let count = 0
  const keep = (path: string) => {
    if (kept.has(path)) return
    kept.add(path)
    count += sizes.get(path)?.length ?? 0
  }
  for (const query of shuffled(queries)) {
    const more = query.files.reduce((sum, path) => sum + (kept.has(path) ? 0 : sizes.get(path)?.length ?? 0), 0)
    if (count + more > limit / 2) continue
    for (const path of query.files) keep(path)
    keptQueries.push(query)
  }
  for (const path of shuffled([...sizes.keys()])) if (count + (sizes.get(path)?.length ?? 0) <= limit) keep(path)
  return { pieces: pieces.filter(({ path }) => kept.has(path)), queries: keptQueries }
}

/** Files by their best chunk. */
function rankFiles (pieces: readonly Piece[], scoreOf: (piece: number) => number): string[] {
  const best = new Map<string, number>()
  for (const [i, { path }] of pieces.entries()) best.set(path, Math.max(best.get(path) ?? -Infinity, scoreOf(i)))
  return [...best].sort((a, b) => b[1] - a[1]).map(([path]) => path)
}

function dot (a: Float32Array, b: Float32Array): number {
  let sum = 0
  for (let i = 0; i < a.length; i++) sum += (a[i] ?? 0) * (b[i] ?? 0)
  return sum
}

function timed<T> (work: () => T): { result: T, ms: number } {
  const startedAt = performance.now()
  const result = work()
  return { result, ms: performance.now() - startedAt }
}

const asNumber = (value: string | undefined): number | undefined => value === undefined ? undefined : Number(value)
const show = (scores: ReturnType<typeof meanScore>) => `${scores.reciprocalRank.toFixed(3)} / ${scores.recallAt10.toFixed(3)}`

for (const repository of positionals) {
  const gitDir = resolve(repository)
  const { base, queries: allQueries } = await sampleCommits(gitDir)
  const allPieces = await piecesAt(gitDir, base)
  const limit = asNumber(options.chunks)
  const { pieces, queries } = limit === undefined ? { pieces: allPieces, queries: allQueries } : shrink(allPieces, allQueries, limit)
  const documents = sparseDocuments(pieces.map(({ path, text }) => {
    const terms = countTerms(text)
    for (const term of tokenize(path)) terms.set(term, (terms.get(term) ?? 0) + PATH_WEIGHT)
    return terms
  }))

  const { result: fit, ms: fitMs } = timed(() => fitLsa([documents], { powerIterations: asNumber(options.iterations), dimensions: asNumber(options.dimensions), maxSample: asNumber(options.sample) }))
  if (fit === null) throw new Error(`${repository} is too small for a fit.`)
  const { result: folded, ms: foldMs } = timed(() => foldDocuments(fit, documents))
  const bytes = serializeFit(fit)
  const { ms: openMs } = timed(() => openFit(bytes))
  const embedder = createLsaEmbedder(fit)
  const hash = createLocalEmbedder()
  const hashed = (await hash.embed(pieces.map(({ path, text }) => `${path}\n${text}`))).vectors

  const learnedScores = []
  const hashedScores = []
  for (const { message, files } of queries) {
    const [learned = new Float32Array(0)] = (await embedder.embed([message])).vectors
    const [plain = new Float32Array(0)] = (await hash.embed([message])).vectors
    learnedScores.push(scoreRanking(rankFiles(pieces, i => dot(learned, folded.vectors.subarray(i * fit.dimensions, (i + 1) * fit.dimensions))), files))
    hashedScores.push(scoreRanking(rankFiles(pieces, i => dot(plain, hashed[i] ?? new Float32Array(0))), files))
  }
  const unknown = folded.unknownOccurrences / folded.occurrences
  console.log(`${repository}: ${queries.length} messages, ${pieces.length} chunks, ${fit.terms.size} terms of ${documents.termCount}, ${fit.dimensions} dimensions`)
  console.log(`  MRR / recall@10   learned ${show(meanScore(learnedScores))}   hashed ${show(meanScore(hashedScores))}`)
  console.log(`  fit ${fitMs.toFixed(0)} ms, fold ${(pieces.length / foldMs * 1000).toFixed(0)} chunks/s (${foldMs.toFixed(0)} ms), file ${(bytes.length / 1e6).toFixed(1)} MB opened in ${openMs.toFixed(1)} ms; unknown words: ${(fit.unknownShare * 100).toFixed(1)} % of the sample, ${(unknown * 100).toFixed(1)} % of all`)
}
