// Commit messages as queries: does a search find the sources that the commit changed? Shows each list by itself, all of
// them as the search of a project joins them, and the baseline. Tests are indexed, though they are never an answer; the
// bar is for a search that treats them like any other file.
// usage: node bench/eval/commit-files.bench.ts [--cache FOLDER] [--commits N] REPOSITORY.git...
import { tmpdir } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { countTerms, termQuery } from '../../src/resolver/ranking/rankers/term-query.ts'
import { searchCode } from '../../src/resolver/search/search.ts'
import {
  isFocused,
  isSourcePath,
  meanScore,
  sampleCommits,
  scoreRanking,
  type CommitQuery,
  type Score,
} from './commits.ts'
import { openCommit, type EvalProject } from './project.ts'
import { seedSearch } from './seed.ts'
import { table } from './table.ts'

const BARS: Score = { reciprocalRank: 0.57, recallAt10: 0.8 }
const SEARCH_LIMIT = 200 // the most that a search answers
const LIST_CHUNKS = 1_000

const { values: options, positionals } = parseArgs({
  options: {
    cache: { type: 'string', default: join(tmpdir(), 'faultline-eval') },
    commits: { type: 'string', default: '300' },
  },
  allowPositionals: true,
})
if (positionals.length === 0) {
  console.error('usage: node bench/eval/commit-files.bench.ts [--cache FOLDER] [--commits N] REPOSITORY.git...')
  process.exit(2)
}

type Ranking = (message: string, project: EvalProject) => Promise<string[]>

const filesOf = (hits: ReadonlyArray<{ path: string }>): string[] => [...new Set(hits.map(({ path }) => path))]

const RANKINGS: Record<string, Ranking> = {
  'words in chunks': async (message, { reader }) =>
    filesOf(reader.searchTerms(termQuery(countTerms(message), reader).terms, LIST_CHUNKS)),
  'words in files': async (message, { reader }) =>
    filesOf(reader.searchFileTerms(termQuery(countTerms(message), reader).terms, LIST_CHUNKS)),
  vectors: async (message, { reader, embedQuery }) => {
    const vector = await embedQuery(message)
    return vector === null ? [] : filesOf(reader.searchVectors(vector, LIST_CHUNKS))
  },
  'search, tests alike': async (message, project) =>
    filesOf((await searchCode(message, { limit: SEARCH_LIMIT, demotesTests: false }, project)).hits),
  search: async (message, project) => filesOf((await searchCode(message, { limit: SEARCH_LIMIT }, project)).hits),
  seed: async (message, { seed }) => await seedSearch(message, seed),
}
const BARRED = 'search, tests alike'

/** The repository of `OWNER+NAME/repo` is not called `repo`. */
const nameOf = (gitDir: string): string => (basename(gitDir) === 'repo' ? basename(dirname(gitDir)) : basename(gitDir))

interface Asked {
  name: string
  queries: CommitQuery[]
  scores: Map<string, Score[]>
}

async function ask(gitDir: string): Promise<Asked> {
  const { base, queries } = await sampleCommits(gitDir, { count: Number(options.commits) })
  const project = await openCommit(gitDir, base, { cache: options.cache, isWanted: isSourcePath })
  const scores = new Map<string, Score[]>()
  for (const [name, ranking] of Object.entries(RANKINGS)) {
    const of: Score[] = []
    for (const { message, files } of queries) of.push(scoreRanking(await ranking(message, project), files))
    scores.set(name, of)
  }
  return { name: nameOf(gitDir), queries, scores }
}

const show = ({ reciprocalRank, recallAt10 }: Score): string =>
  `${reciprocalRank.toFixed(3)} / ${recallAt10.toFixed(3)}`

function tableOf(asked: readonly Asked[], isAsked: (query: CommitQuery) => boolean): string {
  const meanOf = ({ queries, scores }: Asked, name: string) =>
    meanScore((scores.get(name) ?? []).filter((_, i) => queries[i] !== undefined && isAsked(queries[i])))
  const rows = Object.keys(RANKINGS).map(name => {
    const means = asked.map(one => meanOf(one, name))
    return [
      name,
      ...means.map(show),
      show(meanScore(means)),
      name === BARRED ? `≥ ${BARS.reciprocalRank} / ${BARS.recallAt10}` : '',
    ]
  })
  return table([
    [
      'MRR / recall@10',
      ...asked.map(({ name, queries }) => `${name} (${queries.filter(isAsked).length})`),
      'mean',
      'bar',
    ],
    ...rows,
  ])
}

const asked: Asked[] = []
for (const gitDir of positionals.map(path => resolve(path))) {
  const one = await ask(gitDir)
  asked.push(one)
  console.error(
    `${one.name}: ${[...one.scores].map(([name, scores]) => `${name} ${show(meanScore(scores))}`).join(', ')}`,
  )
}
console.log(`All commits that change one to three sources\n${tableOf(asked, () => true)}`)
console.log(`\nThose of at most five files, with a message of five words\n${tableOf(asked, isFocused)}`)
