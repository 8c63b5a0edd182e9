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
  /**
   * The folder of the repository that a folder of the trace stands for; shown before `why`, once for all files with the
   * same key.
   */
  folder?: { key: string; why: string }
  candidates: string[]
  /**
   * Whether the project ran as a package of another program: then files outside of packages are more likely the
   * program's.
   */
  isInstalled?: boolean
  /** A compiled file that the index leaves out: only its source map leads to the project's code. */
  isUnindexed?: boolean
}

/** The most candidates that a frame without a file lists. */
export const MAX_CANDIDATES = 5

/** The result for frames that are in no file of the project. */
export const noMatch = (why: string, candidates: readonly string[] = []): FileMatch => ({
  file: null,
  match: 'none',
  why,
  candidates: [...new Set(candidates)].slice(0, MAX_CANDIDATES),
})

/** The paths of other candidates that agree with the printed path as well as the chosen one does. */
export function rivalsOf(chosen: Candidate, scored: readonly ScoredCandidate[]): string[] {
  return scored
    .filter(({ candidate }) => candidate !== chosen && candidate.common >= chosen.common)
    .map(({ candidate }) => candidate.file.path)
    .slice(0, MAX_CANDIDATES)
}
