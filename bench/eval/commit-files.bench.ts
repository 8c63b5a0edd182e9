// Commit messages as questions: does a search find the sources that the commit changed? By list, fused as the search of a project does it, and beside
// the baseline. Tests are indexed and not demoted, though they are never what is asked for, so the figures compare lists rather than promise a recall.
// usage: node bench/eval/commit-files.bench.ts [--cache FOLDER] [--commits N] REPOSITORY.git...
import { tmpdir } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { countTerms, termQuery } from '../../src/resolver/rankers/term-query.ts'
import { searchCode } from '../../src/resolver/search.ts'
import { isSourcePath, meanScore, sampleCommits, scoreRanking, type Score } from './commits.ts'
import { openCommit, type EvalProject } from './project.ts'
import { seedSearch } from './seed.ts'
import { table } from './table.ts'

const BARS: Score = { reciprocalRank: 0.57, recallAt10: 0.80 }
const SEARCH_LIMIT = 200 // the most that a search answers
const LIST_CHUNKS = 1_000

const { values: options, positionals } = parseArgs({ options: { cache: { type: 'string', default: join(tmpdir(), 'faultline-eval') }, commits: { type: 'string', default: '300' } }, allowPositionals: true })
if (positionals.length === 0) {
  console.error('usage: node bench/eval/commit-files.bench.ts [--cache FOLDER] [--commits N] REPOSITORY.git...')
  process.exit(2)
}

type Ranking = (message: string, project: EvalProject) => Promise<string[]>

const RANKINGS: Record<string, Ranking> = {
  'lexical, chunks': async (message, { reader }) => filesOf(reader.searchTerms(termQuery(countTerms(message), reader).terms, LIST_CHUNKS)),
  'lexical, files': async (message, { reader }) => filesOf(reader.searchFileTerms(termQuery(countTerms(message), reader).terms, LIST_CHUNKS)),
  dense: async (message, { reader, embedQuery }) => {
    const vector = await embedQuery(message)
    return vector === null ? [] : filesOf(reader.searchVectors(vector, LIST_CHUNKS))
  },
  fusion: async (message, project) => filesOf(await searchCode(message, SEARCH_LIMIT, project)),
  seed: async (message, { seed }) => await seedSearch(message, seed),
}

const filesOf = (hits: ReadonlyArray<{ path: string }>): string[] => [...new Set(hits.map(({ path }) => path))]

/** The repository of `OWNER+NAME/repo` is not called `repo`. */
const nameOf = (gitDir: string): string => basename(gitDir) === 'repo' ? basename(dirname(gitDir)) : basename(gitDir)

async function scoresOf (gitDir: string): Promise<{ queries: number, scores: Map<string, Score> }> {
  const { base, queries } = await sampleCommits(gitDir, { count: Number(options.commits) })
  const project = await openCommit(gitDir, base, { cache: options.cache, isWanted: isSourcePath })
  const scores = new Map<string, Score>()
  for (const [name, ranking] of Object.entries(RANKINGS)) {
    const of: Score[] = []
    for (const { message, files } of queries) of.push(scoreRanking(await ranking(message, project), files))
    scores.set(name, meanScore(of))
  }
  return { queries: queries.length, scores }
}

const show = ({ reciprocalRank, recallAt10 }: Score): string => `${reciprocalRank.toFixed(3)} / ${recallAt10.toFixed(3)}`

const repositories: Array<{ name: string, queries: number, scores: Map<string, Score> }> = []
for (const gitDir of positionals.map(path => resolve(path))) {
  const { queries, scores } = await scoresOf(gitDir)
  repositories.push({ name: nameOf(gitDir), queries, scores })
  console.error(`${nameOf(gitDir)}: ${[...scores].map(([name, score]) => `${name} ${show(score)}`).join(', ')}`)
}
const rows = Object.keys(RANKINGS).map((name) => {
  const scores = repositories.flatMap(({ scores }) => scores.get(name) ?? [])
  return [name, ...scores.map(show), show(meanScore(scores)), name === 'fusion' ? `≥ ${BARS.reciprocalRank} / ${BARS.recallAt10}` : '']
})
console.log(table([['MRR / recall@10', ...repositories.map(({ name, queries }) => `${name} (${queries})`), 'mean', 'bar'], ...rows]))
