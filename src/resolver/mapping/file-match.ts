import type { MatchKind } from '../../core/frame.ts'
import type { IndexedFile } from '../code/file-index.ts'
import type { Candidate } from './candidates.ts'
import type { ScoredCandidate } from './score-candidates.ts'

/** The file that frames mean, or none, and why. */
export interface FileMatch {
  file: IndexedFile | null
  match: MatchKind
  /** What spoke for the file, or why none was found. */
  why: string
  /** What a folder of the trace is in the repository, said before `why`; files with one key share it. */
  folder?: { key: string; why: string }
  candidates: string[]
  /**
   * The project was run as a package of someone else's program: what lies outside of packages is more likely theirs.
   */
  isInstalled?: boolean
  /** A compiled file that the index leaves out: only its source map tells what is the project's. */
  isUnindexed?: boolean
}

export const MAX_CANDIDATES = 5

export const noMatch = (why: string, candidates: readonly string[] = []): FileMatch => ({
  file: null,
  match: 'none',
  why,
  candidates: [...new Set(candidates)].slice(0, MAX_CANDIDATES),
})

/** The paths of other candidates that agree with the printed path as far as the chosen one does. */
export function rivalsOf(chosen: Candidate, scored: readonly ScoredCandidate[]): string[] {
  return scored
    .filter(({ candidate }) => candidate !== chosen && candidate.common >= chosen.common)
    .map(({ candidate }) => candidate.file.path)
    .slice(0, MAX_CANDIDATES)
}
