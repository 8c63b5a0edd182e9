// Builds the text index of a repository's files, cut into windows of 60 lines, and compares its searches with FTS5 over
// the same chunks and terms.
// usage: node bench/lexical.bench.ts REPOSITORY.git [CHUNKS] (the first 16,000 chunks unless told)
import { resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { tokenize } from '../src/core/tokenize.ts'
import { readCandidate, selectFiles, type TrackedFile } from '../src/indexer/filter.ts'
import { GIT_SEARCH_PATH } from '../src/repos/git/git-env.ts'
import { openLocalGit } from '../src/repos/clone/local-git.ts'
import { listTree, readBlobs } from '../src/repos/objects/objects.ts'
import { createLexicalIndex, type TermQuery } from '../src/vecstore/lexical/lexical-index.ts'
import { LexicalSegmentWriter, type LexicalChunk } from '../src/vecstore/lexical/lexical-segment-writer.ts'
import { LexicalSegment } from '../src/vecstore/lexical/lexical-segment.ts'

const WINDOW_LINES = 60
const STEP_LINES = 50
const K = 60
const QUERIES = 200
const RUNS = 5
/** FTS5 takes tens of milliseconds a query. */
const BASELINE_QUERIES = 30
const COMMIT_CHUNKS = 60

const [path, wanted = '16000'] = process.argv.slice(2)
if (path === undefined) {
  console.error('usage: node bench/lexical.bench.ts REPOSITORY.git [CHUNKS]')
  process.exit(2)
}

async function readChunks(gitDir: string, most: number): Promise<LexicalChunk[]> {
  const commit = await openLocalGit(gitDir, { searchPath: GIT_SEARCH_PATH }).commitOf('HEAD')
  if (commit === null) throw new Error(`${gitDir} has no HEAD.`)
  const tracked: TrackedFile[] = []
  for await (const entry of listTree(gitDir, commit)) tracked.push(entry)
  const { candidates } = selectFiles(tracked, { include: [], exclude: [] })
  const chunks: LexicalChunk[] = []
  let fileId = 0
  for await (const { bytes } of readBlobs(
    gitDir,
    candidates.map(({ oid }) => oid),
  )) {
    const candidate = candidates[fileId++]
    const file = candidate === undefined ? '' : readCandidate(bytes, candidate.language)
    if (typeof file === 'string' || candidate === undefined) continue
    const lines = file.text.split('\n')
    for (let first = 0; first === 0 || first + WINDOW_LINES - STEP_LINES < lines.length; first += STEP_LINES) {
      if (chunks.length === most) return chunks
      chunks.push({
        chunkId: chunks.length + 1,
        fileId,
        path: candidate.path,
        text: lines.slice(first, first + WINDOW_LINES).join('\n'),
      })
    }
  }
  return chunks
}

/** The first distinct terms of chunks from all over the repository: code as it is around a frame. */
function queriesOf(chunks: readonly LexicalChunk[], terms: number): TermQuery[] {
  return Array.from({ length: chunks.length }, (_, i) => chunks[(i * 7_919) % chunks.length]?.text ?? '')
    .flatMap(text => {
      const distinct = [...new Set(tokenize(text))]
      return distinct.length < terms ? [] : [new Map(distinct.slice(0, terms).map(term => [term, 1]))]
    })
    .slice(0, QUERIES)
}

/**
 * In CPU time of this thread, which other work on the machine disturbs least; some systems count it in steps of 4 ms.
 */
function timed<T>(work: () => T): { ms: number; value: T } {
  const startedAt = process.threadCpuUsage()
  const value = work()
  const { user, system } = process.threadCpuUsage(startedAt)
  return { ms: (user + system) / 1000, value }
}

/** The quickest of some runs of each query, so that what the scheduler took is left out. */
function quantiles(queries: readonly TermQuery[], search: (query: TermQuery) => unknown): string {
  const times = queries
    .map(query =>
      Math.min(
        ...Array.from({ length: RUNS }, () => {
          const startedAt = performance.now()
          search(query)
          return performance.now() - startedAt
        }),
      ),
    )
    .sort((a, b) => a - b)
  const at = (share: number) => (times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? NaN).toFixed(3)
  return `p50 ${at(0.5)} ms, p99 ${at(0.99)} ms`
}

/**
 * What the catalogue did before: terms split by the same tokenizer, paths weighted by 3, and the sum of bm25() over an
 * OR of all terms.
 */
function buildBaseline(chunks: readonly LexicalChunk[]): { search: (query: TermQuery) => unknown } {
  const database = new DatabaseSync(':memory:')
  database.exec(
    "CREATE VIRTUAL TABLE chunk_text USING fts5 (words, path, content = '', contentless_delete = 1, tokenize = " +
      '"ascii tokenchars \'_$\'")',
  )
  database.exec("INSERT INTO chunk_text (chunk_text, rank) VALUES ('hashsize', 16777216); BEGIN")
  const insert = database.prepare('INSERT INTO chunk_text (rowid, words, path) VALUES (?, ?, ?)')
  for (const { chunkId, text, path } of chunks) insert.run(chunkId, tokenize(text).join(' '), tokenize(path).join(' '))
  database.exec('COMMIT')
  const select = database.prepare(
    'SELECT rowid FROM chunk_text WHERE chunk_text MATCH ? ORDER BY bm25(chunk_text, 1.0, 3.0) LIMIT ?',
  )
  return { search: query => select.all([...query.keys()].map(term => `"${term}"`).join(' OR '), K) }
}

const chunks = await readChunks(resolve(path), Number(wanted))
const megabytes = chunks.reduce((sum, { text }) => sum + text.length, 0) / 1e6
console.log(`${chunks.length} chunks, ${megabytes.toFixed(1)} MB of text`)

const writer = new LexicalSegmentWriter()
const counted = timed(() => {
  for (const chunk of chunks) writer.add(chunk)
})
const written = timed(() => writer.toBytes())
const bytes = written.value
console.log(
  `tokenising and counting: ${((megabytes / counted.ms) * 1000).toFixed(1)} MB/s; writing: ` +
    `${written.ms.toFixed(0)} ms, ${(bytes.length / chunks.length).toFixed(0)} bytes a chunk`,
)

const opened = timed(() => new LexicalSegment(bytes))
const segment = opened.value
const prepared = timed(() => createLexicalIndex([segment], () => false))
const transposed = timed(() => segment.chunkRows())
console.log(
  `${segment.termCount} terms, ${segment.views.chunks.length} postings; opening: ${opened.ms.toFixed(1)} ms, ` +
    `index: ${prepared.ms.toFixed(1)} ms, rows: ${transposed.ms.toFixed(1)} ms`,
)

const commit = timed(() => {
  const small = new LexicalSegmentWriter()
  for (const chunk of chunks.slice(0, COMMIT_CHUNKS)) small.add(chunk)
  return new LexicalSegment(small.toBytes())
})
const half = Math.floor(chunks.length / 2)
const merged = timed(() => {
  const merge = new LexicalSegmentWriter()
  merge.addSegment(segment, id => id <= half)
  merge.addSegment(commit.value, id => id > half)
  return merge.toBytes()
})
console.log(
  `a segment of ${COMMIT_CHUNKS} chunks: ${commit.ms.toFixed(1)} ms; merging it with half of the chunks: ` +
    `${merged.ms.toFixed(0)} ms`,
)

const index = prepared.value
for (const terms of [10, 40, 150]) {
  const queries = queriesOf(chunks, terms)
  console.log(
    `${queries.length} queries of ${terms} terms, k = ${K}: chunks ` +
      `${quantiles(queries, query => index.searchChunks(query, K))}; files ` +
      `${quantiles(queries, query => index.searchFiles(query, K))}`,
  )
}

const baseline = timed(() => buildBaseline(chunks))
const queries = queriesOf(chunks, 40).slice(0, BASELINE_QUERIES)
console.log(
  `FTS5 built in ${baseline.ms.toFixed(0)} ms; queries of 40 terms: ` +
    `${quantiles(queries, query => baseline.value.search(query))}`,
)
