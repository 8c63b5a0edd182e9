// Builds one index of several repositories with the built-in embedder and compares its HNSW search with the exact scan
// of the same vectors.
// usage: node bench/vecstore-search.bench.ts REPOSITORY.git... (more than 5,000 chunks in all, or a server would scan)
// Prints, for each number of hits and each breadth of the search, the recall and the queries per second as a ratio to
// the exact scan's.
//
// usage: node bench/vecstore-search.bench.ts --made=5000,50000,200000
// Prints the same of made vectors of 128 dimensions, of so many each: the exact scan as it is and as a plain loop, as a
// ratio to HNSW, and how many searches building the graph costs. The largest takes two minutes.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { createLocalEmbedder } from '../src/embedding/local-embedder.ts'
import { LSA } from '../src/embedding/lsa/lsa.ts'
import { createScopeChunker } from '../src/indexer/chunker.ts'
import { indexRepository } from '../src/indexer/index-repository.ts'
import { GIT_SEARCH_PATH } from '../src/repos/git/git-env.ts'
import { openLocalGit } from '../src/repos/clone/local-git.ts'
import { listTree, readBlobs } from '../src/repos/objects/objects.ts'
import { generationPaths, projectFolder } from '../src/vecstore/format/layout.ts'
import { openStore } from '../src/vecstore/store.ts'
import { buildHnsw } from '../src/vecstore/vectors/hnsw-build.ts'
import { VectorFile } from '../src/vecstore/vectors/vector-file.ts'
import { hnswProblem } from '../src/vecstore/vectors/hnsw-library.ts'
import { VectorIndex, type Neighbour } from '../src/vecstore/vectors/vector-index.ts'
import { unitVector } from '../src/vecstore/vectors/vector-math.ts'
import { VectorTable } from '../src/vecstore/vectors/vector-table.ts'
import { randomFrom } from '../test/helpers/random-from.ts'
import { quantiles } from './measure.ts'

const QUERIES = 400
const QUERY_LINES = 6
const BREADTHS = [64, 128, 256, 512, 1024]

const MADE_DIMENSIONS = 128
/** As with vectors of code, the directions in which they differ are fewer than their dimensions. */
const MADE_DIRECTIONS = 32

const repositories = process.argv.slice(2)
const made = repositories[0]?.startsWith('--made=')
  ? repositories[0].slice('--made='.length).split(',').map(Number)
  : []
if (repositories.length === 0) {
  console.error('usage: node bench/vecstore-search.bench.ts REPOSITORY.git...')
  process.exit(2)
}

/**
 * Pieces of the indexed code, every other one as the words of its first line only: queries are code and short texts.
 */
function queryTexts(reader: {
  files(): ReadonlyArray<{ repository: string; path: string }>
  fileText(repository: string, path: string): string | null
}): string[] {
  const files = reader.files()
  return Array.from({ length: QUERIES }, (_, i) => {
    const { repository, path } = files[Math.floor((i * files.length) / QUERIES)] ?? { repository: '', path: '' }
    const lines = (reader.fileText(repository, path) ?? '').split('\n')
    const from = Math.floor(lines.length / 2)
    const shown = lines.slice(from, from + QUERY_LINES)
    return i % 2 === 0 ? shown.join('\n') : `${basename(path)} ${shown[0]}`
  })
}

function measure(
  queries: Float32Array[],
  search: (query: Float32Array) => Neighbour[],
): { found: Neighbour[][]; perSecond: number } {
  const took: number[] = []
  const found = queries.map(query => {
    const startedAt = performance.now()
    const neighbours = search(query)
    took.push(performance.now() - startedAt)
    return neighbours
  })
  return { found, perSecond: 1000 / quantiles(took).p50 } // the median, whatever else the machine does
}

/**
 * Share of the exact scan's hits, counting one that is as near as the last of them: among equals the choice is free.
 */
function recall(found: Neighbour[][], exact: Neighbour[][]): number {
  const shares = exact.map((wanted, i) => {
    const nearEnough = (wanted.at(-1)?.innerProduct ?? 0) - 1e-6
    return (found[i]?.filter(({ innerProduct }) => innerProduct >= nearEnough).length ?? 0) / wanted.length
  })
  return shares.reduce((sum, share) => sum + share, 0) / shares.length
}

/** So many unit vectors, the same in every run. */
function madeTable(size: number): VectorTable {
  const random = randomFrom(size)
  const directions = Array.from({ length: MADE_DIRECTIONS }, () =>
    Float32Array.from({ length: MADE_DIMENSIONS }, () => random() - 0.5),
  )
  const values = new Float32Array(size * MADE_DIMENSIONS)
  for (let row = 0; row < size; row++) {
    const vector = values.subarray(row * MADE_DIMENSIONS, (row + 1) * MADE_DIMENSIONS)
    for (const direction of directions) {
      const share = random() - 0.5
      for (let i = 0; i < MADE_DIMENSIONS; i++) vector[i] = (vector[i] ?? 0) + share * (direction[i] ?? 0)
    }
    vector.set(unitVector(vector))
  }
  return new VectorTable(MADE_DIMENSIONS, [
    { dimensions: MADE_DIMENSIONS, ids: Uint32Array.from({ length: size }, (_, i) => i), values },
  ])
}

