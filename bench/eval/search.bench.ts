// Measures how long searches take in process, by words and for quoted text, beside the baseline, and what FTS5 would
// cost for quoted text: time to build, size, time to search.
// Times are processor time. Everything is in memory, so reading texts from the store (about 50 µs a file) comes on top.
// Vectors are compared one by one, which takes some 10 ms; a project of this size has an HNSW graph, and needs 0.1 ms.
// usage: node bench/eval/search.bench.ts [--cache FOLDER] REPOSITORY.git [QUERIES]
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { parseArgs } from 'node:util'
import type { Chunk } from '../../src/core/chunk.ts'
import { searchCode } from '../../src/resolver/search/search.ts'
import { isSourcePath, sampleCommits } from './commits.ts'
import { openCommit } from './project.ts'
import { seedSearch } from './seed.ts'
import { table } from './table.ts'

const LIMIT = 20
const RUNS = 10 // some systems count processor time in steps of 4 ms
const LITERAL_CHARS = [8, 16, 32]

const {
  values: options,
  positionals: [path, wanted = '100'],
} = parseArgs({
  options: { cache: { type: 'string', default: join(tmpdir(), 'faultline-eval') } },
  allowPositionals: true,
})
if (path === undefined) {
  console.error('usage: node bench/eval/search.bench.ts [--cache FOLDER] REPOSITORY.git [QUERIES]')
  process.exit(2)
}

const spent = (since: NodeJS.CpuUsage): number => {
  const { user, system } = process.threadCpuUsage(since)
  return (user + system) / 1000
}

async function timesOf(queries: readonly string[], ask: (query: string) => unknown): Promise<string[]> {
  const times: number[] = []
  for (const query of queries) {
    await ask(query)
    const since = process.threadCpuUsage()
    for (let run = 0; run < RUNS; run++) await ask(query)
    times.push(spent(since) / RUNS)
  }
  times.sort((a, b) => a - b)
  return [0.5, 0.99].map(
    share => `${(times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? NaN).toFixed(2)} ms`,
  )
}

/** A contentless index: the texts are stored elsewhere already. */
function fts5(
  chunks: readonly Chunk[],
  tokenizer: string,
): { built: number; megabytes: number; find: (literal: string) => unknown[] } {
  const since = process.threadCpuUsage()
  const database = new DatabaseSync(':memory:')
  database.exec(`CREATE VIRTUAL TABLE chunk_text USING fts5 (text, content = '', tokenize = "${tokenizer}"); BEGIN`)
  const insert = database.prepare('INSERT INTO chunk_text (rowid, text) VALUES (?, ?)')
  for (const [i, { text }] of chunks.entries()) insert.run(i + 1, text)
  database.exec("COMMIT; INSERT INTO chunk_text (chunk_text) VALUES ('optimize')")
  const built = spent(since)
  const size = database
    .prepare('SELECT page_count * page_size AS bytes FROM pragma_page_count(), pragma_page_size()')
    .get()
  const select = database.prepare('SELECT rowid FROM chunk_text WHERE chunk_text MATCH ? LIMIT ?')
  return {
    built,
    megabytes: Number(size?.bytes) / 1e6,
    find: literal => select.all(`"${literal.replaceAll('"', '""')}"`, LIMIT),
  }
}

const gitDir = resolve(path)
const { base, queries } = await sampleCommits(gitDir, { count: Number(wanted) })
const project = await openCommit(gitDir, base, { cache: options.cache, isWanted: isSourcePath })
const { reader, seed } = project
const chunks = reader.files().flatMap(({ repository, path }) => reader.chunksOf(repository, path))
console.log(
  `${reader.files().length} files, ${chunks.length} chunks, ` +
    `${(project.files.reduce((sum, { text }) => sum + text.length, 0) / 1e6).toFixed(1)} MB`,
)

const words = queries.map(({ message }) => message.split('\n', 1)[0] ?? '')
const search = async (text: string) => (await searchCode(text, { limit: LIMIT }, project)).hits
const byWords = { ...project, embedQuery: async () => null }
const trigrams = fts5(chunks, 'trigram')
const tokens = fts5(chunks, 'unicode61')
const rows = [['', 'p50', 'p99']]
rows.push(['first lines of commit messages', ...(await timesOf(words, search))])
rows.push([
  'whole messages',
  ...(await timesOf(
    queries.map(({ message }) => message),
    search,
  )),
])
rows.push([
  'whole messages, without vectors',
  ...(await timesOf(
    queries.map(({ message }) => message),
    async text => await searchCode(text, { limit: LIMIT }, byWords),
  )),
])
rows.push([
  'whole messages, seed',
  ...(await timesOf(
    queries.map(({ message }) => message),
    async text => await seedSearch(text, seed),
  )),
])
for (const length of LITERAL_CHARS) {
  const literals = words
    .flatMap((_, i) => {
      const lines = (chunks[(i * 7_919) % chunks.length]?.text ?? '')
        .split('\n')
        .map(line => line.trim())
        .filter(line => line.length >= length + 3)
      return lines[i % Math.max(1, lines.length)]?.slice(3, length + 3).trim() ?? []
    })
    .filter(literal => /[\p{L}\p{N}]{3}/u.test(literal) && !/["\\]/.test(literal))
  rows.push([
    `quoted, ${length} letters of a line`,
    ...(await timesOf(literals, async literal => await searchCode(`"${literal}"`, { limit: LIMIT }, byWords))),
  ])
  rows.push(['  FTS5 trigram', ...(await timesOf(literals, trigrams.find))])
  rows.push(['  FTS5 unicode61, whole words alone', ...(await timesOf(literals, tokens.find))])
}
rows.push([
  'quoted punctuation: =>, ])), <<=',
  ...(await timesOf(
    ['=>', '])),', '<<='],
    async literal => await searchCode(`"${literal}"`, { limit: LIMIT }, byWords),
  )),
])
console.log(table(rows))
for (const [name, { built, megabytes }] of Object.entries({ trigram: trigrams, unicode61: tokens })) {
  console.log(
    `FTS5 ${name}: built in ${(built / 1000).toFixed(1)} s, ${megabytes.toFixed(1)} MB; ours: nothing to build, 0 MB`,
  )
}
