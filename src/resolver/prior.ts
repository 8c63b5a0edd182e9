import { languageFamily } from './language-families.ts'
import { kindOfPath } from './path-kinds.ts'
import { fileKey, type EvidenceList } from './rankers/evidence-list.ts'
import type { TraceQuery } from './trace-query.ts'

type FileName = { repository: string, path: string }

const NAMED = 1.2
const FIRST = 0.3
const SECOND = 0.1
const ONLY = 0.2
const TEST = -0.9
const VENDORED = -0.5
const ASIDE = -0.6
const CONFIG = -0.5
const SAME_LANGUAGE = 0.6
const NEARNESS = 0.8
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
    if (position !== undefined) return prior + NAMED + (position === 0 ? FIRST : position === 1 ? SECOND : 0) + (frames.length === 1 ? ONLY : 0)
    const kind = kindOfPath(file.path)
    return prior + (kind.isTest ? TEST : 0) + (kind.isVendored ? VENDORED : 0) + (kind.isAside ? ASIDE : 0) + (kind.isConfig ? CONFIG : 0)
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
