import type { ChangeHistory } from '../../repos/changes.ts'
import type { CodeReader } from '../code-reader.ts'
import { fileIndexOf } from '../file-index.ts'
import type { TraceQuery } from '../trace-query.ts'
import { EvidenceSum, type Evidence } from './evidence-list.ts'

/** What happened to a repository before the code that failed. */
export interface Past {
  changes: ChangeHistory
  /** Seconds since 1970: later changes were not in what failed. Null where it is unknown when that was. */
  until: number | null
}

/** By repository; of one whose history is not there nothing is said. */
export type Pasts = ReadonlyMap<string, Past>

const MAX_FILES = 60
const MAX_FRAMES = 6
/** The n-th file of the trace counts 1 / (1 + STEP * n). */
const STEP = 0.5
const HALF_LIFE_S = 2 * 365 * 86_400
/** Weighed commits that a file is taken to have without the other: what happened once is no habit. */
const DOUBT = 0.5
const RECENT_SHARE = 0.3
/** A file that was changed so many commits before another is half as likely to be at fault. */
const HALF_LIFE_COMMITS = 30
const RECENT_COMMITS = 150

/**
 * Files that used to change together with those of the trace, and those that changed last before it. Scores are in (0, 1]: the share of the
 * commits of the trace's files that changed this one, too, and what its last change adds. About 0.1 ms.
 */
export function rankByHistory (query: TraceQuery, reader: Pick<CodeReader, 'files'>, pasts: Pasts): Evidence[] {
  const sum = new EvidenceSum()
  const index = fileIndexOf(reader.files())
  for (const [repository, past] of pasts) {
    const pathOf = (file: number): string | null => {
      const path = past.changes.paths[file]
      return path === undefined || index.at(path, repository) === null ? null : path
    }
    addCompanions(sum, query, { repository, past, pathOf })
    addRecent(sum, { repository, past, pathOf })
  }
  return sum.take(MAX_FILES).map(file => ({ ...file, score: Math.min(1, file.score) }))
}

interface Source { repository: string, past: Past, pathOf: (file: number) => string | null }

function addCompanions (sum: EvidenceSum, { named }: TraceQuery, { repository, past: { changes }, pathOf }: Source): void {
  const { numbers, commitsOf } = tablesOf(changes)
  const newest = changes.commits[0]?.date ?? 0
  for (const [position, place] of named.slice(0, MAX_FRAMES).entries()) {
    const own = place.repository === repository ? numbers.get(place.path) : undefined
    if (own === undefined) continue
    const together = new Map<number, { weight: number, commits: number }>()
    let total = DOUBT
    const commits = commitsOf.get(own) ?? []
    for (const commit of commits) {
      const { date, files } = changes.commits[commit] ?? { date: 0, files: [] }
      const weight = 2 ** (-Math.max(0, newest - date) / HALF_LIFE_S) / Math.log2(1 + files.length)
      total += weight
      for (const file of files) {
        if (file === own) continue
        const known = together.get(file) ?? { weight: 0, commits: 0 }
        together.set(file, { weight: known.weight + weight, commits: known.commits + 1 })
      }
    }
    for (const [file, { weight, commits: shared }] of together) {
      const path = pathOf(file)
      if (path !== null) sum.add({ repository, path }, weight / total / (1 + STEP * position), () => `changed together with ${place.path} in ${shared} of ${commits.length} commits`)
    }
  }
}

function addRecent (sum: EvidenceSum, { repository, past: { changes, until }, pathOf }: Source): void {
  if (until === null) return
  const seen = new Set<number>()
  let back = 0
  for (const { date, files, id } of changes.commits) {
    if (date > until || files.length === 0) continue
    if (++back > RECENT_COMMITS) return
    for (const file of files) {
      const path = seen.has(file) ? null : pathOf(file)
      seen.add(file)
      if (path !== null) sum.add({ repository, path }, RECENT_SHARE * 2 ** (-back / HALF_LIFE_COMMITS), () => `changed lately: by commit ${id.slice(0, 12)}, ${back === 1 ? 'the last one' : `one of the last ${back}`}`)
    }
  }
}

interface Tables {
  numbers: ReadonlyMap<string, number>
  /** By file, the places of its commits. */
  commitsOf: ReadonlyMap<number, readonly number[]>
}

const cache = new WeakMap<ChangeHistory, Tables>()

/** Made once for a history, in some milliseconds. */
function tablesOf (changes: ChangeHistory): Tables {
  const known = cache.get(changes)
  if (known !== undefined) return known
  const commitsOf = new Map<number, number[]>()
  for (const [commit, { files }] of changes.commits.entries()) {
    for (const file of files) {
      const commits = commitsOf.get(file)
      if (commits === undefined) commitsOf.set(file, [commit])
      else commits.push(commit)
    }
  }
  const tables = { numbers: new Map(changes.paths.map((path, number) => [path, number])), commitsOf }
  cache.set(changes, tables)
  return tables
}
