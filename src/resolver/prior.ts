import { languageFamily } from './language-families.ts'
import { kindOfPath } from './path-kinds.ts'
import { fileKey, type EvidenceList } from './rankers/evidence-list.ts'
import type { TraceQuery } from './trace-query.ts'

type FileName = { repository: string, path: string }

const NAMED = 0.8
const FIRST = 1
const SECOND = 0.3
const ONLY = -1
const TEST = -1.7
const VENDORED = -0.6
const ASIDE = -1.4
const CONFIG = -0.2
const DERIVED = -0.4
/** An assertion of a test found out about a failure; gold files of fixes are never tests, so this is less than what they suggest. */
const TEST_FRAME = -1
const SAME_LANGUAGE = 0.6
const NEARNESS = 0.3
const MAX_PLACES = 6
const FADING = 0.9

/** What speaks for a file before any list does: that the trace names it, its language, how near it lies; against it: that it is a test, a copy or a document. */
export function createPrior (query: TraceQuery, frames: EvidenceList): (file: FileName) => number {
  const positions = new Map(frames.map((file, position) => [fileKey(file), position]))
  const near = query.named.slice(0, MAX_PLACES).map(({ path }) => ({ folders: foldersOf(path), family: languageFamily(path) }))
  const families = new Set(near.map(({ family }) => family))
  return (file) => {
    const position = positions.get(fileKey(file))
    let prior = families.size === 0 ? SAME_LANGUAGE / 2 : families.has(languageFamily(file.path)) ? SAME_LANGUAGE : 0
    prior += NEARNESS * nearness(foldersOf(file.path), near)
    const kind = kindOfPath(file.path)
    if (position !== undefined) return prior + (kind.isTest ? TEST_FRAME : 0) + NAMED + (position === 0 ? FIRST : position === 1 ? SECOND : 0) + (frames.length === 1 ? ONLY : 0)
    return prior + (kind.isTest ? TEST : 0) + (kind.isVendored ? VENDORED : 0) + (kind.isAside ? ASIDE : 0) + (kind.isConfig ? CONFIG : 0) + (kind.isDerived ? DERIVED : 0)
  }
}

const foldersOf = (path: string): string[] => path.split('/').slice(0, -1)

/** The share of folders that two paths begin with, those of the nearest frames counting a little more; in [0, 1]. */
function nearness (folders: readonly string[], near: ReadonlyArray<{ folders: readonly string[] }>): number {
  let best = 0
  for (const [position, other] of near.entries()) {
    const most = Math.max(folders.length, other.folders.length)
    let common = 0
    while (common < most && folders[common] === other.folders[common] && folders[common] !== undefined) common++
    best = Math.max(best, (most === 0 ? 1 : common / most) * FADING ** position)
  }
  return best
}
