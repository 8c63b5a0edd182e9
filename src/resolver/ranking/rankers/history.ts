import type { ChangeHistory } from '../../../repos/history/changes.ts'
import type { CodeReader } from '../../code/code-reader.ts'
import { fileIndexOf } from '../../code/file-index.ts'
import type { TraceQuery } from '../trace-query.ts'
import { byScore, type RankerHit } from './hits.ts'

/** What happened to a repository before the code that failed. */
export interface RepositoryHistory {
  changes: ChangeHistory
  /** Seconds since 1970: later changes were not in what failed. Null where that time is unknown. */
  until: number | null
}

/** Histories by repository; those that are missing were not fetched. */
export type Histories = ReadonlyMap<string, RepositoryHistory>

const MAX_FILES = 60
const MAX_FRAMES = 6
/** The n-th file of the trace counts 1 / (1 + STEP * n). */
const STEP = 0.5
const HALF_LIFE_S = 2 * 365 * 86_400
/** Weighted commits that a file is assumed to have without the other: what happened once is no habit. */
const DOUBT = 0.5
/** Only the last commits of a file that changes all the time count. */
const MAX_COMMITS_OF_FILE = 200
/** Clocks differ. */
const SLACK_S = 86_400
const RECENT_SHARE = 0.3
/** A file that was changed this many commits before another is half as likely to be at fault. */
const HALF_LIFE_COMMITS = 30
const RECENT_COMMITS = 150

const cache = new WeakMap<ChangeHistory, Tables>()

/** Made once for a history, in some milliseconds. */
function tablesOf(changes: ChangeHistory): Tables {
  const known = cache.get(changes)
  if (known !== undefined) return known
  const latest = Date.now() / 1000 + SLACK_S
  // against one of the future all others would be old
  const newest = changes.commits.find(({ date }) => date <= latest)?.date ?? 0
  const commitsOf = new Map<number, number[]>()
  for (const [commit, { files }] of changes.commits.slice(0, -1).entries()) {
    // the oldest, as a rule the first of all, wrote what there was: no habit
    for (const file of files) {
      const commits = commitsOf.get(file)
      if (commits === undefined) commitsOf.set(file, [commit])
      else commits.push(commit)
    }
  }
  const weights = Float64Array.from(
    changes.commits,
    ({ date, files }) => 2 ** (-Math.max(0, newest - date) / HALF_LIFE_S) / Math.log2(1 + files.length),
  )
  const tables = { numbers: new Map(changes.paths.map((path, number) => [path, number])), commitsOf, weights }
  cache.set(changes, tables)
  return tables
}

/** The files that share commits with one file. Its tables are reused, because a history has thousands of files. */
class Companions {
  readonly #weights: Float64Array
  readonly #counts: Uint16Array
  #files: number[] = []

  constructor(fileCount: number) {
    this.#weights = new Float64Array(fileCount)
    this.#counts = new Uint16Array(fileCount)
  }

  add(file: number, weight: number): void {
    if (this.#counts[file] === 0) this.#files.push(file)
    this.#weights[file] = (this.#weights[file] ?? 0) + weight
    this.#counts[file] = (this.#counts[file] ?? 0) + 1
  }

  /** Returns what was added, in the order of its first addition, and empties the sum. */
  take(): Array<{ file: number; weight: number; count: number }> {
    const taken = this.#files.map(file => ({
      file,
      weight: this.#weights[file] ?? 0,
      count: this.#counts[file] ?? 0,
    }))
    for (const file of this.#files) this.#weights[file] = this.#counts[file] = 0
    this.#files = []
    return taken
  }
}

function addCompanions(tally: Tally, { named }: TraceQuery, repository: string): void {
  const { commits, paths } = tally.changes
  const companions = new Companions(paths.length)
  const { numbers, commitsOf, weights } = tablesOf(tally.changes)
  for (const [position, place] of named.slice(0, MAX_FRAMES).entries()) {
    const own = place.repository === repository ? numbers.get(place.path) : undefined
    if (own === undefined) continue
    const ownCommits = (commitsOf.get(own) ?? []).slice(0, MAX_COMMITS_OF_FILE)
    let total = DOUBT
    for (const commit of ownCommits) {
      const weight = weights[commit] ?? 0
      total += weight
      for (const file of commits[commit]?.files ?? []) if (file !== own) companions.add(file, weight)
    }
    for (const { file, weight, count } of companions.take()) {
      tally.add(
        file,
        weight / total / (1 + STEP * position),
        () => `changed together with ${place.path} in ${count} of ${ownCommits.length} commits`,
      )
    }
  }
}

function addRecent(tally: Tally, until: number): void {
  const seen = new Set<number>()
  let back = 0
  for (const { date, files, id } of tally.changes.commits.slice(0, -1)) {
    if (date > until || files.length === 0) continue
    if (++back > RECENT_COMMITS) return
    const gain = RECENT_SHARE * 2 ** (-back / HALF_LIFE_COMMITS)
    const which = back === 1 ? 'the last one' : `one of the last ${back}`
    for (const file of files) {
      if (!seen.has(file)) tally.add(file, gain, () => `changed lately: by commit ${id.slice(0, 12)}, ${which}`)
      seen.add(file)
    }
  }
}

/** Sums up the evidence for each file of a history, by its number: there may be thousands, of which few are taken. */
class Tally {
  readonly changes: ChangeHistory
  readonly #scores: Float64Array
  readonly #reasons = new Map<number, { gain: number; why: () => string }>()

  constructor(changes: ChangeHistory) {
    this.changes = changes
    this.#scores = new Float64Array(changes.paths.length)
  }

  add(file: number, gain: number, why: () => string): void {
    this.#scores[file] = (this.#scores[file] ?? 0) + gain
    if (gain > (this.#reasons.get(file)?.gain ?? 0)) this.#reasons.set(file, { gain, why })
  }

  take(most: number, isThere: (path: string) => boolean): Array<{ path: string; score: number; why: string }> {
    const taken: Array<{ path: string; score: number; why: string }> = []
    const scoreOf = (file: number): number => this.#scores[file] ?? 0
    for (const file of [...this.#reasons.keys()].sort((a, b) => scoreOf(b) - scoreOf(a) || a - b)) {
      if (taken.length >= most) break
      const path = this.changes.paths[file]
      if (path !== undefined && isThere(path)) {
        taken.push({ path, score: Math.min(1, scoreOf(file)), why: this.#reasons.get(file)?.why() ?? '' })
      }
    }
    return taken
  }
}

/**
 * Files that usually changed together with those of the trace, and those that changed last before it. Scores are in (0,
 * 1]: the share of the commits of the trace's files that changed this one, too, and a bonus for its last change. 0.3 ms
 * for frames in files with hundreds of commits.
 */
export function rankByHistory(query: TraceQuery, reader: Pick<CodeReader, 'files'>, histories: Histories): RankerHit[] {
  const index = fileIndexOf(reader.files())
  const found = [...histories].flatMap(([repository, { changes, until }]) => {
    const tally = new Tally(changes)
    addCompanions(tally, query, repository)
    if (until !== null) addRecent(tally, until)
    return tally
      .take(MAX_FILES, path => index.at(path, repository) !== null)
      .map(file => ({ repository, ...file, lines: [] }))
  })
  return found.sort(byScore).slice(0, MAX_FILES)
}

interface Tables {
  numbers: ReadonlyMap<string, number>
  /** By file, the indices of its commits, the newest first. */
  commitsOf: ReadonlyMap<number, readonly number[]>
  /** By commit: what it says of files that it changed together. */
  weights: Float64Array
}
