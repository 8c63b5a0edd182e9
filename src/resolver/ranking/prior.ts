import { languageFamily } from '../code/language-families.ts'
import { kindOfPath } from '../code/path-kinds.ts'
import { FILE_WEIGHTS, type FileWeights } from './learned-weights.ts'
import { fileKey, type RankerHits } from './rankers/hits.ts'
import type { TraceQuery } from './trace-query.ts'

type FileName = { repository: string; path: string }

const MAX_PLACES = 6

/**
 * Scores a file before any list does: for it speak that the trace names it and its language; against it, that it is a
 * test, a copy or a document.
 */
export function createPrior(
  query: TraceQuery,
  frames: RankerHits,
  weights: FileWeights['prior'] = FILE_WEIGHTS.prior,
): (file: FileName) => number {
  const positions = new Map(frames.map((file, position) => [fileKey(file), position]))
  const families = new Set(query.named.slice(0, MAX_PLACES).map(({ path }) => languageFamily(path)))
  const ofLanguage = (path: string): number => {
    if (families.size === 0) return weights.sameLanguage / 2
    return families.has(languageFamily(path)) ? weights.sameLanguage : 0
  }
  return file => {
    const position = positions.get(fileKey(file))
    const kind = kindOfPath(file.path)
    let sum = ofLanguage(file.path)
    if (position !== undefined) {
      if (kind.isTest) sum += weights.namedTest
      sum += weights.named
      if (position === 0) sum += weights.firstNamed
      if (frames.length === 1) sum += weights.onlyNamed
      return sum
    }
    if (kind.isTest) sum += weights.test
    if (kind.isVendored) sum += weights.vendored
    if (kind.isAside) sum += weights.aside
    if (kind.isConfig) sum += weights.config
    if (kind.isDerived) sum += weights.derived
    return sum
  }
}
