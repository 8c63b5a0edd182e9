// Commit messages as queries whose answer, the files that had to change, is known from the repository's history.
import { languageOf } from '../../src/indexer/languages.ts'
import { GIT_SEARCH_PATH } from '../../src/repos/git/git-env.ts'
import { openLocalGit } from '../../src/repos/clone/local-git.ts'

/** A commit whose message is a query, and whose sources are the answer. */
export interface CommitQuery {
  commit: string
  /**
   * Without trailers and web addresses, at most 600 characters; double quotes, which a search takes at their word, are
   * single ones.
   */
  message: string
  /** Files that the commit adds, changes or removes, of whatever kind. */
  touched: number
  /** The sources that the commit modifies, all of which exist at the base. */
  files: string[]
}

/** Commits of one repository, and the commit to index for all of them. */
interface CommitSample {
  /** The commit to index: the parent of the oldest of the queries' commits. */
  base: string
  /** Newest first. */
  queries: CommitQuery[]
}

const MAX_MESSAGE = 600
const MAX_FILES = 3
const MIN_WORDS = 3
const MAX_TOUCHED = 5
const MIN_FOCUSED_WORDS = 5

/** Markup, data, configuration: what changes beside code, and is never an answer. */
const NOT_CODE: ReadonlySet<string> = new Set(
  (
    'apache avro dotenv gherkin graphviz hcl ini json makefile msbuild plist toml yaml xml asciidoc css less sass ' +
    'scss stylus html latex markdown org restructuredtext requirements procfile dockerfile go-module kconfig ' +
    'linker-script jupyter'
  ).split(' '),
)

const TEST_FOLDER =
  /(?:^|\/)(?:tests?|specs?|__tests__|testing|fixtures?|testdata|test-data|e2e|benchmarks?|bench)(?:\/|$)/
const TEST_FILE = /(?:^|\/)(?:test_[^/]*|conftest\.py|[^/]*(?:[._-](?:test|tests|spec)|Tests?|Spec)\.[^/.]+)$/

/** Whether a file is a test, or stands in a folder of tests, fixtures or benchmarks. */
export const isTestPath = (path: string): boolean => TEST_FOLDER.test(path) || TEST_FILE.test(path)

/** Whether a file is code, by its language. */
export function isSourcePath(path: string): boolean {
  const language = languageOf(path)
  return language !== null && !NOT_CODE.has(language)
}

const TRAILER = /^(?:[\w-]+-(?:by|id)|cc|link|pr|bug|refs?|closes|fixes): |^git-svn-id:/i
const ISSUE_REFERENCE = /^(?:closes|fixes|resolves|refs?|see) #\d+\.?$/i
const isTrailer = (line: string): boolean => TRAILER.test(line) || ISSUE_REFERENCE.test(line)

function cleanMessage([subject = '', ...body]: readonly string[]): string {
  const lines = [subject, ...body.filter(line => !isTrailer(line.trim()))]
  return lines
    .join('\n')
    .replaceAll('"', "'")
    .replace(/\bhttps?:\/\/\S+/g, ' ')
    .trim()
    .slice(0, MAX_MESSAGE)
}

/** The fields that git prints of a commit's changes: a letter and a path in turn. */
function modifiedSources(fields: readonly string[]): string[] {
  return fields.filter((path, i) => i % 2 === 1 && fields[i - 1] === 'M' && isSourcePath(path) && !isTestPath(path))
}

function readCommit(record: string): Array<CommitQuery & { parent: string }> {
  const [head = '', changes = ''] = record.split('\x02')
  const [ids = '', ...lines] = head.split('\n')
  const [commit = '', parent] = ids.split(' ')
  const message = cleanMessage(lines)
  const fields = changes
    .split('\0')
    .map(field => field.trim())
    .filter(field => field !== '')
  const files = modifiedSources(fields)
  const hasFewFiles = files.length > 0 && files.length <= MAX_FILES
  if (parent === undefined || !hasFewFiles || message.split(/\s+/).length < MIN_WORDS) return []
  return [{ commit, parent, message, touched: fields.length / 2, files }]
}

/**
 * The newest commits, without merges, whose message has words and that modify one to three sources other than tests,
 * whatever else they touch.
 *
 * @param count - Commits wanted; fewer come back when the newest `scanned` hold fewer.
 */
export async function sampleCommits(gitDir: string, { count = 300, scanned = 2_500 } = {}): Promise<CommitSample> {
  const git = openLocalGit(gitDir, { searchPath: GIT_SEARCH_PATH })
  const { stdout } = await git.run([
    'log',
    '--no-merges',
    `--max-count=${scanned}`,
    '--name-status',
    '--no-renames',
    '-z',
    '--format=%x01%H %P%n%B%x02',
    'HEAD',
  ])
  const commits = stdout.toString().split('\x01').slice(1).flatMap(readCommit).slice(0, count)
  const base = commits.at(-1)?.parent
  if (base === undefined) throw new Error('No commit of this history changes a few sources.')
  const existing = new Set(
    (await git.run(['ls-tree', '-r', '-z', '--name-only', '--full-tree', base])).stdout.toString().split('\0'),
  )
  const queries = commits
    .filter(({ files }) => files.every(path => existing.has(path)))
    .map(({ commit, message, touched, files }) => ({ commit, message, touched, files }))
  return { base, queries }
}

/**
 * Whether a commit does little else, and its message has five words or more: a stricter reading of "changes a few
 * sources".
 */
export const isFocused = ({ message, touched }: CommitQuery): boolean =>
  touched <= MAX_TOUCHED && message.split(/\s+/).length >= MIN_FOCUSED_WORDS

/** How well a ranking of files answers a query. */
export interface Score {
  reciprocalRank: number
  recallAt10: number
}

/** Scores a ranking of paths, the best first. `wanted` must not be empty; both parts of the score are in [0, 1]. */
export function scoreRanking(ranked: readonly string[], wanted: readonly string[]): Score {
  const first = ranked.findIndex(path => wanted.includes(path))
  const top = new Set(ranked.slice(0, 10))
  return {
    reciprocalRank: first < 0 ? 0 : 1 / (first + 1),
    recallAt10: wanted.filter(path => top.has(path)).length / wanted.length,
  }
}

/** The mean of each part; NaN when there are no scores. */
export function meanScore(scores: readonly Score[]): Score {
  const mean = (value: (score: Score) => number) => scores.reduce((sum, score) => sum + value(score), 0) / scores.length
  return { reciprocalRank: mean(score => score.reciprocalRank), recallAt10: mean(score => score.recallAt10) }
}