/** All products in a plain loop, which is what a scan without `scan-kernel.ts` does. */
function plainProducts(values: Float32Array, query: Float32Array): Float32Array {
  const products = new Float32Array(values.length / MADE_DIMENSIONS)
  for (let row = 0, at = 0; row < products.length; row++) {
    let even = 0
    let odd = 0
    for (let i = 0; i < MADE_DIMENSIONS; i += 2, at += 2) {
      even += (query[i] ?? 0) * (values[at] ?? 0)
      odd += (query[i + 1] ?? 0) * (values[at + 1] ?? 0)
    }
    products[row] = even + odd
  }
  return products
}

async function compareMade(size: number): Promise<void> {
  const table = madeTable(size)
  const queries = Array.from({ length: 100 }, (_, i) => table.vectorAt(Math.floor((i * size) / 100)).slice())
  const all = new Float32Array(size * MADE_DIMENSIONS)
  for (let row = 0; row < size; row++) all.set(table.vectorAt(row), row * MADE_DIMENSIONS)
  measure(queries.slice(0, 20), query => table.search(query, 10)) // compiled
  const exact = measure(queries, query => table.search(query, 10))
  const plain = measure(queries, query => {
    plainProducts(all, query)
    return []
  })
  const exactMs = 1000 / exact.perSecond
  console.log(
    `${size} vectors: exact ${exactMs.toFixed(2)} ms a query, ` +
      `${(exact.perSecond / plain.perSecond).toFixed(1)} times the queries/s of a plain loop`,
  )
  if (hnswProblem() !== null) return console.log('  hnswlib-node is not installed')
  const startedAt = performance.now()
  using index = await buildHnsw([table], { dimensions: MADE_DIMENSIONS, size })
  const buildMs = performance.now() - startedAt
  const hnsw = measure(queries, query => index.search(query, 10))
  console.log(
    `  HNSW ${(hnsw.perSecond / exact.perSecond).toFixed(1)} times the queries/s of the exact scan at a recall of ` +
      `${recall(hnsw.found, exact.found).toFixed(3)}; its building takes as long as ` +
      `${Math.round(buildMs / exactMs)} exact searches`,
  )
}

if (made.length > 0) {
  for (const size of made) await compareMade(size)
  process.exit()
}

const root = mkdtempSync(join(tmpdir(), 'faultline-search-'))
try {
  const store = openStore(root)
  for (const [i, path] of repositories.entries()) {
    const gitDir = resolve(path)
    const commit = await openLocalGit(gitDir, { searchPath: GIT_SEARCH_PATH }).commitOf('HEAD')
    if (commit === null) throw new Error(`${path} has no HEAD.`)
    const repository = { repository: `repository-${i}`, gitDir, url: '', branch: null, commit }
    await indexRepository(
      { projectName: 'bench', repository, include: [], exclude: [] },
      { store, embedder: createLocalEmbedder(), learned: LSA, chunker: createScopeChunker(), listTree, readBlobs },
    )
  }
  await using reader = await store.openReader('bench')
  const {
    chunksTotal,
    generation,
    annRecall,
    embedding: { dimensions, model },
  } = reader.manifest
  const paths = generationPaths(projectFolder(root, 'bench'), generation)
  const published = await store.inspect('bench')
  if (published.kind !== 'whole') throw new Error('The index could not be read.')
  const table = new VectorTable(
    dimensions,
    published.manifest.segments.map(({ number }) => new VectorFile(paths.embedded(number)).read()),
  )
  const index = VectorIndex.read(paths.hnsw, { dimensions, elements: chunksTotal })
  if (index === null || reader.fit === null) throw new Error('The index is not one of learned vectors.')
  const embedder = LSA.createEmbedder(LSA.openFit(reader.fit))

  const queries = (await embedder.embed(queryTexts(reader))).vectors
    .filter(vector => vector.some(value => value !== 0)) // a text may have no word that was learned
    .map(unitVector)
  console.log(
    `${chunksTotal} chunks of ${model}, searched by ${reader.vectorSearch}; recall as measured at publishing ` +
      `${annRecall}; ${queries.length} queries`,
  )
  for (const k of [10, 50]) {
    const exact = measure(queries, query => table.search(query, k))
    console.log(`exact scan, k=${k}: ${(1000 / exact.perSecond).toFixed(2)} ms a query`)
    for (const breadth of [...BREADTHS, undefined]) {
      const approximate = measure(queries, query => index.search(query, k, breadth))
      console.log(
        `  efSearch ${breadth ?? 'as set'}: recall@${k} ${recall(approximate.found, exact.found).toFixed(4)}, ` +
          `${(approximate.perSecond / exact.perSecond).toFixed(1)} times the queries/s of the scan`,
      )
    }
  }
} finally {
  rmSync(root, { recursive: true, force: true })
}
