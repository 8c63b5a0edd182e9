import { languageFamily } from '../code/language-families.ts'
import { kindOfPath } from '../code/path-kinds.ts'
import { fileKey, type RankerHits } from './rankers/hits.ts'
import type { TraceQuery } from './trace-query.ts'

type FileName = { repository: string; path: string }

const NAMED = 1.9
const FIRST = 0.5
const ONLY = -1.3
const TEST = -3
const VENDORED = -1.8
const ASIDE = -1.8
const CONFIG = -0.4
const DERIVED = -1.8
/**
 * An assertion of a test found out about a failure; gold files of fixes are never tests, so this is less than what they
 * suggest.
 */
const TEST_FRAME = -1.5
const SAME_LANGUAGE = 0.7
const MAX_PLACES = 6

/**
 * What speaks for a file before any list does: that the trace names it, its language; against it: that it is a test, a
 * copy or a document.
 */
export function createPrior(query: TraceQuery, frames: RankerHits): (file: FileName) => number {
  const positions = new Map(frames.map((file, position) => [fileKey(file), position]))
  const families = new Set(query.named.slice(0, MAX_PLACES).map(({ path }) => languageFamily(path)))
  return file => {
    const position = positions.get(fileKey(file))
    const prior = families.size === 0 ? SAME_LANGUAGE / 2 : families.has(languageFamily(file.path)) ? SAME_LANGUAGE : 0
    const kind = kindOfPath(file.path)
    if (position !== undefined) {
      return (
        prior + (kind.isTest ? TEST_FRAME : 0) + NAMED + (position === 0 ? FIRST : 0) + (frames.length === 1 ? ONLY : 0)
      )
    }
    return (
      prior +
      (kind.isTest ? TEST : 0) +
      (kind.isVendored ? VENDORED : 0) +
      (kind.isAside ? ASIDE : 0) +
      (kind.isConfig ? CONFIG : 0) +
      (kind.isDerived ? DERIVED : 0)
    )
  }
}
